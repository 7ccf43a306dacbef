"""Products of vectors and matrices, without conjugation: ``dot``, ``inner``."""

from __future__ import annotations

import math

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import refuse_out
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
