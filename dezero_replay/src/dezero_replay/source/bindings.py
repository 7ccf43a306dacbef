"""The names that a function binds, found in its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from .nodes import COMPREHENSIONS


class Bindings:
    """The names of a function: those that it binds, and those that it declares to be others'."""

    def __init__(self, function: Any) -> None:
        self.bound: set[str] = set()
        self.is_global: set[str] = set()
        self.is_outer: set[str] = set()
        if isinstance(function, COMPREHENSIONS):
            for generator in function.generators:
                self._add(generator.target)
            return
        given = ast.iter_child_nodes(function.args)
        self.bound.update(each.arg for each in given if isinstance(each, ast.arg))
        body = function.body
        for statement in body if isinstance(body, list) else [body]:
            self._add(statement)
        self.bound -= self.is_global | self.is_outer

    def _add(self, node: Any) -> None:
        inside: Iterable[ast.AST] = ast.iter_child_nodes(node)
        if isinstance(node, ast.Name):
            self.bound.update([] if isinstance(node.ctx, ast.Load) else [node.id])
        elif isinstance(node, COMPREHENSIONS):  # only the names of := in it are of this scope
            inside = [each.target for each in ast.walk(node) if isinstance(each, ast.NamedExpr)]
        elif isinstance(node, ast.Global):
            self.is_global.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            self.is_outer.update(node.names)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.bound.add(node.name)
            inside = node.decorator_list
        elif isinstance(node, ast.Lambda):
            inside = []
        elif isinstance(node, ast.alias):
            self.bound.add(node.asname or node.name.partition(".")[0])
        else:  # of `except ... as name`, and in patterns
            names = getattr(node, "name", None), getattr(node, "rest", None)
            self.bound.update(name for name in names if isinstance(name, str))
        for child in inside:
            self._add(child)
