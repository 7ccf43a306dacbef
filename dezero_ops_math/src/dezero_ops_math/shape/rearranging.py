"""The same elements in other places."""

from __future__ import annotations

from typing import Any

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


class Roll(Function):
    """The gradient is moved back."""

    saves = ()

    def __init__(self, shift: Any, axis: Axis) -> None:
        self.shift, self.axis = shift, axis

    def forward(self, x: Array) -> Array:
        return np.roll(x, self.shift, self.axis)

    def backward(self, gy: Array) -> Array:
        # As Python's integers: an unsigned one has no negative, and NumPy cuts off fractions.
        back = [-int(shift) for shift in np.ravel(self.shift)]
        return np.roll(gy, back, self.axis)


@documented
def roll(a: Operand, shift: Any, axis: Axis = None) -> Variable:
    """Move elements on; those beyond the end come in at the beginning: ``np.roll``.

    shift (int or tuple of int): by how many positions; several for several axes.
    axis: with None, all elements move as if they were along one axis.
    Returns: shape of `a`.
    Derivative: 1 for every element.
    Raises ValueError: if `shift` and `axis` are not as many.
    Raises VariableTypeError (TypeError): if `shift` is a Variable: numbers of positions have no
        derivative.

    >>> roll(Variable(np.array([1.0, 2.0, 3.0])), 1)
    variable([3. 1. 2.])
    """
    return Roll(fixed(shift), fixed(axis))(a)


class Rot90(Function):
    """The gradient is turned back."""

    saves = ()

    def __init__(self, k: int, axes: Any) -> None:
        self.k, self.axes = k, axes

    def forward(self, x: Array) -> Array:
        return np.rot90(x, self.k, self.axes)

    def backward(self, gy: Array) -> Array:
        return np.rot90(gy, 4 - self.k % 4, self.axes)


@documented
def rot90(m: Array, k: int = 1, axes: Any = (0, 1)) -> Variable:
    """Turn by right angles: ``np.rot90``.

    k: by how many; negative for the other way round.
    axes (tuple of int): the plane; turned from the first axis to the second.
    Returns: a view of the data.
    Derivative: 1 for every element.
    Raises ValueError: if `axes` are not two different axes of `m`.

    >>> rot90(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([[2. 4.]
              [1. 3.]])
    """
    return Rot90(k, fixed(axes))(m)


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

    a, deep, row, empty = Draw((2, 3)), Draw((2, 3, 4)), Draw((5,)), Draw((0, 2))
    calls = Call(row, 2), Call(row, -7), Call(a, 1), Call(a, 1, 0)
    calls += Call(a, shift=-1, axis=-1), Call(deep, (1, 2), (0, 2)), Call(deep, 2, (1, -1))
    calls += Call(deep, [1, -3], 2), Call(deep, (1, 1), axis=(1, 1)), Call(row, (1, 2))
    calls += Call(row, np.uint8(2)), Call(a, 0), Call(Draw(), 3), Call(empty, 1)
    calls += Call(empty, 1, 1), Call(row, np.array([3]), 0)
    register("roll", roll, Roll, numpy=np.roll, sample=Sample(calls, complex=True))
    calls = Call(a), Call(a, 2), Call(a, k=3), Call(a, 4), Call(a, -1), Call(a, 0), Call(a, -6)
    calls += Call(deep, 1, (1, 2)), Call(deep, 3, axes=[-1, 0]), Call(empty), Call(a, np.uint8(1))
    register("rot90", rot90, Rot90, numpy=np.rot90, sample=Sample(calls, complex=True))
