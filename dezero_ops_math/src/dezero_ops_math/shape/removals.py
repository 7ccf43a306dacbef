"""Arrays without some of their elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..docstrings import documented
from .positions import Picked, fixed


class Delete(Picked):
    """Picks what is left."""

    def __init__(self, obj: Any, axis: int | None) -> None:
        self.obj, self.axis = obj, axis

    def pick(self, x: Array) -> Array:
        return np.delete(x, self.obj, self.axis)


@documented
def delete(arr: Array, obj: Any, axis: int | None = None) -> Variable:
    """An array without some elements or rows: ``np.delete``.

    obj (int, slice, sequence of int, ndarray of int or bool): the positions that are left out;
        copied.
    axis: along which to leave them out; by default `arr` is flattened.
    Returns: dtype of `arr`.
    Derivative: 1 for what is left, 0 for the rest.
    Raises IndexError: if a position is out of range, or no integer.

    >>> delete(Variable(np.array([1.0, 2.0, 3.0])), 1)
    variable([1. 3.])
    """
    return Delete(fixed(obj), axis)(arr)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""
    a, b, line = Draw((2, 3)), Draw((2, 3, 4)), Draw((3,))
    calls = (
        Call(line, 1),
        Call(line, [0, -1]),
        Call(line, slice(None, None, 2)),
        Call(line, []),
        Call(line, np.array([True, False, True])),
        Call(a, 4),
        Call(a, 1, 0),
        Call(a, [0, 2, 2], axis=1),
        Call(b, slice(1, 3), axis=-2),
        Call(Draw((1,)), 0),
        Call(Draw((0, 3)), [1], axis=1),
    )
    register("delete", delete, Delete, numpy=np.delete, sample=Sample(calls, complex=True))
