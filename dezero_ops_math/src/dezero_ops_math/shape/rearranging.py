"""The same shape with the elements in other places, or turned by right angles."""

from __future__ import annotations

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import Axis
from ..docstrings import documented
from .axes import fixed


class Flip(Function):
    """Reversed once more, the elements are in order."""

    saves = ()

    def __init__(self, axis: Axis) -> None:
        self.axis = axis

    def forward(self, x: Array) -> Array:
        return np.flip(x, self.axis)

    def backward(self, gy: Array) -> Array:
        return np.flip(gy, self.axis)


@documented
def flip(m: Operand, axis: Axis = None) -> Variable:
    """Reverse the order along axes: ``np.flip``.

    axis: the axes to reverse; all by default.
    Returns: a view of the data.
    Derivative: 1 for every element.

    >>> flip(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), axis=0)
    variable([[3. 4.]
              [1. 2.]])
    """
    return Flip(fixed(axis))(m)


class FlipLR(Function):
    """Reversed once more, the columns are in order."""

    saves = ()

    def forward(self, x: Array) -> Array:
        return np.fliplr(x)

    def backward(self, gy: Array) -> Array:
        return np.flip(gy, 1)


@documented
def fliplr(m: Array) -> Variable:
    """Reverse the order along the second axis: ``np.fliplr``.

    Returns: a view of the data.
    Derivative: 1 for every element.
    Raises ValueError: if `m` has fewer than two axes.

    >>> fliplr(Variable(np.array([[1.0, 2.0]])))
    variable([[2. 1.]])
    """
    return FlipLR()(m)


class FlipUD(Function):
    """Reversed once more, the rows are in order."""

    saves = ()

    def forward(self, x: Array) -> Array:
        return np.flipud(x)

    def backward(self, gy: Array) -> Array:
        return np.flip(gy, 0)


@documented
def flipud(m: Array) -> Variable:
    """Reverse the order along the first axis: ``np.flipud``.

    Returns: a view of the data.
    Derivative: 1 for every element.
    Raises ValueError: if `m` has no axis.

    >>> flipud(Variable(np.array([1.0, 2.0])))
    variable([2. 1.])
    """
    return FlipUD()(m)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a, deep, row, empty = Draw((2, 3)), Draw((2, 3, 2)), Draw((3,)), Draw((0, 2))
    calls: tuple[Call, ...] = Call(a), Call(a, 0), Call(deep, axis=(0, -1)), Call(deep, [2])
    calls += Call(row, -1), Call(Draw()), Call(empty, 1), Call(a, ()), Call(deep, None)
    register("flip", flip, Flip, numpy=np.flip, sample=Sample(calls, complex=True))
    calls = Call(a), Call(deep), Call(empty), Call(Draw((1, 1)))
    register("fliplr", fliplr, FlipLR, numpy=np.fliplr, sample=Sample(calls, complex=True))
    sample = Sample((*calls, Call(row)), complex=True)
    register("flipud", flipud, FlipUD, numpy=np.flipud, sample=sample)
