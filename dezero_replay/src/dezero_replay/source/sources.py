"""The syntax tree of a function, found by its code in the source that Python has read."""

from __future__ import annotations
import __future__

import ast
import linecache
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from inspect import CO_OPTIMIZED
from types import CodeType
from typing import Any

from .nodes import expression, placed

_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag


class NoSourceError(Exception):
    """The source of a function cannot be read, or is not the one that runs."""


@dataclass(frozen=True)
class Definition:
    """A function or lambda in a source."""

    node: ast.FunctionDef | ast.Lambda
    #: The class whose body it is in, by whose name Python changes names such as ``__x``; or None.
    owner: str | None
    #: The names that the source imports: Python compiles calls of their attributes in another way.
    imported: tuple[str, ...]


def definition_of(code: CodeType, namespace: dict[str, Any]) -> Definition:
    """Return the definition that code was compiled from; `namespace` has the function's globals.

    Raises
    ------
    NoSourceError
        If there is no source, or if the source is another one by now.
    """
    file = code.co_filename
    if file.startswith("<frozen "):  # a module that Python has in itself, too
        file = str(namespace.get("__file__"))
    text = "".join(linecache.getlines(file, namespace))
    name = code.co_name
    if not text or file in ("<string>", "<stdin>"):  # Python 3.13 has those of a command
        raise NoSourceError(f"{name} has no source: write it into a file")
    try:
        found = [*_definitions(file, text, code.co_firstlineno, name)]
    except SyntaxError:
        found = []
    of_pytest = any(each.startswith("@py") for each in _names(code))  # in place of assertions
    alike = [x for x in found if of_pytest or _alike(code, compiled(x, x.node, code))]
    if len(alike) > 1:  # lambdas in one line
        places = list(code.co_positions())
        alike = [x for x in alike if list(compiled(x, x.node, code).co_positions()) == places]
    if not alike:
        raise NoSourceError(
            f"the source of {name} has changed since it was imported: import it again"
        )
    return alike[0]


def compiled(definition: Definition, node: Any, code: CodeType, *cells: str) -> CodeType:
    """Return the code of a function, with the `cells` of outer functions beside its own.

    The `node` is that of the definition, or a rewritten one in its place.
    """
    name = getattr(node, "name", "<lambda>")
    node = copy(node)
    vars(node).update(_TYPE_PARAMETERS)  # which are free variables of the code
    inner: ast.stmt = node if isinstance(node, ast.FunctionDef) else expression(node)
    if definition.owner is not None:
        body = [inner]
        inner = placed(node, ast.ClassDef(definition.owner, [], [], body, [], **_TYPE_PARAMETERS))
    free = (*cells, *code.co_freevars)
    arguments = [ast.arg(each) for each in free]
    names = {name, definition.owner or name} - {"<lambda>", *free}
    before: list[ast.stmt] = [ast.Global(sorted(names))] if names else []
    signature = ast.arguments([], arguments, None, [], [], None, [])
    outer = ast.FunctionDef("@outer", signature, before, [], None, None, **_TYPE_PARAMETERS)
    imports = [ast.Import([ast.alias(each)]) for each in definition.imported]
    module = ast.fix_missing_locations(ast.Module([*imports, outer], []))
    outer.body.append(inner)  # which has its locations
    flags = code.co_flags & _FUTURE
    made = compile(module, code.co_filename, "exec", flags, dont_inherit=True)
    functions = (x for x in codes_in(made) if x.co_flags & CO_OPTIMIZED)  # no classes
    return next(x for x in functions if x.co_name == name)


_TYPE_PARAMETERS: dict[str, Any] = (
    {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}
)


def _definitions(file: str, text: str, line: int, name: str) -> Iterator[Definition]:
    """Yield the functions and lambdas of a source that begin in a line and have a name."""
    tree, imported = _parsed(file, text)
    waiting: list[tuple[ast.AST, str | None]] = [(tree, None)]
    while waiting:
        node, owner = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            begins = _first_line(node, line), getattr(node, "name", "<lambda>")
            if begins == (line, name):
                yield Definition(node, owner, imported)
        inside = node.name if isinstance(node, ast.ClassDef) else owner
        for child in ast.iter_child_nodes(node):
            if _first_line(child, line) <= line <= getattr(child, "end_lineno", line):
                waiting.append((child, inside))


@lru_cache(20)
def _parsed(file: str, text: str) -> tuple[ast.Module, tuple[str, ...]]:
    """Return the tree of a source, and the names that it imports."""
    tree = ast.parse(text)
    return tree, tuple(sorted(_imported(tree)))


def _first_line(node: ast.AST, default: int) -> int:
    """Return the line where a node begins, with its decorators; the default if it has none."""
    decorators = getattr(node, "decorator_list", [])
    return min(getattr(x, "lineno", default) for x in (node, *decorators))


def _imported(node: ast.AST) -> Iterator[str]:
    """Yield the names that are imported outside of all functions and classes."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.alias) and child.name != "*":
            yield child.asname or child.name.partition(".")[0]
        elif isinstance(child, (ast.stmt, ast.ExceptHandler)) and not isinstance(
            child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        ):
            yield from _imported(child)


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """Yield a code, and those of the functions and classes in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


def _names(code: CodeType) -> Iterator[str]:
    for each in codes_in(code):
        yield from each.co_names
        yield from each.co_varnames


def _alike(a: CodeType, b: CodeType) -> bool:
    """Return whether two codes do the same, whatever surrounds them."""
    if a.co_code != b.co_code or a.co_names != b.co_names or a.co_varnames != b.co_varnames:
        return False
    consts = [[*map(_without_surroundings, code.co_consts)] for code in (a, b)]
    return len(consts[0]) == len(consts[1]) and all(
        _alike(x, y)
        if isinstance(x, CodeType) and isinstance(y, CodeType)
        else type(x) is type(y)
        and (x == y or repr(x) == repr(y))  # nan, and in what order a set is
        for x, y in zip(*consts, strict=True)
    )


def _without_surroundings(constant: Any) -> Any:
    """Return a constant; of the qualified name of a class, what is not of the functions around."""
    return constant.rpartition("<locals>.")[2] if isinstance(constant, str) else constant
