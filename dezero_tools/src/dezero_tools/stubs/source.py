"""The stub of a module: its source without the code of functions."""

from __future__ import annotations

import ast
import inspect
from importlib.util import resolve_name
from types import ModuleType
from typing import Any


def stub_of(module: ModuleType) -> ast.Module:
    """Return the syntax tree of a module's stub.

    The stub has the attributes that a class declares. It lacks attributes that are only assigned.
    """
    declarations = _Declarations(module.__package__)
    tree: ast.Module = declarations.visit(ast.parse(inspect.getsource(module)))
    return tree


class _Declarations(ast.NodeTransformer):
    """Keeps imports, classes, signatures, docstrings and assignments to a name."""

    def __init__(self, package: str | None) -> None:
        self.package = package

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        # A relative import would look beside the stub, where the other modules are missing.
        module = resolve_name("." * node.level + (node.module or ""), self.package)
        return ast.ImportFrom(module, node.names, 0)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        if node.name == "__setitem__":  # which exists only to raise an error
            return None
        docstring = node.body[:1] if ast.get_docstring(node) is not None else []
        node.body = docstring or [ast.Expr(ast.Constant(...))]
        return node

    def visit_If(self, node: ast.If) -> Any:  # if TYPE_CHECKING
        # With an else for the base class of Variable, which is object there. To type checkers it is
        # Bound, which has members that no plugin of this environment may have bound.
        body = node.orelse or node.body
        return [found for item in body if (found := self.visit(item)) is not None]

    def visit_Assign(self, node: ast.Assign) -> Any:
        return node if isinstance(node.targets[0], ast.Name) else None

    def visit_Expr(self, node: ast.Expr) -> Any:
        return node if isinstance(node.value, ast.Constant) else None
