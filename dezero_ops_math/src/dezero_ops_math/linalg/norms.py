"""Norms of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function
from dezero_core.extend import Array

from ..arguments import Axis, axes_of, kept_shape
from ..declaring import Call, Draw, operation
from .norm_derivatives import Order, slope_of_norm, slope_of_vector_norm

# Nothing is near 0, nor nearly as large as something else: no elements, sums, singular values.
_SPREAD = ([[10.0, -5.0], [-4.0, 2.0], [-6.0, -3.0]], [[-11.0, -8.0], [9.0, 7.0], [12.0, -1.0]])
_MATRIX = Draw((2, 3), (-0.3, 0.3), plus=[[-1.0, -4.0, -2.0], [3.0, 6.0, -5.0]])
_STACK = Draw((2, 3, 2), (-0.3, 0.3), plus=_SPREAD)
_VECTOR = Draw((3,), (-0.3, 0.3), plus=[2.0, -1.0, 3.0])
_ORDERS = (0, 1, 2, 3, 4, 2.5, 0.5, -1, -2.5, np.inf, -np.inf)
_OF_MATRICES = ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)


def _vectors(p: float) -> list[Any]:
    return [Call(_VECTOR, p), Call(_MATRIX, ord=p, axis=0), Call(_STACK, p, (-2,), True)]


def _matrices(p: Any) -> list[Any]:
    calls = [Call(_MATRIX, p), Call(_STACK, p, (0, 1))]
    return [*calls, Call(_STACK, p, (2, -2), keepdims=True)]


def _any_axes(p: float) -> list[Any]:
    calls = [Call(_MATRIX, ord=p), Call(_STACK, axis=(0, -1), ord=p), Call(_MATRIX, axis=1, ord=p)]
    return [*calls, Call(_STACK, axis=(-1, 0), keepdims=True, ord=p)]


def _last_axes(p: Any) -> list[Any]:
    return [Call(_MATRIX, ord=p), Call(_STACK, keepdims=True, ord=p)]


class Norm(Function):
    """Norm of a vector or a matrix: ``np.linalg.norm``.

    x: a vector or a matrix, if neither `axis` nor `ord` is None.
    ord (None, number, "fro" or "nuc"): which norm; None for the square root of the sum of all
        squares. Of vectors, 0 counts what is not 0, inf and -inf are the largest and the smallest,
        p stands for ``sum(abs(x)**p)**(1/p)``. Of matrices, 1, -1, inf and -inf are the largest and
        smallest sum of a column or row, 2 and -2 singular values, "nuc" their sum.
    axis (int, tuple of two int, or None): that of the vectors, or those of rows and columns.
    Returns: real.
    Derivative: ``conj(x) / norm(x)`` if `ord` is None; 0 at 0, for every norm.
    Raises ValueError: if there is no such norm of so many axes, or nothing to take the smallest of.
    Source: ``numpy.linalg.norm``; Giles 2008; Watson 1992 (subgradients of norms).
    Note: at 0 the gradient is the middle one of all that support the norm there, as that of ``abs``
        is; autograd and PyTorch choose it, too, JAX gives nan. Elements that are 0 get 0 from any
        norm, also if ``p < 1`` and the slope beside it is infinite. Ties of the norms that are a
        maximum or minimum share the gradient as in `max`; tied singular values, too.

        At 0 there is no second derivative: it is nan, with a RuntimeWarning, also of even p, of
        which only the sum in the root is smooth. So is, for ``p < 2``, that by an element that is
        0. For p 1, inf and -inf it is 0, as of the absolute values that these are made of.

    >>> x = Variable(np.array([3.0, -4.0]))
    >>> y = norm(x)
    >>> y.backward()
    >>> y, x.grad
    (variable(5.0), array([ 0.6, -0.8]))
    """

    saves = ("inputs", "outputs")

    def __init__(self, ord: Order = None, axis: Axis = None, keepdims: bool = False) -> None:  # noqa: A002
        self.ord, self.axis, self.keepdims = ord, axis, keepdims

    def forward(self, x: Array) -> Array:
        return np.linalg.norm(x, self.ord, self.axis, self.keepdims)

    def backward(self, gy: Array) -> Array:
        # d|x| = Re(sum(g dx)), with g as in `norm_derivatives`: conj(x) / |x| for the 2-norm.
        x, y = self.inputs[0].data, self.outputs[0]().data
        kept = kept_shape(x.shape, self.axis)
        return gy.reshape(kept) * self.slope(x, y.reshape(kept), axes_of(self.axis, x.ndim))

    def slope(self, x: Array, norm: Array, axes: tuple[int, ...]) -> Array:
        """Return g."""
        return slope_of_norm(x, norm, self.ord, axes)


class VectorNorm(Norm):
    """Norm of vectors, over any number of axes: ``np.linalg.vector_norm``.

    x: any shape.
    ord (number): which norm: ``sum(abs(x)**ord)**(1/ord)``; 0 counts what is not 0, inf and -inf
        are the largest and the smallest.
    Returns: real.
    Derivative: ``conj(x) / norm(x)`` if `ord` is 2; 0 at 0, for every norm.
    Raises ValueError: if there is no such norm, or nothing to take the smallest of.
    Source: ``numpy.linalg.vector_norm``. On 0, second derivatives there, and ties see `norm`.

    >>> vector_norm(Variable(np.array([[3.0, 0.0], [0.0, -4.0]])), ord=1)
    variable(7.0)
    """

    def __init__(self, *, axis: Axis = None, keepdims: bool = False, ord: Order = 2) -> None:  # noqa: A002
        super().__init__(ord, axis, keepdims)

    def forward(self, x: Array, /) -> Array:
        axis: Any = self.axis
        return np.linalg.vector_norm(x, axis=axis, keepdims=self.keepdims, ord=self.ord)

    def slope(self, x: Array, norm: Array, axes: tuple[int, ...]) -> Array:
        return slope_of_vector_norm(x, norm, 2 if self.ord is None else self.ord, axes)


class MatrixNorm(Norm):
    """Norm of matrices, over the last two axes: ``np.linalg.matrix_norm``.

    x: shape ``(..., m, n)``.
    keepdims: leave the last two axes in the shape, of length 1.
    ord (number, "fro" or "nuc"): which norm, as for `norm`.
    Returns: real.
    Derivative: ``conj(x) / norm(x)`` if `ord` is "fro"; 0 at 0, for every norm.
    Raises ValueError: if there is no such norm, or nothing to take the smallest of.
    Raises AxisError (ValueError, IndexError): if `x` is no matrix.
    Source: ``numpy.linalg.matrix_norm``. On 0, second derivatives there, and ties see `norm`.

    >>> matrix_norm(Variable(np.array([[3.0, 0.0], [0.0, -4.0]])), ord=2)
    variable(4.0)
    """

    def __init__(self, *, keepdims: bool = False, ord: Order = "fro") -> None:  # noqa: A002
        super().__init__(ord, (-2, -1), keepdims)

    def forward(self, x: Array, /) -> Array:
        return super().forward(x)


norm = operation(
    Norm,
    *(Call(_MATRIX), Call(_MATRIX, keepdims=True), Call(_VECTOR), Call(Draw((0, 3)))),
    *(Call(Draw((), (1.0, 3.0))), Call(Draw((3, 0)), axis=0), Call(Draw((0,)), 3), Call(_STACK)),
    *(Call(_VECTOR, 2), Call(_STACK, axis=1), Call(_STACK, axis=(2, 0), keepdims=True)),
    *(call for p in _ORDERS for call in _vectors(p)),
    *(call for p in _OF_MATRICES for call in _matrices(p)),
    *(Call(Draw((0, 3)), p) for p in ("fro", "nuc", 1, 2, np.inf)),
    *(Call(Draw((1, 1), (-2.0, -1.0)), p) for p in ("nuc", 2, -2)),
)
vector_norm = operation(
    VectorNorm,
    *(Call(_MATRIX), Call(_MATRIX, keepdims=True), Call(Draw((), (1.0, 3.0)))),
    *(Call(Draw((0, 3)), axis=1), Call(Draw((2, 0)), axis=-1, ord=1)),
    *(call for p in (0, 1, 2, 3, 4, 0.5, np.inf, -np.inf) for call in _any_axes(p)),
    name="vector_norm",
)
matrix_norm = operation(
    MatrixNorm,
    *(Call(_MATRIX), Call(_STACK), Call(_STACK, keepdims=True), Call(Draw((2, 0)))),
    *(call for p in _OF_MATRICES[1:] for call in _last_axes(p)),
    name="matrix_norm",
)
