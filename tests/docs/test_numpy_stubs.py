"""The stubs of dezero_tools.numpy are what their program makes of NumPy and the plugins today."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"

sys.path.insert(0, str(DOCS))
program = importlib.import_module("make_numpy_stubs")
sys.path.remove(str(DOCS))


@pytest.mark.parametrize("module", program.MODULES)
def test_a_stub_of_the_namespace_is_up_to_date(module):
    text = (program.FOLDER / f"{module}.pyi").read_text("utf-8")
    assert program.stub(module) == text, "run python docs/make_numpy_stubs.py"


@pytest.mark.parametrize("module", program.MODULES)
def test_a_stub_of_the_namespace_has_every_name_of_numpy_and_no_other(module):
    tree = ast.parse(program.stub(module))
    imported = {
        alias.asname
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    declared = {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
    assert (imported - {None}) | defined | declared == set(program.MODULES[module].__all__)


def test_the_check_of_stubs_passes_with_the_files():
    subprocess.run([sys.executable, DOCS / "make_numpy_stubs.py", "--check"], check=True)


def test_the_check_of_stubs_fails_for_stale_files(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(program, "FOLDER", tmp_path)
    assert program.main(["--check"]) == 1
    assert "__init__.pyi, fft.pyi, linalg.pyi stale" in capsys.readouterr().err
    assert program.main([]) == 0
    assert program.main(["--check"]) == 0
    (tmp_path / "fft.pyi").write_text("other\n")
    assert program.main(["--check"]) == 1
    assert capsys.readouterr().err.startswith("fft.pyi stale")


def test_a_stub_gives_the_result_of_the_plugin_for_a_variable_in_the_place_of_each_operand():
    text = program.stub("__init__")
    for name, signature in (
        ("exp", "(x: _Variables) -> Variable"),
        ("exp", "(x: NDArray[Any], **kwargs: Any) -> NDArray[Any]"),
        ("add", "(x0: Any, x1: _Variables) -> Variable"),
        ("add", "(x0: _Operand, x1: NDArray[Any], **kwargs: Any) -> NDArray[Any]"),
        ("trapezoid", "(y: Any, *, x: _Variables, dx: Any = ..., axis: Any = ...) -> Variable"),
        ("inner", "(a: _Variables, b: Any, /) -> Variable"),
        ("pad", "(array: _Variables, pad_width: Any, mode: Any = ..., **kwargs: Any) -> Variable"),
        ("split", "(ary: _Variables, indices_or_sections: Any, axis: Any = ...) -> list[Variable]"),
    ):
        assert f"@overload\ndef {name}{signature}: ...\n" in text, name
