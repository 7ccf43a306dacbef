"""Axes moved to other places, the rest in the order they had."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..docstrings import documented
from .axes import fixed


class MoveAxis(Function):
    """The gradient's axes are moved back."""

    saves = ()

    def __init__(self, source: Any, destination: Any) -> None:
        self.source, self.destination = source, destination

    def forward(self, x: Array) -> Array:
        return np.moveaxis(x, self.source, self.destination)

    def backward(self, gy: Array) -> Array:
        return np.moveaxis(gy, self.destination, self.source)


@documented
def moveaxis(a: Operand, source: Any, destination: Any) -> Variable:
    """Move axes to other places: ``np.moveaxis``.

    source, destination (int or tuple of int): where they are, and where they are to be.
    Returns: a view of the data.
    Derivative: 1 for every element.
    Raises AxisError (ValueError, IndexError): if `a` has no such axis.
    Raises ValueError: if `source` and `destination` are not as many, or name an axis twice.

    >>> moveaxis(Variable(np.zeros((2, 3, 4))), 0, -1).shape
    (3, 4, 2)
    """
    return MoveAxis(fixed(source), fixed(destination))(a)


class RollAxis(Function):
    """The gradient's axis is moved back."""

    saves = ()

    def __init__(self, axis: int, start: int) -> None:
        self.axis, self.start = axis, start

    def forward(self, x: Array) -> Array:
        return np.rollaxis(x, self.axis, self.start)

    def backward(self, gy: Array) -> Array:
        axis = self.axis % gy.ndim
        start = self.start + gy.ndim if self.start < 0 else self.start
        # Counted before the axis was taken out.
        return np.moveaxis(gy, start - 1 if axis < start else start, axis)


@documented
def rollaxis(a: Array, axis: int, start: int = 0) -> Variable:
    """Move an axis in front of another: ``np.rollaxis``; `moveaxis` is easier to read.

    axis: the axis that is moved.
    start: the one that it will stand before; ``a.ndim`` for the end.
    Returns: a view of the data.
    Derivative: 1 for every element.

    >>> rollaxis(Variable(np.zeros((2, 3, 4))), 2).shape
    (4, 2, 3)
    """
    return RollAxis(axis, start)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a, b, empty = Draw((2, 3)), Draw((2, 3, 4)), Draw((0, 3, 2))
    calls: tuple[Call, ...] = Call(a, 0, 1), Call(b, 0, -1), Call(b, [0, 1], [-1, 0])
    calls += Call(empty, 0, 2), Call(b, (2, 0), destination=(0, 1)), Call(a, 1, 1)
    calls += Call(Draw(()), (), ()), Call(Draw((2, 1, 3, 2)), (-1, 0, 1), (1, 3, 0))
    sample = Sample(calls, complex=True)
    register("moveaxis", moveaxis, MoveAxis, numpy=np.moveaxis, sample=sample)
    calls = Call(b, 2), Call(b, 0, 3), Call(b, 1, start=-1), Call(b, -3, 2), Call(b, 1, 1)
    calls += Call(b, 2, 1), Call(a, 0, -2), Call(empty, 1, 3), Call(Draw((3,)), 0)
    sample = Sample(calls, complex=True)
    register("rollaxis", rollaxis, RollAxis, numpy=np.rollaxis, sample=sample)
