"""Arrays that a Function has put aside: to its backward they would be constants."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from types import CellType, FunctionType, ModuleType
from typing import Any

import numpy as np

from .array_types import array_type_of
from .errors import GradientError, VariableTypeError
from .notes import described, provider_of
from .variable import Variable, label

_PLAIN = frozenset({bool, int, str, slice, range, bytes, type(None), type(Ellipsis)})

#: Kinds of dtype whose values a derivative may depend on; O for objects.
_HIDING = "fcO"

_FLOAT = np.dtype(float)

_EMPTY_CELL = CellType()


def inexact_in(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield path and value of everything in `value` through which a derivative could pass."""
    for path, x in _leaves(value):
        if isinstance(x, Variable) or getattr(x, "dtype", _FLOAT).kind in _HIDING:
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
    is_number = isinstance(value, (float, complex, Variable, np.ndarray, np.generic))
    if is_number or array_type_of(value) is not None:
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


def constants_given(function: Any) -> tuple[Any, ...]:
    """Return the inexact values that the author's ``__init__`` has set: these are constants.

    Raises
    ------
    VariableTypeError (TypeError)
        If one is a Variable: it would get no gradient, without a word.
    """
    attributes = vars(function)
    if all(map(_is_exact, attributes.values())):
        return ()
    given = tuple(inexact_in(attributes))
    for path, x in given:
        if isinstance(x, Variable):
            cls = type(function)
            raise VariableTypeError(
                f"{cls.__name__} of {provider_of(cls)} needs a constant for "
                f"'{path.lstrip('.')}', got {label(x)}, which would get no gradient from "
                "there. Pass its values, its .data.",
                got=type(x),
            )
    return tuple([x for _, x in given])


def _is_exact(value: Any) -> bool:
    """Return whether an attribute is exact at first sight: an axis, a shape, a dtype, labels."""
    kind = type(value)
    return (
        kind in _PLAIN
        or (kind is tuple and _PLAIN.issuperset(map(type, value)))
        or (kind is np.ndarray and value.dtype.kind not in _HIDING)
        or isinstance(value, (np.dtype, type))
    )


def require_nothing_hidden(function: Any) -> None:
    """Refuse the second derivative of a Function whose ``forward`` put an array aside."""
    for path, x in inexact_in(function._own_attributes()):
        if not any(x is given for given in function._given or ()):
            raise GradientError(
                f"{described(function, 'forward')} saved {type(x).__name__} values in "
                f"self{path}. To backward they would be constants and the derivative of the "
                "gradient wrong, so create_graph is refused. Let backward compute with "
                "self.inputs[i].data or self.outputs[i]().data instead; a value that "
                "really is a constant belongs in __init__.",
                function=type(function),
                attribute=path.lstrip("."),
            )
