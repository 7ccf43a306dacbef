"""How near to a singular one a matrix is: condition number and rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand, call_by_type

from ..conjugation import conjugated
from ..docstrings import documented
from .norm_derivatives import Order, slope_of_norm
from .spectra import shares, swapped, values_of


class Cond(Function):
    """d(|x| |x^-1|), by the derivatives of both norms; of the 2-norm, d(s_max / s_min)."""

    def __init__(self, p: Order) -> None:
        self.p = p

    def forward(self, x: Array) -> Array:
        return np.linalg.cond(x, self.p)

    def backward(self, gy: Array) -> Array:
        gy = gy[..., None, None]
        if self.p in (None, 2, -2):
            return gy * self._of_singular_values(self.inputs[0].data)
        return gy * self._of_norms(self.inputs[0].data)

    def _of_singular_values(self, x: Array) -> Array:
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        of_first = shares(values_of(s), -1, largest=True)
        of_last = shares(values_of(s), -1, largest=False)
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


@documented
def cond(x: Array, p: Order = None) -> Variable:
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
    return Cond(p)(x)


@documented
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
    A, tol, rtol = values_of(A), values_of(tol), values_of(rtol)  # noqa: N806
    return call_by_type(np.linalg.matrix_rank, (A, tol, hermitian), {"rtol": rtol})


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    # Of these and of their inverses no element is near 0, and no two sums nor singular values
    # are near each other.
    three = [[1.0, -2.0, -2.0], [4.0, 2.0, -1.0], [4.0, -1.0, 4.0]]
    two, little = [[-5.0, 6.0], [-3.0, -5.0]], (-0.2, 0.2)
    a, stack = Draw((3, 3), little, plus=three), Draw((2, 1, 2, 2), little, plus=two)
    norms = (None, 2, -2, "fro", "nuc", 1, -1, np.inf, -np.inf)
    calls = [Call(draw, p) for draw in (a, stack) for p in norms]
    tall, wide = (
        Draw((3, 2), little, plus=np.transpose(three[:2])),
        Draw((2, 2, 3), little, plus=three[:2]),
    )
    calls += [Call(tall), Call(wide, p=-2), Call(Draw((1, 1), (1.0, 2.0)), p=1)]
    sample = Sample(tuple(calls), complex=True)
    register("linalg.cond", cond, Cond, numpy=np.linalg.cond, sample=sample)
    flat = Draw((3, 3), project=lambda a: np.ones((3, 3)) * a.mean())
    calls = [Call(Draw((2, 3))), Call(flat), Call(Draw((3,))), Call(Draw((2, 2, 3)), tol=2.0)]
    calls += [Call(Draw((2, 2)), None, True), Call(Draw((2, 2)), rtol=0.5)]
    register(
        "linalg.matrix_rank",
        matrix_rank,
        differentiable=False,
        numpy=np.linalg.matrix_rank,
        sample=Sample(tuple(calls)),
    )
