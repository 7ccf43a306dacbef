"""Several arrays made one along an axis."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import Array, Operand

from ..arguments import as_operand, refuse_out
from ..declaring import Call, Draw, LinearMap, applying
from ..docstrings import sharing
from .splitting import Unstack, several, unstack

documented = sharing(
    """
    arrays, tup (sequence of Variable or array_like):
    dtype (data-type, optional): of the result.
    casting (str): which casts to it are allowed, as in NumPy.
    Derivative: 1 for every element.
    Raises ValueError: if the shapes do not fit, or there is no array.
    """
)

_A, _B, _C, _ROW, _EMPTY = Draw((2, 3)), Draw((1, 3)), Draw((2, 1)), Draw((3,)), Draw((0, 3))
_POINT, _DEEP = Draw(), Draw((2, 3, 2))
_SHORT = Draw((2,))


class Concatenate(LinearMap):
    """Each array gets the part of the gradient that stands where it went."""

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


class Cut(LinearMap):
    """Cuts at positions that go up: takes the gradient of joined arrays apart."""

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


@applying(
    Concatenate,
    *(Call([_A, _B]), Call([_A, _C, _A], 1), Call((_A, _C), axis=-1)),
    *(Call([_A, _B, _ROW, Draw()], None), Call([_A]), Call([_A, np.ones((2, 3))], -2)),
    *(Call([_EMPTY, _B, _EMPTY]), Call([_ROW, _ROW])),
    *(Call([_A, _B], dtype=complex, casting="safe"), Call((_ROW,), axis=None)),
    Call([Draw((2, 1, 2)), Draw((2, 3, 2))], 1),
)
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

    arrays: of the same shape but for `axis`. A Variable stands for those along its first axis.
    axis: None joins their elements along one axis.
    Raises AxisError (ValueError, IndexError): if the arrays have no such axis.
    Raises TypeError: if the arrays cannot be cast to `dtype` under `casting`.

    >>> x, y = Variable(np.array([1.0, 2.0])), Variable(np.array([3.0]))
    >>> concatenate([x, y])
    variable([1. 2. 3.])
    """
    refuse_out("concatenate", out)
    return Concatenate(axis, dtype, casting)(*operands_in(arrays))


class Stack(Concatenate):
    """Each array gets the part of the gradient that stands where it went."""

    axis: int

    def forward(self, *xs: Array) -> Array:
        return np.stack(xs, self.axis, dtype=self.dtype, casting=self.casting)

    def backward(self, gy: Array) -> tuple[Array, ...]:
        return several(Unstack(self.axis).of(gy))


