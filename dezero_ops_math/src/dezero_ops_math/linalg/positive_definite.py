"""The factor of positive definite matrices."""

from __future__ import annotations

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..docstrings import documented
from .spectra import adjoint, swapped


class Cholesky(Function):
    """From L L* = A: dL = L h(L^-1 dA L^-*), where h takes the lower triangle, its diagonal halved.

    For real numbers gA is the symmetric part of L^-T h(L^T gL) L^-1.
    """

    saves = ("outputs",)

    def __init__(self, upper: bool) -> None:
        self.upper = upper

    def forward(self, a: Array) -> Array:
        return np.linalg.cholesky(a, upper=self.upper)

    def backward(self, gy: Array) -> Array:
        factor = self.outputs[0]().data
        if self.upper:
            factor, gy = adjoint(factor), adjoint(gy)
        n = factor.shape[-1]
        half = (np.tril(np.ones((n, n))) - 0.5 * np.eye(n)).astype(factor.dtype)
        turned = swapped(factor)
        ga = np.linalg.solve(turned, half * (turned @ gy))
        ga = swapped(np.linalg.solve(turned.conj(), swapped(ga)))
        return (ga + adjoint(ga)) * 0.5


@documented
def cholesky(a: Array, /, *, upper: bool = False) -> Variable:
    """Triangular factor L of ``a == L @ L.conj().T``: ``np.linalg.cholesky``.

    a: shape ``(..., n, n)``. It counts as Hermitian, or symmetric, and positive definite.
    upper: read the upper triangle, not the lower, and return the upper factor, the adjoint of L.
    Returns: shape of `a`.
    Derivative: that of the equation; the gradient is Hermitian, as if both triangles were read.
    Raises LinAlgError (ValueError): if `a` is not positive definite, or not square.
    Source: Smith 1995; Murray 2016.

    >>> cholesky(Variable(np.array([[4.0, 2.0], [2.0, 5.0]])))
    variable([[2. 0.]
              [1. 2.]])
    """
    return Cholesky(upper)(a)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""

    def hermitian(a: Array) -> Array:
        return (a + adjoint(a)) / 2.0

    def draw(*shape: int) -> Draw:
        n = shape[-1]
        return Draw(shape, (-1.0, 1.0), project=hermitian, plus=(n + 1.0) * np.eye(n))

    shapes = (3, 3), (2, 2), (1, 1), (2, 2, 2), (2, 1, 3, 3), (0, 0), (0, 2, 2), (2, 0, 0)
    calls = [Call(draw(*shape)) for shape in shapes]
    calls += [Call(draw(3, 3), upper=True), Call(draw(2, 2, 2), upper=True)]
    register(
        "linalg.cholesky",
        cholesky,
        Cholesky,
        numpy=np.linalg.cholesky,
        sample=Sample(tuple(calls), complex=True),
    )
