"""Arrays that a Function has put aside: to its backward they would be constants."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from types import CellType, FunctionType, ModuleType
from typing import Any

import numpy as np

from .variable import Variable

_PLAIN = frozenset({bool, int, str, slice, range, bytes, type(None), type(Ellipsis)})

#: Kinds of dtype whose values a derivative may depend on; O for objects.
_HIDING = "fcO"

_EMPTY_CELL = CellType()


def inexact_in(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield path and value of everything in `value` through which a derivative could pass."""
    for path, x in _leaves(value):
        if not isinstance(x, (np.ndarray, np.generic)) or x.dtype.kind in _HIDING:
            yield path, x


def arrays_in(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield path and value of every array in `value`."""
    return ((where, x) for where, x in _leaves(value, path) if isinstance(x, np.ndarray))


def _leaves(
    value: Any, path: str = "", seen: dict[int, Any] | None = None
) -> Iterator[tuple[str, Any]]:
    """Yield path and value of every number, array and Variable in `value`.

    Each object is looked at once, also where many paths lead to it. `seen` holds them by
    id, and so keeps these ids from being given to others meanwhile.
    """
    seen = {} if seen is None else seen
    if type(value) in _PLAIN or id(value) in seen:
        return
    seen[id(value)] = value
    if isinstance(value, (float, complex, Variable, np.ndarray, np.generic)):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            step = f".{key}" if path in ("", "self") else f"[{key!r}]"
            yield from _leaves(item, path + step, seen)
    elif isinstance(value, Collection):
        for index, item in enumerate(value):
            yield from _leaves(item, f"{path}[{index}]", seen)
    elif isinstance(value, FunctionType):
        for cell in value.__closure__ or ():
            if cell != _EMPTY_CELL:  # the name has a value by now
                yield from _leaves(cell.cell_contents, f"{path}()", seen)
    elif isinstance(value, partial):
        yield from _leaves([value.func, value.args, value.keywords], path, seen)
    elif not isinstance(value, (type, ModuleType)):
        slots = {slot for base in type(value).__mro__ for slot in getattr(base, "__slots__", ())}
        for name in [*getattr(value, "__dict__", ()), *sorted(slots)]:
            yield from _leaves(getattr(value, name, None), f"{path}.{name}", seen)


def constants_of(attributes: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return path and value of the inexact ones among what an author's ``__init__`` has set."""
    for value in attributes.values():
        # An axis, a shape, a dtype or an array of labels is told from the rest at once.
        kind = type(value)
        if kind in _PLAIN or (kind is tuple and _PLAIN.issuperset(map(type, value))):
            continue
        if kind is np.ndarray and value.dtype.kind not in _HIDING:
            continue
        if isinstance(value, (np.dtype, type)):
            continue
        return tuple(inexact_in(attributes))
    return ()
