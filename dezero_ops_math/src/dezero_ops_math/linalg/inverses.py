"""Inverses and pseudoinverses of matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dezero_core import Function
from dezero_core.extend import Array

from ..declaring import Call, Draw, operation
from ..gradients import conjugated
from .spectra import adjoint, hermitian, swapped
from .triangles import inverted

_NOT_GIVEN: Any = np._NoValue  # None means something else to NumPy


class Inv(Function):
    """Inverse of matrices: ``np.linalg.inv``.

    a: shape ``(..., n, n)``.
    Returns: shape of `a`.
    Derivative: ``-y dA y``.
    Raises LinAlgError (ValueError): if `a` is singular, or not square.
    Source: Giles 2008, section 2.2.
    Note: a triangle of 128 rows or more is inverted by substitution, as in `solve`.

    >>> inv(Variable(np.array([[2.0, 0.0], [0.0, 4.0]])))
    variable([[0.5  0.  ]
              [0.   0.25]])
    """

    saves = ("outputs",)

    def forward(self, a: Array) -> Array:
        return inverted(a)

    def backward(self, gy: Array) -> Array:
        # From Y A = I: dY = -Y dA Y.
        turned = swapped(self.outputs[0]().data)
        return -(turned @ gy @ turned)


class TensorInv(Function):
    """Inverse of the linear map that an array is to ``tensordot``: ``np.linalg.tensorinv``.

    a: with as many elements in the first `ind` axes as in the others.
    ind: how many axes number the rows.
    Returns: the last axes of `a`, then the first `ind`.
    Derivative: that of `inv`.
    Raises LinAlgError (ValueError): if the matrix is singular, or not square.
    Raises ValueError: if `ind` is not positive.

    >>> tensorinv(Variable(np.array([[2.0, 0.0], [0.0, 4.0]])), ind=1)
    variable([[0.5  0.  ]
              [0.   0.25]])
    """

    saves = ("outputs",)

    def __init__(self, ind: int = 2) -> None:
        self.ind = ind

    def forward(self, a: Array) -> Array:
        y = np.linalg.tensorinv(a, self.ind)
        self.shape = a.shape
        return y

    def backward(self, gy: Array) -> Array:
        y = self.outputs[0]().data
        n = math.prod(self.shape[self.ind :])
        turned = swapped(y.reshape((n, n)))
        return -(turned @ gy.reshape((n, n)) @ turned).reshape(self.shape)


class PInv(Function):
    """Pseudoinverse of matrices, after Moore and Penrose: ``np.linalg.pinv``.

    a: shape ``(..., m, n)``.
    rcond (float or ndarray of float, optional): singular values count as 0 up to this part of the
        largest; ``1e-15`` by default.
    hermitian: `a` counts as Hermitian; its lower triangle is read, and the gradient is Hermitian.
    rtol (float, ndarray of float or None): as `rcond`; None is ``max(m, n)`` times the precision.
    Returns: shape ``(..., n, m)``.
    Derivative: that for changes of `a` which leave its rank as it is; with others, it jumps.
    Raises LinAlgError (ValueError): if `a` is no matrix, or the computation does not converge.
    Raises ValueError: if both `rcond` and `rtol` are given.
    Source: Golub and Pereyra 1973.
    Note: singular values that count as 0 do so for the derivative, too. If they are not small,
        because `rcond` is large, their ratio to the others is the relative error of the gradient.

    >>> pinv(Variable(np.array([[2.0, 0.0], [0.0, 0.0], [0.0, 0.0]])))
    variable([[0.5 0.  0. ]
              [0.  0.  0. ]])
    """

    saves = ("inputs", "outputs")

    def __init__(
        self, rcond: Any = None, hermitian: bool = False, *, rtol: Any = _NOT_GIVEN
    ) -> None:
        self.rcond, self.hermitian, self.rtol = rcond, hermitian, rtol

    def forward(self, a: Array) -> Array:
        return np.linalg.pinv(a, self.rcond, self.hermitian, rtol=self.rtol)

    def backward(self, gy: Array) -> Array:
        # With P for the result, and the rank constant:
        # dP = -P dA P + P P* dA* (I - A P) + (I - P A) dA* P* P.
        a, p = self.inputs[0].data, self.outputs[0]().data
        turned, gt, p_star = swapped(p), swapped(gy), adjoint(p)
        off_rows, off_columns = gt - a @ (p @ gt), gt - (gt @ p) @ a
        moved = off_rows @ p @ p_star + p_star @ p @ off_columns
        ga = conjugated(moved) - turned @ gy @ turned
        return hermitian(ga) if self.hermitian else ga


def _apart(a: Array) -> Array:
    return np.linalg.svd(a, compute_uv=False) / 2.0


_REGULAR = (2, 2), (3, 3), (1, 1), (2, 2, 2), (2, 1, 3, 3), (0, 0), (2, 0, 0), (0, 2, 2)
_PLUS = 12.0 * np.eye(6)
_SHAPES = (3, 2), (2, 3), (2, 2), (2, 3, 2), (2, 1, 2, 3), (0, 2), (2, 0), (0, 3, 2)
_A, _SQUARE = Draw((3, 2)), Draw((2, 3, 3), project=hermitian)

inv = operation(Inv, *(Call(Draw(shape, plus=6.0 * np.eye(shape[-1]))) for shape in _REGULAR))
tensorinv = operation(
    TensorInv,
    Call(Draw((2, 3, 6), plus=_PLUS.reshape(2, 3, 6))),
    Call(Draw((6, 3, 2), plus=_PLUS.reshape(6, 3, 2)), 1),
    Call(Draw((2, 2, 2, 2), plus=12.0 * np.eye(4).reshape(2, 2, 2, 2)), ind=2),
    Call(Draw((1, 1), (1.0, 3.0)), 1),
)
pinv = operation(
    PInv,
    *(Call(Draw(shape)) for shape in _SHAPES),
    *(Call(_A, 1e-9), Call(_A, rtol=None), Call(Draw((2, 3, 2)), np.array([1e-9, 1e-12]))),
    *(Call(_A, rtol=1e-9), Call(_SQUARE, hermitian=True)),
    apart=_apart,
)
