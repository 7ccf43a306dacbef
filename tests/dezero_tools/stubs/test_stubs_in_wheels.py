"""The stubs in wheels of this repository are those that docs/make_stubs.py writes today.

Promise: docs/how_to/type_checking.md
"""

from importlib.util import find_spec
from pathlib import Path

import dezero_tools.numpy
import pytest

import dezero_ops_basic

ROOT = Path(__file__).parents[3]
SITES = {
    "dezero_ops_basic": Path(dezero_ops_basic.__file__).parents[1],
    "dezero_tools": Path(dezero_tools.__file__).parents[1],
}
if (spec := find_spec("dezero_ops_scipy")) and spec.origin:  # without, the checkout's folder
    SITES["dezero_ops_scipy"] = Path(spec.origin).parents[1]


def test_the_stubs_in_the_sources_are_up_to_date_and_installed(program):
    for path, text in program.stubs().items():
        assert path.read_text("utf-8") == text, "run python docs/make_stubs.py"
        room, _, *rest = path.relative_to(ROOT).parts
        assert SITES[room].joinpath(*rest).read_text("utf-8") == text


def test_the_stub_of_members_has_those_of_both_packages_of_operations_without_docstrings(program):
    text = program.stubs()[program.MEMBERS / "bound.pyi"]
    assert "    def __add__(self, x1: Any) -> Variable:\n        ...\n" in text
    assert "    def sum(self, axis: " in text
    assert '"""' not in text


def test_the_check_of_stubs_fails_for_stale_files(program, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(program, "ROOT", tmp_path)
    monkeypatch.setattr(program, "MEMBERS", tmp_path / "members")
    monkeypatch.setattr(program, "NAMESPACE", tmp_path / "namespace")
    monkeypatch.setattr(program, "MIRROR", tmp_path / "mirror")
    assert program.main(["--check"]) == 1
    assert "members/bound.pyi, namespace/__init__.pyi, namespace/fft.pyi" in capsys.readouterr().err
    assert program.main([]) == 0
    assert program.main(["--check"]) == 0
    (tmp_path / "namespace" / "fft.pyi").write_text("other\n")
    assert program.main(["--check"]) == 1
    said = capsys.readouterr().err
    assert said == "namespace/fft.pyi stale: run python docs/make_stubs.py\n"


@pytest.mark.usefixtures("core_alone")
def test_the_stubs_in_wheels_are_not_written_without_the_packages_of_operations(program):
    with pytest.raises(SystemExit, match="not loaded: dezero-ops-basic, dezero-ops-math"):
        program.stubs()
