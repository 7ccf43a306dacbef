"""Products that sum over axes: of vectors, of matrices, over any axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dezero_core import Function
from dezero_core.extend import Array, Operand

from ..arguments import refuse_out
from ..declaring import Call, Draw, operation
from ..gradients import conjugated, summed_to

Axes = Any


class TensorDot(Function):
    """Sum over any axes of a product: ``np.tensordot``.

    a, b: of any shapes.
    axes (int, or two of int or sequence of int): how many of the last axes of `a` and the first of
        `b` are summed over; or which axes of `a`, and which of `b`.
    Returns: the other axes of `a`, then those of `b`.
    Derivative: the gradient times the other operand, summed over what that operand alone has.
    Raises ValueError: if `axes` repeats one, or lengths differ.

    >>> tensordot(Variable(np.ones((2, 3))), np.ones((3, 2)), axes=([0, 1], [1, 0]))
    variable(6.0)
    """

    saves: tuple[str, ...] = ("other inputs",)
    multilinear = True

    def __init__(self, axes: Axes = 2) -> None:
        self.axes = axes

    def forward(self, a: Operand, b: Operand) -> Array:
        y = np.tensordot(a, b, self.axes)
        self.summed = _summed_axes(self.axes, np.ndim(a), np.ndim(b))
        return y

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        # Each gradient is gy times the other operand, summed over what that one alone has.
        a, b = self.inputs
        of_a, of_b = self.needs_grad
        axes_a, axes_b = self.summed
        free_a = [axis for axis in range(len(a.shape)) if axis not in axes_a]
        free_b = [axis for axis in range(len(b.shape)) if axis not in axes_b]
        # gy has the free axes of a, and after them those of b.
        of_gy = range(len(free_a)), range(len(free_a), len(free_a) + len(free_b))
        ga = gb = None
        if of_a:
            ga = np.tensordot(gy, b.data, (of_gy[1], free_b))
            ga = _in_order(ga, free_a + [axes_a[i] for i in _argsort(axes_b)])
        if of_b:
            gb = np.tensordot(gy, a.data, (of_gy[0], free_a))
            gb = _in_order(gb, free_b + [axes_b[i] for i in _argsort(axes_a)])
        return ga, gb


class Dot(TensorDot):
    """Product of vectors, matrices, or more axes: ``np.dot``, ``a.dot(b)``.

    a, b: the last axis of `a` and the last but one of `b`, or its only one, are of the same length,
        and summed over. Numbers multiply.
    Returns: the other axes of `a`, then those of `b`.
    Derivative, of matrices: ``gy @ b.T`` and ``a.T @ gy``.
    Raises ValueError: if the lengths differ.
    Source: ``numpy.dot``; Giles 2008, section 2.2.

    >>> x, w = Variable(np.array([1.0, 2.0])), Variable(np.array([3.0, 4.0]))
    >>> y = dot(x, w)
    >>> y.backward()
    >>> y, x.grad
    (variable(11.0), array([3., 4.]))
    """

    def __init__(self, out: None = None) -> None:
        refuse_out(self, out)

    def forward(self, a: Operand, b: Operand) -> Array:
        y = np.dot(a, b)
        self.summed = (np.ndim(a) - 1,), (max(np.ndim(b) - 2, 0),)
        return y

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, b = self.inputs
        of_a, of_b = self.needs_grad
        if not a.shape or not b.shape or len(a.shape) == len(b.shape) == 1:
            return gy * b.data if of_a else None, gy * a.data if of_b else None
        if len(b.shape) > 2:
            return super().backward(gy)
        # NumPy reads a vector as one row on the left, as one column on the right.
        n, rows, columns = b.shape[0], math.prod(a.shape[:-1]), math.prod(b.shape[1:])
        gy = gy.reshape((rows, columns))
        return (
            np.dot(gy, b.data.reshape((n, columns)).T).reshape(a.shape) if of_a else None,
            np.dot(a.data.reshape((rows, n)).T, gy).reshape(b.shape) if of_b else None,
        )


class Inner(Function):
    """Sum over the last axis of both: ``np.inner``.

    a, b: with last axes of the same length. Numbers multiply.
    Returns: the other axes of `a`, then those of `b`. Nothing is conjugated; see `vdot`.
    Derivative, of vectors: `b` and `a`.
    Raises ValueError: if the lengths differ.

    >>> inner(Variable(np.array([1.0, 2.0])), np.array([[3.0, 4.0], [5.0, 6.0]]))
    variable([11. 17.])
    """

    saves = ("other inputs",)
    multilinear = True

    def forward(self, a: Operand, b: Operand, /) -> Array:
        return np.inner(a, b)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, b = self.inputs
        of_a, of_b = self.needs_grad
        if not a.shape or not b.shape:
            return gy * b.data if of_a else None, gy * a.data if of_b else None
        n, rows, columns = a.shape[-1], math.prod(a.shape[:-1]), math.prod(b.shape[:-1])
        gy = gy.reshape((rows, columns))
        return (
            np.dot(gy, b.data.reshape((columns, n))).reshape(a.shape) if of_a else None,
            np.dot(gy.T, a.data.reshape((rows, n))).reshape(b.shape) if of_b else None,
        )


_VECDOT: Any = np.vecdot  # to type checkers it has no axis=


class VDot(Function):
    """Scalar product of all elements, those of `a` conjugated: ``np.vdot``.

    a, b: of as many elements; their shapes do not matter.
    Returns: one number.
    Derivative of real operands: `b` and `a`.
    Raises ValueError: if the numbers of elements differ.

    >>> vdot(Variable(np.array([1.0j, 2.0])), np.array([1.0j, 3.0]))
    variable((7+0j))
    """

    multilinear = True

    def forward(self, a: Operand, b: Operand, /) -> Array:
        return np.vdot(a, b)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        # d vdot(a, b) = sum(conj(da) b + conj(a) db).
        a, b = self.inputs[0].data, self.inputs[1].data
        of_a, of_b = self.needs_grad
        return (
            conjugated(gy * b).reshape(np.shape(a)) if of_a else None,
            (gy * conjugated(a)).reshape(np.shape(b)) if of_b else None,
        )


class VecDot(Function):
    """Scalar products of vectors, those of `x1` conjugated: ``np.vecdot``.

    x1, x2: the vectors lie along `axis`; the shapes of the stacks broadcast.
    axis: of each operand.
    Returns: one number for each pair of vectors.
    Derivative of real operands: `x2` and `x1`.
    Raises ValueError: if the vectors are of different lengths, or the stacks do not broadcast.
    Raises AxisError (ValueError, IndexError): if an operand has no such axis.

    >>> vecdot(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), np.array([1.0, 10.0]))
    variable([21. 43.])
    """

    multilinear = True

    def __init__(self, *, axis: int = -1) -> None:
        self.axis = axis

    def forward(self, x1: Array, x2: Array, /) -> Array:
        return _VECDOT(x1, x2, axis=self.axis)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        # d vecdot(a, b) = sum(conj(da) b + conj(a) db).
        x1 = moved(self.inputs[0].data, self.axis, -1)
        x2 = moved(self.inputs[1].data, self.axis, -1)
        of_1, of_2 = self.needs_grad
        gy = gy[..., None]
        return (
            moved(summed_to(conjugated(gy * x2), x1.shape), -1, self.axis) if of_1 else None,
            moved(summed_to(gy * conjugated(x1), x2.shape), -1, self.axis) if of_2 else None,
        )


def moved(x: Array, axis: int, to: int) -> Array:
    """Return `x` with an axis at another place."""
    return x if axis == to else np.moveaxis(x, axis, to)


_NUMBER, _VECTOR, _MATRIX, _STACK = Draw(), Draw((3,)), Draw((2, 3)), Draw((4, 2, 3))
_NUMBERS = (
    *(Call(_NUMBER, _NUMBER), Call(_NUMBER, _MATRIX), Call(_MATRIX, _NUMBER)),
    *(Call(_MATRIX, 2.0), Call(2.0, _VECTOR)),
)
_SHAPES: Any = (
    *(((3,), (3,)), ((2, 3), (3,)), ((2, 3), (3, 4)), ((3,), (3, 2)), ((3,), (2, 3, 2))),
    *(((2, 3), (2, 3, 4)), ((2, 4, 3), (3, 2)), ((2, 1, 3), (3,)), ((2, 4, 3), (2, 3, 2))),
    *(((2, 0), (0, 3)), ((0, 3), (3, 2)), ((2, 3), (3, 0)), ((0,), (0,))),
)
_TURNED = [b[:-2] + b[:-3:-1] if len(b) > 1 else b for _, b in _SHAPES]

dot = operation(Dot, *_NUMBERS, *(Call(Draw(a), Draw(b)) for a, b in _SHAPES))
inner = operation(
    Inner, *_NUMBERS, *(Call(Draw(a), Draw(b)) for (a, _), b in zip(_SHAPES, _TURNED, strict=True))
)
vdot = operation(
    VDot,
    *(Call(_NUMBER, _NUMBER), Call(_VECTOR, _VECTOR), Call(_MATRIX, _MATRIX)),
    *(Call(_MATRIX, Draw((6,))), Call(Draw((3, 2)), _MATRIX), Call(_NUMBER, Draw((1, 1)))),
    *(Call(2.0, _NUMBER), Call(Draw((0, 3)), Draw((0,)))),
)
vecdot = operation(
    VecDot,
    *(Call(_VECTOR, _VECTOR), Call(_MATRIX, _MATRIX), Call(_MATRIX, _VECTOR)),
    *(Call(_VECTOR, _STACK), Call(Draw((4, 1, 3)), _MATRIX), Call(Draw((1, 3)), _VECTOR)),
    *(Call(Draw((2, 0)), Draw((0,))), Call(Draw((0, 3)), _VECTOR), Call(_MATRIX, _MATRIX, axis=0)),
)


def _summed_axes(axes: Axes, ndim_a: int, ndim_b: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the axes that are summed, counted from 0, of each operand; NumPy has checked them."""
    if not np.iterable(axes):
        of_a: Any = range(-axes, 0)
        of_b: Any = range(axes)
    else:
        of_a, of_b = axes
    sequences = (of if np.iterable(of) else (of,) for of in (of_a, of_b))
    pairs = zip(sequences, (ndim_a, ndim_b), strict=True)
    first, second = (tuple(int(axis) % ndim for axis in of) for of, ndim in pairs)
    return first, second


