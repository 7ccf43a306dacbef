"""docs/coverage.md is what its program makes of the registry and of NumPy today.

Promise: docs/coverage.md
"""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from dezero_tools.testing import sample_of

from dezero_core import ops

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "docs" / "make_coverage.py"
PAGE = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def program():
    sys.path.insert(0, str(PROGRAM.parent))
    yield importlib.import_module("make_coverage")
    sys.path.remove(str(PROGRAM.parent))


def test_the_page_of_coverage_is_up_to_date(program):
    assert program.page() == PAGE, "run python docs/make_coverage.py"


def test_a_function_listed_without_a_derivative_exists_in_numpy_without_a_derivative(program):
    assert program.mistakes() == []


def test_the_check_of_coverage_passes_with_the_page():
    subprocess.run([sys.executable, PROGRAM, "--check"], check=True)


def test_the_check_of_coverage_fails_for_a_stale_page(program, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(program, "PAGE", tmp_path / "coverage.md")
    for _ in range(2):
        assert program.main(["--check"]) == 1
        assert "stale" in capsys.readouterr().err
        program.PAGE.write_text("another page")
    program.main([])
    assert program.PAGE.read_text(encoding="utf-8") == program.page()


@pytest.mark.parametrize(
    ("names", "mistake"),
    [
        ("shape no_such_function", "has no np.no_such_function"),
        ("exp linalg.matrix_rank", "np.exp is differentiable"),
        ("fft.fft", "np.fft.fft is differentiable"),
        ("abs", "np.abs is differentiable"),
        ("invert bitwise_not", "np.bitwise_not is there twice"),
    ],
)
def test_the_check_of_coverage_finds_a_mistake_in_its_program(program, monkeypatch, names, mistake):
    monkeypatch.setattr(program, "BY_NATURE", {"are named here": names})
    assert any(mistake in found for found in program.mistakes())
    assert program.main(["--check"]) == 1


def test_the_page_of_coverage_is_not_written_without_all_plugins(program, monkeypatch):
    loaded = [plugin for plugin in program.plugins() if plugin.name != "math"]
    monkeypatch.setattr(program, "plugins", lambda: loaded)
    with pytest.raises(SystemExit, match="dezero-ops-math"):
        program.page()


def test_every_function_of_numpy_is_on_the_page_of_coverage_once(program):
    for namespace in program.NAMESPACES:
        section = PAGE.partition(f"## `{namespace}`\n")[2].partition("\n## ")[0]
        named = re.findall(r"`(\w+)`", section)
        expected = [name for entry in program.entries(namespace) for name in entry.names]
        assert sorted(named) == sorted(expected)


def test_every_operation_is_on_the_page_of_coverage():
    ours = [operation for operation in ops() if operation.plugin in ("basic", "math")]
    for operation in ours:
        names = {function.__name__ for function in operation.numpy} - {"at"} or {operation.name}
        assert names <= set(re.findall(r"`(\w+)`", PAGE)), operation.name


def test_an_operation_with_one_derivative_has_its_order_on_the_page_of_coverage(
    program, monkeypatch
):
    (operation,) = (operation for operation in ops() if operation.name == "exp")
    once = operation._replace(sample=lambda kit: kit.Sample(sample_of(operation), order=1))
    monkeypatch.setattr(program, "ops", lambda: [once])
    assert "[`exp`](#dezero_ops_math.exp) (order 1)" in program.page()
