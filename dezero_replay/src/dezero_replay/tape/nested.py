"""Nested values: the one walk through them, and the one comparison."""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from .classes import is_a, method_of

Tree = Any
"""Tuples, lists, dicts and slices, in each other, of anything."""

NESTED = (tuple, list, dict, slice)

#: Types of leaves that have nothing inside, asked first for the sake of time.
ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes, type(Ellipsis)})


def leaves(tree: Tree, kind: type) -> list[Any]:
    """Return the objects of a type in nested tuples, lists, dicts and slices."""
    found: list[Any] = []
    _collect(tree, kind, found)
    return found


def _collect(tree: Tree, kind: type, found: list[Any]) -> None:
    if type(tree) is kind:
        found.append(tree)
    elif type(tree) not in ATOMS and is_a(tree, NESTED):
        if isinstance(tree, dict):
            tree = tree.values()
        elif isinstance(tree, slice):
            tree = (tree.start, tree.stop, tree.step)
        for item in tree:
            _collect(item, kind, found)


def has_any(tree: Tree, kind: type) -> bool:
    """Return whether nested arguments hold an object of a type."""
    return bool(leaves(tree, kind))


def mapped(of: Callable[[Any], Any], tree: Tree) -> Tree:
    """Return a tuple, list, dict or slice with ``of(x)`` in place of each item."""
    if isinstance(tree, dict):
        return {key: of(x) for key, x in tree.items()}
    if isinstance(tree, slice):
        return slice(of(tree.start), of(tree.stop), of(tree.step))
    items = [of(x) for x in tree]
    return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)


def equal(a: Any, b: Any) -> bool:
    """Return whether two arrays or numbers are equal to the bit, in dtype, shape and layout."""
    if type(a) is not type(b):
        return False
    if type(a) is float:
        return bool(a.hex() == b.hex())
    if not isinstance(a, (np.ndarray, np.generic)):
        return bool(a == b) or (a != a and b != b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.hasobject:
        return all(map(operator.is_, a.flat, b.flat))
    if a.dtype.char in "gG":  # a long double has bytes without a meaning
        return bool(np.array_equal(a, b, equal_nan=True))
    if a.flags.c_contiguous and b.flags.c_contiguous:
        return a.tobytes() == b.tobytes() if a.size < 64 else bool((_bits(a) == _bits(b)).all())
    return np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


def _bits(array: Any) -> Any:
    return array.reshape(-1).view(np.uint8)


def alike(a: Tree, b: Tree, leaf: Callable[[Any, Any], bool | None] | None = None) -> bool:
    """Return whether two nested values are equal to the bit; ``leaf(a, b)`` may say so first."""
    if type(a) is not type(b):
        return False
    said = None if leaf is None else leaf(a, b)
    if said is not None:
        return said
    if isinstance(a, slice):
        a, b = (a.start, a.stop, a.step), (b.start, b.stop, b.step)
    elif isinstance(a, dict):
        if a.keys() != b.keys():
            return False
        a, b = [*a.values()], [b[key] for key in a]
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(alike(x, y, leaf) for x, y in zip(a, b, strict=True))
    return a is b or (type(method_of(type(a), "__eq__")) is not FunctionType and equal(a, b))
