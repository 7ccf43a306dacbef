"""Axes of length 1, put in and taken away."""

from __future__ import annotations

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import Axis
from ..docstrings import documented


class Squeeze(Function):
    """The gradient is given the input's shape again."""

    saves = ()

    def __init__(self, axis: Axis) -> None:
        self.axis = axis

    def forward(self, x: Array) -> Array:
        self.from_shape = np.shape(x)
        return np.squeeze(x, self.axis)

    def backward(self, gy: Array) -> Array:
        return gy.reshape(self.from_shape)


@documented
def squeeze(a: Operand, axis: Axis = None) -> Variable:
    """Take away axes of length 1: ``np.squeeze``, ``a.squeeze()``.

    axis: which of them; all by default.
    Returns: a view of the data.
    Derivative: 1 for every element.
    Raises ValueError: if an axis that is named is not of length 1.

    >>> squeeze(Variable(np.array([[1.0, 2.0]])))
    variable([1. 2.])
    """
    return Squeeze(axis)(a)


class ExpandDims(Squeeze):
    """The gradient is given the input's shape again."""

    def forward(self, x: Array) -> Array:
        self.from_shape = np.shape(x)
        return np.expand_dims(x, self.axis)  # type: ignore[arg-type]  # None is NumPy's to refuse


@documented
def expand_dims(a: Operand, axis: Axis) -> Variable:
    """Put in axes of length 1: ``np.expand_dims``.

    axis (int or tuple of int): the places of the new axes in the result.
    Returns: a view of the data.
    Derivative: 1 for every element.
    Raises AxisError (ValueError, IndexError): if the result has no such axis.

    >>> expand_dims(Variable(np.array([1.0, 2.0])), 0)
    variable([[1. 2.]])
    """
    return ExpandDims(axis)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a = Draw((1, 3, 1))
    calls: tuple[Call, ...] = Call(a), Call(a, 0), Call(a, axis=-1), Call(a, axis=(0, 2))
    calls += Call(Draw((1,))), Call(Draw()), Call(Draw((2, 3))), Call(a, None)
    calls += Call(a, ()), Call(Draw((0, 1)), 1)
    sample = Sample(calls, complex=True)
    register("squeeze", squeeze, Squeeze, methods="squeeze", numpy=np.squeeze, sample=sample)
    a = Draw((2, 3))
    calls = Call(a, 0), Call(a, -1), Call(a, axis=1), Call(a, axis=(0, -1)), Call(a, (1, 3))
    calls += Call(Draw(), 0), Call(Draw((0, 2)), 1), Call(a, ())
    sample = Sample(calls, complex=True)
    register("expand_dims", expand_dims, ExpandDims, numpy=np.expand_dims, sample=sample)