def _in_order(x: Array, axes: list[int]) -> Array:
    """Transpose, so that the axes that are called `axes` come in order."""
    if axes == sorted(axes):
        return x
    return np.transpose(x, tuple(_argsort(axes)))


def _argsort(axes: Sequence[int]) -> list[int]:
    return sorted(range(len(axes)), key=axes.__getitem__)


_A, _B, _C = Draw((2, 3)), Draw((3, 2)), Draw((2, 3, 4))

tensordot = operation(
    TensorDot,
    *(Call(_A, _B, 1), Call(_A, _B, axes=([0, 1], [1, 0])), Call(_A, _B, axes=((-1, 0), (0, -1)))),
    *(Call(_A, Draw((2, 3, 2))), Call(_C, _A, ((0, 1), (0, 1))), Call(_C, _A, ((1, 0), (1, 0)))),
    *(Call(_C, Draw((4, 2, 3)), ((2, 0), (0, 1))), Call(_C, Draw((5, 4)), axes=(2, 1))),
    *(Call(_A, _B, axes=0), Call(Draw(), _A, 0), Call(2.0, _A, 0), Call(Draw((3,)), Draw((3,)), 1)),
    *(Call(Draw((2, 0)), Draw((0, 3)), 1), Call(Draw((0, 3)), _B, 1), Call(_A, Draw((3, 0)), 1)),
)
