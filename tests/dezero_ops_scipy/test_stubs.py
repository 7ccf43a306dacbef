"""The stubs of the mirror have every operation, with a Variable for Variables.

Promise: docs/how_to/type_checking.md
"""

import ast
from pathlib import Path

import pytest

import dezero_ops_scipy
from dezero_core import ops

PACKAGE = Path(dezero_ops_scipy.__file__).parent


def functions(nodes):
    """Return the name of each function -> the results of its overloads."""
    found = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(ast.unparse(node.returns))
    return found


RESULTS = {"Variable", "tuple[Variable, Variable]", "tuple[Variable, ...]", "Any", "NDArray[Any]"}


@pytest.mark.parametrize("module", ["special", "stats", "linalg"])
def test_the_stub_of_a_mirror_has_each_operation_with_a_variable_for_variables(module):
    tree = ast.parse((PACKAGE / module / "__init__.pyi").read_text("utf-8"))
    stated = functions(tree.body)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            methods = functions(node.body)
            stated |= {f"{node.name[1:]}.{name}": results for name, results in methods.items()}
    names = {op.name.split(".", 2)[2] for op in ops() if op.name.startswith(f"scipy.{module}.")}
    assert names <= stated.keys()
    for name in names:
        *results, last = stated[name]
        assert last == "Any"
        assert set(results) <= RESULTS
    assert "__getattr__" in stated
