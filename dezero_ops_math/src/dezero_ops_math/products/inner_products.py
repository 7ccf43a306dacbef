"""Inner products, plain and conjugated: ``dot``, ``inner``, ``vdot``, ``vecdot``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import refuse_out
from ..broadcasting import summed_to
from ..conjugation import conjugated
from ..docstrings import documented
from .contractions import TensorDot


class Dot(TensorDot):
    """Over the last axis of a and the last but one of b; numbers multiply."""

    def __init__(self) -> None:
        pass

    def forward(self, a: Array, b: Array) -> Array:
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
        ga = gb = None
        if of_a:
            ga = np.dot(gy, b.data.reshape((n, columns)).T).reshape(a.shape)
        if of_b:
            gb = np.dot(a.data.reshape((rows, n)).T, gy).reshape(b.shape)
        return ga, gb


@documented
def dot(a: Operand, b: Operand, out: None = None) -> Variable:
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
    refuse_out("dot", out)
    return Dot()(a, b)


class Inner(Function):
    """Over the last axis of both; numbers multiply."""

    saves = ("other inputs",)

    def forward(self, a: Array, b: Array) -> Array:
        return np.inner(a, b)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, b = self.inputs
        of_a, of_b = self.needs_grad
        if not a.shape or not b.shape:
            return gy * b.data if of_a else None, gy * a.data if of_b else None
        n, rows, columns = a.shape[-1], math.prod(a.shape[:-1]), math.prod(b.shape[:-1])
        gy = gy.reshape((rows, columns))
        ga = gb = None
        if of_a:
            ga = np.dot(gy, b.data.reshape((columns, n))).reshape(a.shape)
        if of_b:
            gb = np.dot(gy.T, a.data.reshape((rows, n))).reshape(b.shape)
        return ga, gb


@documented
def inner(a: Operand, b: Operand, /) -> Variable:
    """Sum over the last axis of both: ``np.inner``.

    a, b: with last axes of the same length. Numbers multiply.
    Returns: the other axes of `a`, then those of `b`. Complex numbers are not conjugated; see
        `vdot`.
    Derivative, of vectors: `b` and `a`.
    Raises ValueError: if the lengths differ.

    >>> inner(Variable(np.array([1.0, 2.0])), np.array([[3.0, 4.0], [5.0, 6.0]]))
    variable([11. 17.])
    """
    return Inner()(a, b)


_VECDOT: Any = np.vecdot  # to type checkers it has no axis=


class VDot(Function):
    """d vdot(a, b) = sum(conj(da) b + conj(a) db)."""

    def forward(self, a: Array, b: Array) -> Array:
        return np.vdot(a, b)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, b = self.inputs[0].data, self.inputs[1].data
        of_a, of_b = self.needs_grad
        ga = gb = None
        if of_a:
            ga = conjugated(gy * b).reshape(np.shape(a))
        if of_b:
            gb = (gy * conjugated(a)).reshape(np.shape(b))
        return ga, gb


@documented
def vdot(a: Operand, b: Operand, /) -> Variable:
    """Scalar product of all elements, those of `a` conjugated: ``np.vdot``.

    a, b: of as many elements; their shapes do not matter.
    Returns: one number.
    Derivative of real operands: `b` and `a`.
    Raises ValueError: if the numbers of elements differ.

    >>> vdot(Variable(np.array([1.0j, 2.0])), np.array([1.0j, 3.0]))
    variable((7+0j))
    """
    return VDot()(a, b)


class VecDot(Function):
    """d vecdot(a, b) = sum(conj(da) b + conj(a) db)."""

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def forward(self, x1: Array, x2: Array) -> Array:
        return _VECDOT(x1, x2, axis=self.axis)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x1 = _last(self.inputs[0].data, self.axis)
        x2 = _last(self.inputs[1].data, self.axis)
        of_1, of_2 = self.needs_grad
        gy = gy[..., None]
        g1 = g2 = None
        if of_1:
            g1 = _back(summed_to(conjugated(gy * x2), x1.shape), self.axis)
        if of_2:
            g2 = _back(summed_to(gy * conjugated(x1), x2.shape), self.axis)
        return g1, g2


@documented
def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Variable:
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
    return VecDot(axis)(x1, x2)


def _last(x: Array, axis: int) -> Array:
    return x if axis == -1 else np.moveaxis(x, axis, -1)


def _back(x: Array, axis: int) -> Array:
    return x if axis == -1 else np.moveaxis(x, -1, axis)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    number, vector, matrix = Draw(), Draw((3,)), Draw((2, 3))
    numbers = (
        Call(number, number),
        Call(number, matrix),
        Call(matrix, number),
        Call(matrix, 2.0),
        Call(2.0, vector),
    )
    shapes: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((2, 3), (3, 4)),
        ((3,), (3, 2)),
        ((3,), (2, 3, 2)),
        ((2, 3), (2, 3, 4)),
        ((2, 4, 3), (3, 2)),
        ((2, 1, 3), (3,)),
        ((2, 4, 3), (2, 3, 2)),
        ((2, 0), (0, 3)),
        ((0, 3), (3, 2)),
        ((2, 3), (3, 0)),
        ((0,), (0,)),
    )
    calls = numbers + tuple(Call(Draw(a), Draw(b)) for a, b in shapes)
    register("dot", dot, Dot, methods="dot", numpy=np.dot, sample=Sample(calls, complex=True))
    turned = [b[:-2] + b[:-3:-1] if len(b) > 1 else b for _, b in shapes]
    calls = numbers + tuple(
        Call(Draw(a), Draw(b)) for (a, _), b in zip(shapes, turned, strict=True)
    )
    register("inner", inner, Inner, numpy=np.inner, sample=Sample(calls, complex=True))

    calls = (
        Call(number, number),
        Call(vector, vector),
        Call(matrix, matrix),
        Call(matrix, Draw((6,))),
        Call(Draw((3, 2)), matrix),
        Call(number, Draw((1, 1))),
        Call(2.0, number),
        Call(Draw((0, 3)), Draw((0,))),
    )
    register("vdot", vdot, VDot, numpy=np.vdot, sample=Sample(calls, complex=True))
    stack = Draw((4, 2, 3))
    of_vectors = (
        Call(vector, vector),
        Call(matrix, matrix),
        Call(matrix, vector),
        Call(vector, stack),
        Call(Draw((4, 1, 3)), matrix),
        Call(Draw((1, 3)), vector),
        Call(Draw((2, 0)), Draw((0,))),
        Call(Draw((0, 3)), vector),
        Call(matrix, matrix, axis=0),
    )
    register("vecdot", vecdot, VecDot, numpy=np.vecdot, sample=Sample(of_vectors, complex=True))
