"""Arguments and results that several families share: shapes of axes, refusals, types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from dezero_core import Function, Variable, VariableTypeError, as_array
from dezero_core.extend import Operand

Axis = int | tuple[int, ...] | None


def axes_of(axis: Axis, ndim: int) -> tuple[int, ...]:
    """Return the axes that `axis` stands for, counted from 0: all of them if it is None."""
    return normalize_axis_tuple(range(ndim) if axis is None else axis, ndim)


def order_back(axes: Any) -> tuple[int, ...]:
    """Return the order of axes that undoes a transposition to the order `axes`."""
    return tuple(int(axis) for axis in np.argsort(axes))


def kept_shape(shape: tuple[int, ...], axis: Axis) -> tuple[int, ...]:
    """Return `shape` with a 1 in place of every axis that a reduction takes away."""
    if axis is None:
        return (1,) * len(shape)
    reduced = normalize_axis_tuple(axis, len(shape))
    return tuple(1 if index in reduced else n for index, n in enumerate(shape))


def as_operand(x: Any) -> Operand:
    """Return a list or tuple as the array that it is to NumPy, anything else as it is.

    One with Variables in it becomes a Variable, by ``np.stack``; one with arrays of another type
    than NumPy's becomes such an array.
    """
    if not isinstance(x, (list, tuple)):
        return x
    items = [as_operand(item) for item in x]
    others = (hasattr(y, "__array_function__") for y in items if not isinstance(y, np.ndarray))
    return np.stack(items) if any(others) else np.asarray(x)


def data_of(x: Any) -> Any:
    """Return the data of a Variable, and anything else as it is."""
    return x.data if isinstance(x, Variable) else x


def refuse_out(asked: str | Function, out: Any) -> None:
    """Raise a VariableTypeError for an array to write into; `asked` is, or has, the name."""
    if out is not None:
        name = asked if isinstance(asked, str) else _name_of(type(asked))
        raise VariableTypeError(
            f"np.{name} with a Variable takes no out=: an ndarray cannot hold the graph. Use "
            "what it returns.",
            got="out",
        )


def _name_of(cls: type[Function]) -> str:
    folder = cls.__module__.split(".")[-2]
    return f"{folder}." * (folder in ("linalg", "fft")) + cls.__name__.lower()


def refuse_overwriting(asked: Function, overwrite_input: bool) -> None:
    """Raise a VariableTypeError where NumPy would be allowed to write into the data."""
    if overwrite_input:
        raise VariableTypeError(
            f"np.{_name_of(type(asked))} with a Variable takes no overwrite_input=True: the "
            "gradient is computed from the input.",
            got="overwrite_input",
        )


def of_one_type(results: Iterable[Any]) -> tuple[Any, ...]:
    """Return results as Variables if one of them is, also those of the arrays beside it."""
    found = tuple(results)
    if any(isinstance(y, Variable) for y in found):
        return tuple([y if isinstance(y, Variable) else Variable(as_array(y)) for y in found])
    return found
