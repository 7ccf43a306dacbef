"""The stubs of dezero_tools.numpy: NumPy's names, with types for Variables.

Promise: docs/how_to/type_checking.md
"""

import ast

import pytest

PLUGINS = ("basic", "math")


@pytest.mark.parametrize("module", ["__init__", "fft", "linalg"])
def test_a_stub_of_the_namespace_has_every_name_of_numpy_and_no_other(program, module):
    tree = ast.parse(program.namespace_stub(module, PLUGINS))
    imported = {
        alias.asname
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    of_the_stub = {None, "_Operand", "_Variables"}
    assert (imported - of_the_stub) | defined == set(program.MODULES[module].__all__)


def test_a_stub_gives_the_result_of_the_plugin_for_a_variable_in_the_place_of_each_operand(program):
    text = program.namespace_stub("__init__", PLUGINS)
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


def test_a_stub_has_no_types_for_variables_of_a_plugin_that_is_not_named(program):
    text = program.namespace_stub("__init__", ["basic"])
    assert "def add(x0: _Variables, x1: Any) -> Variable" in text
    assert "def exp(" not in text
    assert "    exp as exp,\n" in text
