"""Products and diagonals as numpy.linalg has them, stricter about shapes than numpy's."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import Array, Operand

from ..declaring import Call, Draw, applying, operation
from ..gradients import summed_to
from ..products.inner_products import TensorDot, VecDot
from ..products.vector_products import Cross, Outer
from ..shape import diagonals
from .spectra import swapped

_SHAPES: Any = (
    *(((2, 3), (3, 2)), ((3,), (3,)), ((3,), (3, 2)), ((2, 3), (3,)), ((2, 3), (4, 3, 2))),
    *(((4, 2, 3), (3,)), ((3,), (4, 3, 2)), ((2, 1, 2, 3), (3, 3, 2)), ((0, 3), (3, 2))),
    ((2, 0), (0, 3)),
)
_VECTOR, _MATRIX, _STACK = Draw((3,)), Draw((2, 3)), Draw((4, 2, 3))


class MatMul(Function):
    """Matrix product, of stacks of matrices too: ``np.linalg.matmul``.

    x1, x2: shapes ``(..., m, k)`` and ``(..., k, n)``, or ``(k,)`` for a vector.
    Returns: shape ``(..., m, n)``, without the axis of a vector.
    Derivative: ``gy @ x2.T`` and ``x1.T @ gy``.
    Raises ValueError: if the shapes do not fit, or an operand is a number.
    Source: ``numpy.linalg.matmul``; Giles 2008, section 2.2.

    >>> matmul(Variable(np.array([[1.0, 2.0]])), np.array([[3.0], [4.0]]))
    variable([[11.]])
    """

    multilinear = True

    def forward(self, x1: Array, x2: Array, /) -> Array:
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
        return (
            summed_to(gy @ swapped(right), left.shape).reshape(x1.shape) if of_1 else None,
            summed_to(swapped(left) @ gy, right.shape).reshape(x2.shape) if of_2 else None,
        )


class VectorsOuter(Outer):
    """Product of each element of `x1` with each of `x2`: ``np.linalg.outer``.

    x1, x2: vectors.
    Returns: a matrix.
    Derivative: ``gy @ x2`` and ``x1 @ gy``.
    Raises ValueError: if an operand is no vector.

    >>> outer(Variable(np.array([1.0, 2.0])), np.array([3.0, 4.0]))
    variable([[3. 4.]
              [6. 8.]])
    """

    def forward(self, x1: Array, x2: Array, /) -> Array:
        return np.linalg.outer(x1, x2)


class SpatialCross(Cross):
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

    def __init__(self, *, axis: int = -1) -> None:
        super().__init__(axis=axis)

    def forward(self, x1: Array, x2: Array, /) -> Array:
        return np.linalg.cross(x1, x2, axis=self.axisa)


class LinalgTensorDot(TensorDot):
    """Sum over any axes of a product: ``np.linalg.tensordot``.

    x1, x2: of any shapes.
    axes (int, or two of int or sequence of int): how many of the last axes of `x1` and the first of
        `x2` are summed over; or which axes of `x1`, and which of `x2`.
    Returns: the other axes of `x1`, then those of `x2`.
    Derivative: the gradient times the other operand, summed over what that operand alone has.
    Raises ValueError: if `axes` repeats one, or lengths differ.

    >>> tensordot(Variable(np.ones((2, 3))), np.ones((3, 2)), axes=([0, 1], [1, 0]))
    variable(6.0)
    """

    def __init__(self, *, axes: Any = 2) -> None:
        super().__init__(axes)

    def forward(self, x1: Operand, x2: Operand, /) -> Array:
        return super().forward(x1, x2)


class LinalgVecDot(VecDot):
    __doc__ = VecDot.__doc__ and VecDot.__doc__.replace("np.vecdot", "np.linalg.vecdot")


_WIDE, _PAIR = Draw((3, 4)), Draw((2, 3, 2))
_OF_STACKS = Call(_WIDE), Call(_PAIR), Call(_WIDE, offset=1), Call(_PAIR, offset=-1)


@applying(None, *_OF_STACKS, Call(Draw((0, 2, 2))), Call(Draw((2, 0))))
def diagonal(x: Array, /, *, offset: int = 0) -> Variable:
    """The diagonal of each matrix: ``np.linalg.diagonal``.

    x: shape ``(..., m, n)``.
    offset: which diagonal: above the main one if positive, below it if negative.
    Returns: shape ``(..., k)``.
    Derivative: 1 for each element of the diagonal.
    Raises ValueError: if `x` is no matrix.
    Source: ``numpy.linalg.diagonal``. `numpy.diagonal` takes the first two axes instead.

    >>> diagonal(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([1. 4.])
    """
    return diagonals.diagonal(x, offset, -2, -1)


@applying(None, *_OF_STACKS, Call(_WIDE, dtype=complex))
def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Variable:
    """The sum of the diagonal of each matrix: ``np.linalg.trace``.

    x: shape ``(..., m, n)``.
    offset: which diagonal: above the main one if positive, below it if negative.
    dtype: of the sum.
    Returns: shape ``(...)``.
    Derivative: 1 for each element of the diagonal.
    Raises ValueError: if `x` is no matrix.
    Source: ``numpy.linalg.trace``. `numpy.trace` takes the first two axes instead.

    >>> trace(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable(5.0)
    """
    return diagonals.trace(x, offset, -2, -1, dtype)


matmul = operation(MatMul, *(Call(Draw(left), Draw(right)) for left, right in _SHAPES))
outer = operation(
    VectorsOuter,
    *(Call(Draw((m,)), Draw((n,))) for m, n in ((2, 3), (1, 1), (0, 2), (3, 0))),
    name="outer",
)
tensordot = operation(
    LinalgTensorDot,
    *(Call(_MATRIX, Draw((2, 3, 2))), Call(_MATRIX, Draw((3, 2)), axes=1)),
    *(Call(_STACK, _MATRIX, axes=((-1, 1), (1, 0))), Call(_STACK, Draw((2,)), axes=(1, 0))),
    *(Call(Draw(), _VECTOR, axes=0), Call(Draw((0, 3)), _VECTOR, axes=1)),
    name="tensordot",
)
vecdot = operation(
    LinalgVecDot,
    *(Call(_VECTOR, _VECTOR), Call(_MATRIX, _VECTOR), Call(_VECTOR, _STACK)),
    *(Call(Draw((4, 1, 3)), _MATRIX), Call(_MATRIX, _MATRIX, axis=0)),
    *(Call(_MATRIX, Draw((2, 1)), axis=0), Call(_STACK, Draw((1, 2, 3)), axis=1)),
    *(Call(_STACK, Draw((2, 1)), axis=-2), Call(Draw((2, 0)), Draw((0,)))),
    name="vecdot",
)
cross = operation(
    SpatialCross,
    *(Call(_VECTOR, _VECTOR), Call(_MATRIX, _VECTOR), Call(Draw((4, 1, 3)), _MATRIX)),
    *(Call(Draw((3, 2)), Draw((3, 1)), axis=0), Call(Draw((2, 3, 2)), Draw((1, 3, 2)), axis=-2)),
    Call(Draw((0, 3)), _VECTOR),
    name="cross",
)
