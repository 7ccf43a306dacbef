"""Products as ``numpy.linalg`` has them, stricter about shapes than those of ``numpy``."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..broadcasting import summed_to
from ..docstrings import documented
from ..products.contractions import TensorDot
from ..products.cross_products import Cross
from ..products.inner_products import VecDot
from ..products.outer_products import Outer
from .spectra import swapped


class MatMul(Function):
    """d(X1 X2) = dX1 X2 + X1 dX2."""

    def forward(self, x1: Array, x2: Array) -> Array:
        return np.linalg.matmul(x1, x2)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x1, x2 = self.inputs[0].data, self.inputs[1].data
        of_1, of_2 = self.needs_grad
        left, right = x1, x2
        # NumPy reads a vector as one row on the left, as one column on the right.
        if x2.ndim == 1:
            gy, right = gy[..., None], x2[:, None]
        if x1.ndim == 1:
            gy, left = gy[..., None, :], x1[None, :]
        g1 = g2 = None
        if of_1:
            g1 = summed_to(gy @ swapped(right), left.shape).reshape(x1.shape)
        if of_2:
            g2 = summed_to(swapped(left) @ gy, right.shape).reshape(x2.shape)
        return g1, g2


class VectorsOuter(Outer):
    """Of vectors only."""

    def forward(self, x1: Array, x2: Array) -> Array:
        return np.linalg.outer(x1, x2)


class SpatialCross(Cross):
    """Of three components only."""

    def forward(self, x1: Array, x2: Array) -> Array:
        return np.linalg.cross(x1, x2, axis=self.axisa)


@documented
def matmul(x1: Array, x2: Array, /) -> Variable:
    """Matrix product, of stacks of matrices too: ``np.linalg.matmul``.

    x1, x2: shapes ``(..., m, k)`` and ``(..., k, n)``, or ``(k,)`` for a vector.
    Returns: shape ``(..., m, n)``, without the axis of a vector.
    Derivative: ``gy @ x2.T`` and ``x1.T @ gy``.
    Raises ValueError: if the shapes do not fit, or an operand is a number.
    Source: ``numpy.linalg.matmul``; Giles 2008, section 2.2.

    >>> matmul(Variable(np.array([[1.0, 2.0]])), np.array([[3.0], [4.0]]))
    variable([[11.]])
    """
    return MatMul()(x1, x2)


@documented
def outer(x1: Array, x2: Array, /) -> Variable:
    """Product of each element of `x1` with each of `x2`: ``np.linalg.outer``.

    x1, x2: vectors.
    Returns: a matrix.
    Derivative: ``gy @ x2`` and ``x1 @ gy``.
    Raises ValueError: if an operand is no vector.

    >>> outer(Variable(np.array([1.0, 2.0])), np.array([3.0, 4.0]))
    variable([[3. 4.]
              [6. 8.]])
    """
    return VectorsOuter()(x1, x2)


@documented
def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Variable:
    """Cross product of vectors of three components: ``np.linalg.cross``.

    x1, x2: the vectors lie along `axis`; the shapes of the stacks broadcast.
    axis: of both operands and of the result.
    Derivative: the cross products of `x2` with the gradient, and of the gradient with `x1`.
    Raises IndexError: if `x1` has no such axis.
    Raises ValueError: if there are other than three components.
    Source: ``numpy.linalg.cross``; NIST DLMF 1.6(i).

    >>> cross(Variable(np.array([1.0, 0.0, 0.0])), np.array([0.0, 1.0, 0.0]))
    variable([0. 0. 1.])
    """
    return SpatialCross(axis, axis, axis)(x1, x2)


class LinalgTensorDot(TensorDot):
    """`TensorDot` under its other name."""


@documented
def tensordot(x1: Operand, x2: Operand, /, *, axes: Any = 2) -> Variable:
    """Sum over any axes of a product: ``np.linalg.tensordot``.

    x1, x2: of any shapes.
    axes (int, or two of int or sequence of int): how many of the last axes of `x1` and the first of
        `x2` are summed over; or which axes of `x1`, and which of `x2`.
    Returns: the other axes of `x1`, then those of `x2`.
    Derivative: the gradient times the other operand, summed over the axes of that operand that
        remain.
    Raises ValueError: if `axes` repeats one, or lengths differ.

    >>> tensordot(Variable(np.ones((2, 3))), np.ones((3, 2)), axes=([0, 1], [1, 0]))
    variable(6.0)
    """
    return LinalgTensorDot(axes)(x1, x2)


class LinalgVecDot(VecDot):
    """`VecDot` under its other name."""


@documented
def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Variable:
    """Scalar products of vectors, those of `x1` conjugated: ``np.linalg.vecdot``.

    x1, x2: the vectors lie along `axis`; the shapes of the stacks broadcast.
    axis: of each operand.
    Returns: one number for each pair of vectors.
    Derivative of real operands: `x2` and `x1`.
    Raises ValueError: if the vectors are of different lengths, or the stacks do not broadcast.
    Raises AxisError (ValueError, IndexError): if an operand has no such axis.

    >>> vecdot(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), np.array([1.0, 10.0]))
    variable([21. 43.])
    """
    return LinalgVecDot(axis)(x1, x2)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    shapes: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
        ((2, 3), (3, 2)),
        ((3,), (3,)),
        ((3,), (3, 2)),
        ((2, 3), (3,)),
        ((2, 3), (4, 3, 2)),
        ((4, 2, 3), (3,)),
        ((3,), (4, 3, 2)),
        ((2, 1, 2, 3), (3, 3, 2)),
        ((0, 3), (3, 2)),
        ((2, 0), (0, 3)),
    )
    calls: tuple[Call, ...] = tuple(Call(Draw(left), Draw(right)) for left, right in shapes)
    sample = Sample(calls, complex=True)
    register("linalg.matmul", matmul, MatMul, numpy=np.linalg.matmul, sample=sample)
    calls = tuple(Call(Draw((m,)), Draw((n,))) for m, n in ((2, 3), (1, 1), (0, 2), (3, 0)))
    sample = Sample(calls, complex=True)
    register("linalg.outer", outer, VectorsOuter, numpy=np.linalg.outer, sample=sample)
    vector, matrix = Draw((3,)), Draw((2, 3))
    calls = (
        Call(vector, vector),
        Call(matrix, vector),
        Call(Draw((4, 1, 3)), matrix),
        Call(Draw((3, 2)), Draw((3, 1)), axis=0),
        Call(Draw((2, 3, 2)), Draw((1, 3, 2)), axis=-2),
        Call(Draw((0, 3)), vector),
    )
    sample = Sample(calls, complex=True)
    register("linalg.cross", cross, SpatialCross, numpy=np.linalg.cross, sample=sample)

    stack = Draw((4, 2, 3))
    calls = (
        Call(matrix, Draw((2, 3, 2))),
        Call(matrix, Draw((3, 2)), axes=1),
        Call(stack, matrix, axes=((-1, 1), (1, 0))),
        Call(stack, Draw((2,)), axes=(1, 0)),
        Call(Draw(), vector, axes=0),
        Call(Draw((0, 3)), vector, axes=1),
    )
    register(
        "linalg.tensordot",
        tensordot,
        LinalgTensorDot,
        numpy=np.linalg.tensordot,
        sample=Sample(calls, complex=True),
    )
    calls = (
        Call(vector, vector),
        Call(matrix, vector),
        Call(vector, stack),
        Call(Draw((4, 1, 3)), matrix),
        Call(matrix, matrix, axis=0),
        Call(matrix, Draw((2, 1)), axis=0),
        Call(stack, Draw((1, 2, 3)), axis=1),
        Call(stack, Draw((2, 1)), axis=-2),
        Call(Draw((2, 0)), Draw((0,))),
    )
    register(
        "linalg.vecdot",
        vecdot,
        LinalgVecDot,
        numpy=np.linalg.vecdot,
        sample=Sample(calls, complex=True),
    )
