"""How near to a singular one a matrix is: condition number and rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function
from dezero_core.extend import Array, Operand, call_by_type

from ..arguments import data_of
from ..declaring import Call, Draw, applying, operation
from ..gradients import conjugated
from .norm_derivatives import Order, slope_of_norm
from .spectra import shares, swapped

# Of these and of their inverses no element is near 0, and no two sums nor singular values
# are near each other.
_THREE = [[1.0, -2.0, -2.0], [4.0, 2.0, -1.0], [4.0, -1.0, 4.0]]
_TWO, _LITTLE = [[-5.0, 6.0], [-3.0, -5.0]], (-0.2, 0.2)
_A, _STACK = Draw((3, 3), _LITTLE, plus=_THREE), Draw((2, 1, 2, 2), _LITTLE, plus=_TWO)
_NORMS = (None, 2, -2, "fro", "nuc", 1, -1, np.inf, -np.inf)
_TALL, _WIDE = (
    Draw((3, 2), _LITTLE, plus=np.transpose(_THREE[:2])),
    Draw((2, 2, 3), _LITTLE, plus=_THREE[:2]),
)
_FLAT = Draw((3, 3), project=lambda a: np.ones((3, 3)) * a.mean())


class Cond(Function):
    """Condition number of matrices: ``np.linalg.cond``.

    x: shape ``(..., m, n)``; square, unless `p` is None, 2 or -2.
    p (None, number, "fro" or "nuc"): the norm of which it is ``norm(x) * norm(inv(x))``. None and 2
        stand for the largest singular value over the smallest, -2 for the opposite.
    Returns: shape ``(...)``, real.
    Derivative: that of the norms, shared over ties; for `p` None, that of the quotient. Of a
        singular matrix it is inf and has none: the gradient is nan.
    Raises LinAlgError (ValueError): if `x` is empty, or is not square where it must be; in
        ``backward()``, if it is singular and `p` is not None, 2 or -2.
    Source: ``numpy.linalg.cond``; Giles 2008, sections 2.2 and 3.2.

    >>> x = Variable(np.array([[2.0, 0.0], [0.0, 1.0]]))
    >>> y = cond(x)
    >>> y.backward()
    >>> y, x.grad
    (variable(2.0), array([[ 1.,  0.],
           [ 0., -2.]]))
    """

    def __init__(self, p: Order = None) -> None:
        self.p = p

    def forward(self, x: Array) -> Array:
        return np.linalg.cond(x, self.p)

    def backward(self, gy: Array) -> Array:
        # d(|x| |x^-1|), by the derivatives of both norms; of the 2-norm, d(s_max / s_min).
        gy = gy[..., None, None]
        if self.p in (None, 2, -2):
            return gy * self._of_singular_values(self.inputs[0].data)
        return gy * self._of_norms(self.inputs[0].data)

    def _of_singular_values(self, x: Array) -> Array:
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        of_first = shares(data_of(s), -1, largest=True)
        of_last = shares(data_of(s), -1, largest=False)
        first, last = s[..., :1], s[..., -1:]
        with np.errstate(all="ignore"):  # as NumPy does for the number itself
            if self.p == -2:
                gs = (of_last * np.sign(last) - of_first * (last / first)) / first
            else:
                gs = (of_first - of_last * (first / last)) / last
            return (conjugated(u) * gs[..., None, :]) @ conjugated(vh)

    def _of_norms(self, x: Array) -> Array:
        inverse = np.linalg.inv(x)
        axes = x.ndim - 2, x.ndim - 1
        norm, norm_of_inverse = (np.linalg.norm(z, self.p, axes, True) for z in (x, inverse))
        g = slope_of_norm(x, norm, self.p, axes)
        g_of_inverse = slope_of_norm(inverse, norm_of_inverse, self.p, axes)
        back = swapped(inverse)
        return g * norm_of_inverse - back @ g_of_inverse @ back * norm


@applying(
    None,
    *(Call(Draw((2, 3))), Call(_FLAT), Call(Draw((3,))), Call(Draw((2, 2, 3)), tol=2.0)),
    *(Call(Draw((2, 2)), None, True), Call(Draw((2, 2)), rtol=0.5)),
    differentiable=False,
)
def matrix_rank(
    A: Operand,  # noqa: N803 (NumPy's name)
    tol: Operand = None,
    hermitian: bool = False,
    *,
    rtol: Operand = None,
) -> Any:
    """Rank of matrices: ``np.linalg.matrix_rank``.

    A (Variable or array_like): shape ``(..., m, n)``, or a vector.
    tol (array_like): singular values up to it count as 0.
    hermitian: `A` counts as Hermitian.
    rtol (array_like): the same as a part of the largest singular value.
    Returns (int or ndarray of int): the rank of each matrix.
    Without a derivative: nothing is recorded.
    Raises ValueError: if both `tol` and `rtol` are given.

    >>> matrix_rank(Variable(np.ones((2, 2))))
    np.int64(1)
    """
    A, tol, rtol = data_of(A), data_of(tol), data_of(rtol)  # noqa: N806
    return call_by_type(np.linalg.matrix_rank, (A, tol, hermitian), {"rtol": rtol})


cond = operation(
    Cond,
    *(Call(draw, p) for draw in (_A, _STACK) for p in _NORMS),
    *(Call(_TALL), Call(_WIDE, p=-2), Call(Draw((1, 1), (1.0, 2.0)), p=1)),
)
