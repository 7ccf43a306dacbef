"""Nodes of syntax trees, made and looked at."""

from __future__ import annotations

import ast
from typing import Any

RECORDER = "@r"

BINARY = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and_",
    ast.BitOr: "or_",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
UNARY = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}
COMPARISON = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Is: "is_",
    ast.IsNot: "is_not",
    ast.In: "contained",
    ast.NotIn: "not_contained",
}
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class RewritingError(Exception):
    """A function has a construct that cannot be rewritten."""

    def __init__(self, construct: str, node: ast.AST) -> None:
        super().__init__(construct)
        self.construct, self.line = construct, getattr(node, "lineno", None)


def placed(place: ast.AST, made: Any) -> Any:
    """Return a new node with the line and column of another one."""
    return ast.copy_location(made, place)


def assign(name: str, value: Any, at: ast.AST) -> Any:
    return placed(at, ast.Assign([ast.Name(name, ast.Store())], value))


def deleted(name: str, at: ast.AST) -> Any:
    return placed(at, ast.Delete([ast.Name(name, ast.Del())]))


def expression(value: Any) -> Any:
    return placed(value, ast.Expr(value))


def copied(arguments: ast.arguments) -> Any:
    """Return a copy of the parameters of a function; the lists in it can be replaced."""
    return ast.arguments(**dict(ast.iter_fields(arguments)))


def constant(x: Any) -> Any:
    return x if isinstance(x, ast.AST) else ast.Constant(x)


def pattern_of(target: Any) -> Any:
    """Return the form of a target as an expression: nested tuples of None, and "*"."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return placed(target, ast.Tuple([pattern_of(each) for each in target.elts], ast.Load()))
    if isinstance(target, ast.Starred):
        return placed(target, ast.Constant("*"))
    return placed(target, ast.Constant(None))


def leaves_of(target: Any) -> list[Any]:
    """Return the single targets in a nested one."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return [leaf for each in target.elts for leaf in leaves_of(each)]
    return leaves_of(target.value) if isinstance(target, ast.Starred) else [target]
