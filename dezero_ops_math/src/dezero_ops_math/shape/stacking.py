"""Several arrays made one, below each other, beside each other or in depth."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..docstrings import sharing
from .joining import Cut, listed
from .unstacking import several

documented = sharing(
    """
    dtype (data-type, optional): of the result.
    casting (str): which casts to it are allowed, as in NumPy.
    """
)


class Stacked(Function):
    """Each array gets the part of the gradient that stands where it went."""

    saves = ()
    axis: int
    #: With fewer axes than this an array was given one more, of length 1, to be joined along.
    least: int

    def __init__(self, **options: Any) -> None:
        self.options = options

    def backward(self, gy: Array) -> tuple[Array, ...]:
        axis, least = self.axis, self.least
        lengths = [shape[axis] if len(shape) >= least else 1 for shape in self.shapes]
        parts = several(Cut(lengths, axis).of(gy))
        return tuple([p.reshape(shape) for p, shape in zip(parts, self.shapes, strict=True)])

    def note(self, xs: tuple[Array, ...]) -> None:
        """Keep the shapes, for `backward`."""
        self.shapes = [np.shape(x) for x in xs]


class VStack(Stacked):
    """Each array gets the rows of the gradient that it became."""

    axis, least = 0, 2

    def forward(self, *xs: Array) -> Array:
        self.note(xs)
        return np.vstack(xs, **self.options)


@documented
def vstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Variable:
    """Put rows below each other: ``np.vstack``.

    tup (sequence of Variable, ndarray or number): of the same shape but for the first axis; those
        of one axis are rows.
    Derivative: 1 for every element.
    Raises ValueError: if the shapes do not fit, or there is no array.

    >>> vstack([Variable(np.array([1.0, 2.0])), np.array([3.0, 4.0])])
    variable([[1. 2.]
              [3. 4.]])
    """
    return VStack(dtype=dtype, casting=casting)(*listed(tup))


class HStack(Stacked):
    """Each array gets the columns of the gradient that it became."""

    least = 1

    def forward(self, *xs: Array) -> Array:
        self.note(xs)
        self.axis = 0 if xs and np.ndim(xs[0]) < 2 else 1
        return np.hstack(xs, **self.options)


@documented
def hstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Variable:
    """Put columns, or numbers, beside each other: ``np.hstack``.

    tup (sequence of Variable, ndarray or number): of the same shape but for the second axis, or the
        only one.
    Derivative: 1 for every element.
    Raises ValueError: if the shapes do not fit, or there is no array.

    >>> hstack([Variable(np.array([1.0, 2.0])), 3.0])
    variable([1. 2. 3.])
    """
    return HStack(dtype=dtype, casting=casting)(*listed(tup))


class DStack(Stacked):
    """Each array gets the part of the gradient that it became."""

    axis, least = 2, 3

    def forward(self, *xs: Array) -> Array:
        self.note(xs)
        return np.dstack(xs)


@documented
def dstack(tup: Any) -> Variable:
    """Join along the third axis: ``np.dstack``.

    tup (sequence of Variable, ndarray or number): of the same shape but for the third axis; made to
        have three as by `atleast_3d`.
    Derivative: 1 for every element.
    Raises ValueError: if the shapes do not fit, or there is no array.

    >>> dstack([Variable(np.array([1.0, 2.0])), np.array([3.0, 4.0])])
    variable([[[1. 3.]
               [2. 4.]]])
    """
    return DStack()(*listed(tup))


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a, b, row, point, deep = Draw((2, 3)), Draw((1, 3)), Draw((3,)), Draw(), Draw((2, 3, 2))
    short, thin, empty = Draw((2,)), Draw((2, 1)), Draw((0, 3))
    calls: tuple[Call, ...] = Call([a, b, row]), Call((row, row)), Call([point, point, 2.0])
    calls += Call([a]), Call([deep, Draw((1, 3, 2))]), Call([empty, b])
    calls += Call([a, np.ones((2, 3))]), Call([a, b], dtype=complex, casting="safe")
    register("vstack", vstack, VStack, numpy=np.vstack, sample=Sample(calls, complex=True))
    calls = Call([a, thin]), Call((row, short, point)), Call([point, row]), Call([point, 2.0])
    calls += Call([deep, Draw((2, 1, 2))]), Call([empty, empty]), Call([row])
    calls += Call([a, a, thin]), Call([row, short], dtype=complex, casting="safe")
    register("hstack", hstack, HStack, numpy=np.hstack, sample=Sample(calls, complex=True))
    calls = Call([a, a]), Call((row, b)), Call([point, 2.0, point]), Call([deep, a]), Call([a])
    calls += Call([deep, Draw((2, 3, 0))]), Call([empty, empty])
    register("dstack", dstack, DStack, numpy=np.dstack, sample=Sample(calls, complex=True))
