"""A module as a stub: its source without what only runs."""

from __future__ import annotations

import ast
import inspect
from importlib.util import resolve_name
from types import ModuleType
from typing import Any

#: What nobody is to write: every misspelt name would be one, and no item can be assigned to.
_NOT_OFFERED = ("__getattr__", "__setitem__")


def stub_of(module: ModuleType) -> ast.Module:
    """Return the syntax tree of a module's stub.

    Of attributes it has those that a class declares, and none that are only assigned to.
    """
    declarations = _Declarations(module.__package__)
    tree: ast.Module = declarations.visit(ast.parse(inspect.getsource(module)))
    return tree


class _Declarations(ast.NodeTransformer):
    """Keeps imports, classes, signatures, docstrings and what is assigned to a name."""

    def __init__(self, package: str | None) -> None:
        self.package = package

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        # Beside the stub there is none of the modules that are beside the source.
        module = resolve_name("." * node.level + (node.module or ""), self.package)
        return ast.ImportFrom(module, node.names, 0)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        if node.name in _NOT_OFFERED:
            return None
        docstring = node.body[:1] if ast.get_docstring(node) is not None else []
        node.body = docstring or [ast.Expr(ast.Constant(...))]
        return node

    def visit_If(self, node: ast.If) -> Any:  # of TYPE_CHECKING
        return [found for item in node.body if (found := self.visit(item)) is not None]

    def visit_Assign(self, node: ast.Assign) -> Any:
        return node if isinstance(node.targets[0], ast.Name) else None

    def visit_Expr(self, node: ast.Expr) -> Any:
        return node if isinstance(node.value, ast.Constant) else None

    def visit_For(self, node: ast.For) -> None:
        return None
