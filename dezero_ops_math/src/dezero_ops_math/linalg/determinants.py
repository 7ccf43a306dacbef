"""Determinants, and their logarithms."""

from __future__ import annotations

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, certain, possible

from ..docstrings import documented
from .cofactors import cofactors, cofactors_of_lazy, ill_conditioned
from .results import SlogdetResult
from .spectra import swapped


class Det(Function):
    """d det(A) = sum(C * dA) with the cofactors C, which are det(A) A^-T where that exists."""

    saves = ("inputs", "outputs")

    def forward(self, a: Array) -> Array:
        return np.linalg.det(a)

    def backward(self, gy: Array) -> Array:
        a, y = self.inputs[0].data, self.outputs[0]().data
        # Below the normal numbers digits are missing, and all are beyond the largest.
        size = np.abs(y)
        out_of_range = (size < float(np.finfo(y.dtype).tiny)) | (size == np.inf)
        if isinstance(a, Variable):
            # The derivatives of the inverse lose as many digits as the matrix is nearly singular.
            out_of_range = out_of_range | ill_conditioned(a.data)
        if certain(np.any(out_of_range)):
            return gy[..., None, None] * cofactors(a, out_of_range)
        if possible(np.any(out_of_range)):
            return gy[..., None, None] * cofactors_of_lazy(a, out_of_range)
        return (gy * y)[..., None, None] * swapped(np.linalg.inv(a))


@documented
def det(a: Array) -> Variable:
    """Determinant of matrices: ``np.linalg.det``.

    a: shape ``(..., n, n)``.
    Returns: shape ``(...)``.
    Derivative: the cofactors, of singular matrices as well; there, too, it can be differentiated
        any number of times.
    Raises LinAlgError (ValueError): if `a` is not square.
    Source: Jacobi's formula; Giles 2008, section 2.2; for singular matrices, Stewart 1998.

    >>> a = Variable(np.array([[1.0, 2.0], [3.0, 6.0]]))
    >>> y = det(a)
    >>> y.backward()
    >>> y, a.grad.round(12)
    (variable(0.0), array([[ 6., -3.],
           [-2.,  1.]]))
    """
    return Det()(a)


class SlogDet(Function):
    """With t = tr(A^-1 dA): d log|det(A)| = Re(t), and the sign s turns: ds = 1j s Im(t)."""

    saves = ("inputs", "outputs")

    def forward(self, a: Array) -> tuple[Array, Array]:
        sign, logabsdet = np.linalg.slogdet(a)
        return sign, logabsdet

    def backward(self, gs: Array, gl: Array) -> Array:
        a, sign = self.inputs[0].data, self.outputs[0]().data
        if a.dtype.kind == "c":
            gl = gl + 1j * np.imag(gs * sign)
        return gl[..., None, None] * swapped(np.linalg.inv(a))


@documented
def slogdet(a: Array) -> SlogdetResult:
    """Sign of the determinant, and logarithm of its absolute value: ``np.linalg.slogdet``.

    a: shape ``(..., n, n)``.
    Returns: variables `sign` and `logabsdet`, of shape ``(...)``.
    Derivative of the logarithm: the transposed inverse; of the sign 0, and of a complex one, what
        turns it.
    Raises LinAlgError (ValueError): if `a` is not square; in ``backward()``, if it is singular: the
        logarithm is ``-inf``, and has no derivative.
    Source: ``numpy.linalg.slogdet``; Giles 2008, section 2.2.

    >>> slogdet(Variable(np.array([[0.0, 1.0], [1.0, 0.0]])))
    SlogdetResult(sign=variable(-1.0), logabsdet=variable(0.0))
    """
    return SlogdetResult(*SlogDet()(a))


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    shapes = (2, 2), (3, 3), (1, 1), (2, 2, 2), (2, 1, 3, 3), (0, 0), (2, 0, 0), (0, 2, 2)
    # None of them singular, where the logarithm has no derivative.
    draws = [Draw(shape, plus=5.0 * np.eye(shape[-1])) for shape in shapes]
    draws += [Draw((2, 2), (0.0, 1.0), plus=[[0.0, 2.0], [2.0, 0.0]])]
    sample = Sample(tuple(Call(draw) for draw in draws), complex=True)
    register("linalg.slogdet", slogdet, SlogDet, numpy=np.linalg.slogdet, sample=sample)
    draws += [Draw((3, 3)), Draw((4, 4)), *(Draw((n, n), (0.0, 0.0)) for n in (1, 2))]
    mixed = np.array([np.eye(3), np.diag([3.0, 2.0, 0.0]), np.diag([0.0, 2.0, 0.0])])
    draws += [Draw((3, 3, 3), (0.0, 0.0), plus=mixed), Draw((2, 2), (1.0, 1.0))]
    sample = Sample(tuple(Call(draw) for draw in draws), complex=True)
    register("linalg.det", det, Det, numpy=np.linalg.det, sample=sample)
