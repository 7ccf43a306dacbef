"""Arguments and results that several families share: shapes of axes, refusals, types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from dezero_core import Variable, VariableTypeError, as_array
from dezero_core.extend import Operand

Axis = int | tuple[int, ...] | None


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


def refuse_out(name: str, out: Any) -> None:
    """Raise for an array to write into, where NumPy's signature has one.

    Raises
    ------
    VariableTypeError (TypeError)
        If `out` is not None.
    """
    if out is not None:
        raise VariableTypeError(
            f"np.{name} with a Variable takes no out=: an ndarray cannot hold the graph. Use "
            "what it returns.",
            got="out",
        )


def refuse_overwriting(name: str, overwrite_input: bool) -> None:
    """Raise where NumPy would be allowed to write into the data.

    Raises
    ------
    VariableTypeError (TypeError)
        If `overwrite_input` is true.
    """
    if overwrite_input:
        raise VariableTypeError(
            f"np.{name} with a Variable takes no overwrite_input=True: the gradient is computed "
            "from the input.",
            got="overwrite_input",
        )


def of_one_type(results: Iterable[Any]) -> tuple[Any, ...]:
    """Return results as Variables if one of them is, also those of the arrays beside it."""
    found = tuple(results)
    if any(isinstance(y, Variable) for y in found):
        return tuple([y if isinstance(y, Variable) else Variable(as_array(y)) for y in found])
    return found
