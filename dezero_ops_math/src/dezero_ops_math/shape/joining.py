"""Several arrays made one along an axis."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import as_operand, refuse_out
from ..docstrings import sharing
from .splitting import Unstack, several, unstack

documented = sharing(
    """
    dtype (data-type, optional): of the result.
    casting (str): which casts to it are allowed, as in NumPy.
    """
)


class Concatenate(Function):
    """Each array gets the part of the gradient that stands where it went."""

    saves = ()

    def __init__(self, axis: int | None, dtype: Any = None, casting: Any = "same_kind") -> None:
        self.axis, self.dtype, self.casting = axis, dtype, casting

    def forward(self, *xs: Array) -> Array:
        self.shapes = [np.shape(x) for x in xs]
        return np.concatenate(xs, self.axis, dtype=self.dtype, casting=self.casting)

    def backward(self, gy: Array) -> tuple[Array, ...]:
        axis = self.axis
        if axis is None:
            parts = several(Cut([math.prod(shape) for shape in self.shapes], 0).of(gy))
            return tuple([p.reshape(shape) for p, shape in zip(parts, self.shapes, strict=True)])
        return several(Cut([shape[axis] for shape in self.shapes], axis).of(gy))


class Cut(Function):
    """Cuts at positions that go up: takes the gradient of joined arrays apart."""

    saves = ()

    def __init__(self, lengths: list[int], axis: int) -> None:
        self.lengths, self.axis = lengths, axis

    def forward(self, x: Array) -> Array:
        before = (slice(None),) * (self.axis % x.ndim)
        end, parts = 0, []
        for length in self.lengths:
            start, end = end, end + length
            parts.append(x[(*before, slice(start, end))])
        return tuple(parts)

    def backward(self, *gys: Array) -> Array:
        return np.concatenate(gys, self.axis)


@documented
def concatenate(
    arrays: Any,
    /,
    axis: int | None = 0,
    out: None = None,
    *,
    dtype: Any = None,
    casting: Any = "same_kind",
) -> Variable:
    """Join along an axis that is there: ``np.concatenate``, ``np.concat``.

    arrays (sequence of Variable or array_like): of the same shape but for `axis`. A Variable
        stands for those along its first axis.
    axis: None joins their elements along one axis.
    Derivative: 1 for every element.
    Raises AxisError (ValueError, IndexError): if the arrays have no such axis.
    Raises ValueError: if the shapes do not fit, or there is no array.
    Raises TypeError: if the arrays cannot be cast to `dtype` under `casting`.

    >>> x, y = Variable(np.array([1.0, 2.0])), Variable(np.array([3.0]))
    >>> concatenate([x, y])
    variable([1. 2. 3.])
    """
    refuse_out("concatenate", out)
    return Concatenate(axis, dtype, casting)(*listed(arrays))


class Stack(Function):
    """Each array gets the part of the gradient that stands where it went."""

    saves = ()

    def __init__(self, axis: int, dtype: Any, casting: Any) -> None:
        self.axis, self.dtype, self.casting = axis, dtype, casting

    def forward(self, *xs: Array) -> Array:
        return np.stack(xs, self.axis, dtype=self.dtype, casting=self.casting)

    def backward(self, gy: Array) -> tuple[Array, ...]:
        return several(Unstack(self.axis).of(gy))


@documented
def stack(
    arrays: Any, axis: int = 0, out: None = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> Variable:
    """Join along a new axis: ``np.stack``.

    arrays (sequence of Variable or array_like): of the same shape. A Variable stands for those
        along its first axis.
    axis: where the new axis stands in the result.
    Derivative: 1 for every element.
    Raises AxisError (ValueError, IndexError): if the result has no such axis.
    Raises ValueError: if the shapes differ, or there is no array.
    Raises TypeError: if the arrays cannot be cast to `dtype` under `casting`.

    >>> x, y = Variable(np.array([1.0, 2.0])), Variable(np.array([3.0, 4.0]))
    >>> stack([x, y], axis=1)
    variable([[1. 3.]
              [2. 4.]])
    """
    refuse_out("stack", out)
    return Stack(axis, dtype, casting)(*listed(arrays))


def listed(arrays: Any) -> Iterable[Operand]:
    """Return the operands in a sequence, which may be a Variable."""
    return unstack(arrays) if isinstance(arrays, Variable) else map(as_operand, arrays)


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

    tup (sequence of Variable or array_like): of the same shape but for the first axis; those
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

    tup (sequence of Variable or array_like): of the same shape but for the second axis, or the
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

    tup (sequence of Variable or array_like): of the same shape but for the third axis; made to
        have three as by `atleast_3d`.
    Derivative: 1 for every element.
    Raises ValueError: if the shapes do not fit, or there is no array.

    >>> dstack([Variable(np.array([1.0, 2.0])), np.array([3.0, 4.0])])
    variable([[[1. 3.]
               [2. 4.]]])
    """
    return DStack()(*listed(tup))


class ColumnStack(Stacked):
    """Each array gets the columns of the gradient that it became."""

    axis, least = 1, 2

    def forward(self, *xs: Array) -> Array:
        self.note(xs)
        return np.column_stack(xs)


@documented
def column_stack(tup: Any) -> Variable:
    """Put columns beside each other: ``np.column_stack``.

    tup (sequence of Variable or array_like): of the same shape but for the second axis; those
        of one axis are columns.
    Derivative: 1 for every element.
    Raises ValueError: if the shapes do not fit, or there is no array.

    >>> column_stack([Variable(np.array([1.0, 2.0])), np.array([3.0, 4.0])])
    variable([[1. 3.]
              [2. 4.]])
    """
    return ColumnStack()(*listed(tup))


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a, b, c, row, empty = Draw((2, 3)), Draw((1, 3)), Draw((2, 1)), Draw((3,)), Draw((0, 3))
    calls: tuple[Call, ...] = Call([a, b]), Call([a, c, a], 1), Call((a, c), axis=-1)
    calls += Call([a, b, row, Draw()], None), Call([a]), Call([a, np.ones((2, 3))], -2)
    calls += Call([empty, b, empty]), Call([row, row]), Call([a, b], dtype=complex, casting="safe")
    calls += Call((row,), axis=None), Call([Draw((2, 1, 2)), Draw((2, 3, 2))], 1)
    sample = Sample(calls, complex=True)
    register("concatenate", concatenate, Concatenate, numpy=np.concatenate, sample=sample)
    calls = Call([a, a]), Call((a, a, a), 1), Call([a, a], axis=-1), Call([a]), Call([row, row], -2)
    calls += Call([Draw(), Draw()]), Call([Draw()]), Call([empty, empty], 1), Call([Draw(), 2.0])
    calls += Call([row, np.ones(3)]), Call([a, a], dtype=complex, casting="safe")
    register("stack", stack, Stack, numpy=np.stack, sample=Sample(calls, complex=True))

    a, b, row, point, deep = Draw((2, 3)), Draw((1, 3)), Draw((3,)), Draw(), Draw((2, 3, 2))
    short, thin, empty = Draw((2,)), Draw((2, 1)), Draw((0, 3))
    calls = Call([a, b, row]), Call((row, row)), Call([point, point, 2.0])
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
    calls = Call([row, row]), Call((thin, a, short)), Call([point, 2.0]), Call([a])
    calls += Call([deep, Draw((2, 1, 2))]), Call([Draw((0,)), Draw((0, 2))])
    sample = Sample(calls, complex=True)
    register("column_stack", column_stack, ColumnStack, numpy=np.column_stack, sample=sample)
