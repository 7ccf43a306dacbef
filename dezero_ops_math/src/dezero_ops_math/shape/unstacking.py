"""One array taken apart along an axis, which goes away."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..docstrings import documented


class Unstack(Function):
    """The gradients are stacked."""

    saves = ()

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def forward(self, x: Array) -> Array:
        if np.ndim(x) == 0:
            raise ValueError("Input array must be at least 1-d.")  # as np.unstack, since NumPy 2.1
        return tuple(np.moveaxis(x, self.axis, 0))

    def backward(self, *gys: Array) -> Array:
        return np.stack(gys, self.axis)


@documented
def unstack(x: Array, /, *, axis: int = 0) -> tuple[Variable, ...]:
    """Take apart along an axis that goes away: ``np.unstack``.

    Returns (tuple of Variable): views of the data; of a single axis, its numbers.
    Derivative: 1 for every element.

    >>> unstack(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), axis=1)
    (variable([1. 3.]), variable([2. 4.]))
    """
    shape = np.shape(x)
    if 0 in shape and 0 in np.moveaxis(np.empty(shape), axis, 0).shape[:1]:
        return ()  # which a Function cannot return
    return several(Unstack(axis)(x))


def several(found: Any) -> tuple[Any, ...]:
    """Return what a Function with any number of outputs has returned as a tuple."""
    return tuple(found) if isinstance(found, list | tuple) else (found,)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""
    a, row, empty = Draw((4, 3)), Draw((5,)), Draw((0, 2))
    calls: tuple[Call, ...] = Call(a), Call(a, axis=1), Call(Draw((2, 3, 2)), axis=-2), Call(row)
    calls += Call(empty), Call(empty, axis=1), Call(Draw((1, 2))), Call(Draw((1,)))
    sample = Sample(calls, complex=True)
    of_numpy = getattr(np, "unstack", ())  # since NumPy 2.1
    register("unstack", unstack, Unstack, numpy=of_numpy, sample=sample)
