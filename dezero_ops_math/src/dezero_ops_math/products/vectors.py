"""Scalar products of vectors, those on the left conjugated: ``vdot``, ``vecdot``."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..broadcasting import summed_to
from ..docstrings import documented

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
            ga = (gy * b).conjugate().reshape(np.shape(a))
        if of_b:
            gb = (gy * a.conjugate()).reshape(np.shape(b))
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
            g1 = _back(summed_to((gy * x2).conjugate(), x1.shape), self.axis)
        if of_2:
            g2 = _back(summed_to(gy * x1.conjugate(), x2.shape), self.axis)
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