@applying(
    Stack,
    *(Call([_A, _A]), Call((_A, _A, _A), 1), Call([_A, _A], axis=-1), Call([_A])),
    *(Call([_ROW, _ROW], -2), Call([Draw(), Draw()]), Call([Draw()]), Call([_EMPTY, _EMPTY], 1)),
    *(Call([Draw(), 2.0]), Call([_ROW, np.ones(3)]), Call([_A, _A], dtype=complex, casting="safe")),
)
def stack(
    arrays: Any, axis: int = 0, out: None = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> Variable:
    """Join along a new axis: ``np.stack``.

    arrays: of the same shape. A Variable stands for those along its first axis.
    axis: where the new axis stands in the result.
    Raises AxisError (ValueError, IndexError): if the result has no such axis.
    Raises ValueError: if the shapes differ, or there is no array.
    Raises TypeError: if the arrays cannot be cast to `dtype` under `casting`.

    >>> x, y = Variable(np.array([1.0, 2.0])), Variable(np.array([3.0, 4.0]))
    >>> stack([x, y], axis=1)
    variable([[1. 3.]
              [2. 4.]])
    """
    refuse_out("stack", out)
    return Stack(axis, dtype, casting)(*operands_in(arrays))


def operands_in(arrays: Any) -> Iterable[Operand]:
    """Return the operands in a sequence, which may be a Variable."""
    return unstack(arrays) if isinstance(arrays, Variable) else map(as_operand, arrays)


class Stacked(LinearMap):
    """Each array gets the part of the gradient that stands where it went."""

    function: Any
    axis: int
    #: With fewer axes than this an array was given one more, of length 1, to be joined along.
    least: int

    def __init__(self, **options: Any) -> None:
        self.options = options

    def forward(self, *xs: Array) -> Array:
        self.shapes = [np.shape(x) for x in xs]
        return self.function(xs, **self.options)

    def backward(self, gy: Array) -> tuple[Array, ...]:
        axis, least = self.axis, self.least
        lengths = [shape[axis] if len(shape) >= least else 1 for shape in self.shapes]
        parts = several(Cut(lengths, axis).of(gy))
        return tuple([p.reshape(shape) for p, shape in zip(parts, self.shapes, strict=True)])


class VStack(Stacked):
    """Each array gets the rows of the gradient that it became."""

    function: Any = staticmethod(np.vstack)
    axis, least = 0, 2


@applying(
    VStack,
    *(Call([_A, _B, _ROW]), Call((_ROW, _ROW)), Call([_POINT, _POINT, 2.0]), Call([_A])),
    *(Call([_DEEP, Draw((1, 3, 2))]), Call([_EMPTY, _B]), Call([_A, np.ones((2, 3))])),
    Call([_A, _B], dtype=complex, casting="safe"),
)
def vstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Variable:
    """Put rows below each other: ``np.vstack``.

    tup: of the same shape but for the first axis; those of one axis are rows.

    >>> vstack([Variable(np.array([1.0, 2.0])), np.array([3.0, 4.0])])
    variable([[1. 2.]
              [3. 4.]])
    """
    return VStack(dtype=dtype, casting=casting)(*operands_in(tup))


class HStack(Stacked):
    """Each array gets the columns of the gradient that it became."""

    function: Any = staticmethod(np.hstack)
    least = 1

    def forward(self, *xs: Array) -> Array:
        self.axis = 0 if xs and np.ndim(xs[0]) < 2 else 1
        return super().forward(*xs)


@applying(
    HStack,
    *(Call([_A, _C]), Call((_ROW, _SHORT, _POINT)), Call([_POINT, _ROW]), Call([_POINT, 2.0])),
    *(Call([_DEEP, Draw((2, 1, 2))]), Call([_EMPTY, _EMPTY]), Call([_ROW]), Call([_A, _A, _C])),
    Call([_ROW, _SHORT], dtype=complex, casting="safe"),
)
def hstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Variable:
    """Put columns, or numbers, beside each other: ``np.hstack``.

    tup: of the same shape but for the second axis, or the only one.

    >>> hstack([Variable(np.array([1.0, 2.0])), 3.0])
    variable([1. 2. 3.])
    """
    return HStack(dtype=dtype, casting=casting)(*operands_in(tup))


class DStack(Stacked):
    """Each array gets the part of the gradient that it became."""

    function: Any = staticmethod(np.dstack)
    axis, least = 2, 3


@applying(
    DStack,
    *(Call([_A, _A]), Call((_ROW, _B)), Call([_POINT, 2.0, _POINT]), Call([_DEEP, _A]), Call([_A])),
    *(Call([_DEEP, Draw((2, 3, 0))]), Call([_EMPTY, _EMPTY])),
)
def dstack(tup: Any) -> Variable:
    """Join along the third axis: ``np.dstack``.

    tup: of the same shape but for the third axis; made to have three as by `atleast_3d`.

    >>> dstack([Variable(np.array([1.0, 2.0])), np.array([3.0, 4.0])])
    variable([[[1. 3.]
               [2. 4.]]])
    """
    return DStack()(*operands_in(tup))


class ColumnStack(Stacked):
    """Each array gets the columns of the gradient that it became."""

    function: Any = staticmethod(np.column_stack)
    axis, least = 1, 2


@applying(
    ColumnStack,
    *(Call([_ROW, _ROW]), Call((_C, _A, _SHORT)), Call([_POINT, 2.0]), Call([_A])),
    *(Call([_DEEP, Draw((2, 1, 2))]), Call([Draw((0,)), Draw((0, 2))])),
)
def column_stack(tup: Any) -> Variable:
    """Put columns beside each other: ``np.column_stack``.

    tup: of the same shape but for the second axis; those of one axis are columns.

    >>> column_stack([Variable(np.array([1.0, 2.0])), np.array([3.0, 4.0])])
    variable([[1. 3.]
              [2. 4.]])
    """
    return ColumnStack()(*operands_in(tup))
