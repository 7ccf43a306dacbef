"""Cholesky's decomposition, its gradient in few operations, and systems that are solved by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from dezero_ops_math.declaring import Call, Draw, applying, operation
from dezero_ops_math.gradients import conjugated
from dezero_ops_math.linalg.spectra import adjoint, hermitian, swapped
from scipy.linalg.blas import get_blas_funcs

from dezero_core import Function, Variable
from dezero_core.extend import Array

from ..arguments import pair_of
from .equations import SolveTriangular
from .systems import LAPACK, STACKS, HermitianSystem, Outer
from .systems import documented as documented


class Cholesky(Function):
    """Triangular factor of a positive definite matrix: ``scipy.linalg.cholesky``.

    a: shape ``(n, n)``. It counts as Hermitian, or symmetric.
    lower (bool): read the lower triangle and return L of ``a == L @ L.conj().T``; by default, the
        upper one, and U of ``a == U.conj().T @ U``.
    Returns: shape of `a`.
    Derivative: that of the equation; the gradient is Hermitian, as if both triangles were read.
    Raises LinAlgError (ValueError): if `a` is not positive definite.
    Source: Smith 1995; Murray 2016.
    Note: stacks of matrices, ``(..., n, n)``, as far as SciPy takes them.

    >>> a = Variable(np.array([[4.0, 2.0], [2.0, 5.0]]))
    >>> cholesky(a, lower=True)
    variable([[2. 0.]
              [1. 2.]])
    """

    saves = ("outputs",)
    arrays = LAPACK

    def __init__(
        self, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
    ) -> None:
        self.lower, self.check_finite = lower, check_finite

    def forward(self, a: Array) -> Array:
        return scipy.linalg.cholesky(a, self.lower, check_finite=self.check_finite)

    def backward(self, gy: Array) -> Array:
        factor = self.outputs[0]().data
        pair = (factor, conjugated(gy)) if self.lower else (adjoint(factor), swapped(gy))
        # The conjugate, that is, in the usual order of elements: LAPACK has columns.
        return swapped(CholeskyGradient().of(*pair))


class CholeskyGradient(Function):
    """Hermitian gradient of A = L L* by that of L. Of both operands the lower triangle is read.

    From A = L L*: dL = L h(L^-1 dA L^-*), where h takes the lower triangle, its diagonal halved.
    So gA is the Hermitian part of L^-* P L^-1 with P = h(L* gL). Gradients are those of
    dloss = Re(sum(conj(g) dz)) here.
    """

    arrays = LAPACK

    def forward(self, factor: Array, g: Array) -> Array:
        if factor.ndim > 2:
            return np.stack([self.forward(*each) for each in zip(factor, g, strict=True)])
        return _gradient(factor, g, get_blas_funcs(("gemm", "trmm", "trsm"), (factor, g)))

    def backward(self, gy: Array) -> tuple[Array, Array]:
        factor, g = (x.data for x in self.inputs)
        solve, solve_adjoint = SolveTriangular("N", lower=True), SolveTriangular("C", lower=True)
        lower = np.tril(factor)
        halves = _halves(factor.shape[-1]).astype(factor.real.dtype)
        p = halves * (adjoint(lower) @ g)
        # Both derivatives have the change H of A only as M = L^-1 H L^-*.
        m = adjoint(solve.of(factor, hermitian(conjugated(gy))))
        m = adjoint(solve.of(factor, m))
        turned = halves * m
        by_factor = g @ adjoint(turned) - solve_adjoint.of(factor, (p + adjoint(p)) @ m)
        return conjugated(np.tril(by_factor)), conjugated(lower @ turned)


def _halves(n: int) -> Array:
    """Return 1 below the diagonal, 1/2 on it, and 0 above."""
    return np.tri(n) - 0.5 * np.eye(n)


#: Up to so many rows a gradient is computed at once; larger ones, in four blocks.
_FEW = 64
_FEW_HALVES = _halves(_FEW)


def _gradient(factor: Array, g: Array, blas: Any) -> Array:
    """Return the gradient of a matrix by that of its factor L.

    In blocks, L22 is the factor of A22 - L21 L21*, and L21 = A21 L11^-*. Backwards that takes a
    third of the operations of the formula for the whole, which is for small matrices.
    """
    gemm, trmm, trsm = blas
    n, k = len(g), len(g) // 2
    if n <= _FEW:
        if n == 0:
            return g
        p = trmm(1.0, factor, g, lower=True, trans_a=2)
        p *= _FEW_HALVES[:n, :n]
        p = trsm(0.5, factor, p, lower=True, trans_a=2, overwrite_b=True)
        p = trsm(1.0, factor, p, lower=True, side=1, overwrite_b=True)
        return p + p.conj().T
    # By SciPy's BLAS throughout: NumPy has a BLAS of its own, and their threads get in each
    # other's way. It works on columns, so a block is copied, and that once.
    l11, l21 = np.asfortranarray(factor[:k, :k]), np.asfortranarray(factor[k:, :k])
    ga = np.empty((n, n), gemm.dtype, order="F")
    ga[k:, k:] = g22 = _gradient(np.asfortranarray(factor[k:, k:]), g[k:, k:], blas)
    g21 = gemm(-1.0, g22, l21, 0.5, g[k:, :k])
    ga[k:, :k] = g21 = trsm(1.0, l11, g21, side=1, lower=True, overwrite_b=True)
    ga[:k, k:] = g21.conj().T
    ga[:k, :k] = _gradient(l11, gemm(-2.0, g21, l21, 1.0, g[:k, :k], trans_a=2), blas)
    return ga


class ChoSolve(HermitianSystem):
    """The system of A = L L*, or U* U."""

    def forward(self, c: Array, b: Array) -> Array:
        return scipy.linalg.cho_solve((c, self.lower), b, check_finite=self.check_finite)

    def of_matrix(self, b: Array, x: Array, gx: Array, gb: Array) -> Array:
        # With the gradient M = -gb x* of A, that of L is (M + M*) L. By systems of L, which read
        # one triangle alone: x* L = (L^-1 b)*, and gb* L = (L^-1 gx)*.
        solve, c = SolveTriangular("N" if self.lower else "C", self.lower), self.inputs[0].data
        left = np.concatenate((-gb, -conjugated(x)), axis=-1)
        right = np.concatenate((solve.of(c, b), solve.of(c, conjugated(gx))), axis=-1)
        if not self.lower:  # the adjoint of it
            left, right = conjugated(right), conjugated(left)
        return Outer(self.lower).of(left, right)


def _draw(*shape: int) -> Any:
    n = shape[-1]
    return Draw(shape, (-1.0, 1.0), project=hermitian, plus=(n + 1.0) * np.eye(n))


_MATRICES, _STACK = [_draw(3, 3), _draw(1, 1)], _draw(2, 2, 2)
_FACTOR, _FACTORS = Draw((3, 3), plus=6.0 * np.eye(3)), Draw((2, 3, 3), plus=6.0 * np.eye(3))
_ROWS, _B = Draw((3,)), Draw((3, 2))

cholesky = operation(
    Cholesky,
    *map(Call, _MATRICES),
    *(Call(x, lower=True, overwrite_a=False, check_finite=False) for x in _MATRICES),
    *(Call(_STACK), Call(_draw(2, 1, 3, 3), lower=True), Call(_draw(0, 0))) * STACKS,
    reference=scipy.linalg.cholesky,
)


@applying(
    Cholesky,
    *(Call(_MATRICES[0]), Call(_MATRICES[0], lower=True, overwrite_a=False, check_finite=False)),
    *(Call(_STACK, True),) * STACKS,
    reference=lambda a, lower=False, *args, **kwargs: (
        scipy.linalg.cholesky(a, lower, *args, **kwargs),
        lower,
    ),
)
def cho_factor(
    a: Array, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Variable, bool]:
    """Cholesky's decomposition of a matrix, for `cho_solve`: ``scipy.linalg.cho_factor``.

    a: shape ``(n, n)``. It counts as Hermitian, or symmetric.
    lower (bool): as of `cholesky`.
    Returns (tuple of Variable and bool): the result of `cholesky`, and `lower`, one for a whole
        stack. Where SciPy leaves random numbers, in the other triangle, there are zeros.
    Derivative: as of `cholesky`.
    Raises LinAlgError (ValueError): if `a` is not positive definite.
    Source: Smith 1995; Murray 2016.

    >>> a, b = Variable(np.array([[4.0, 2.0], [2.0, 5.0]])), np.array([8.0, 12.0])
    >>> cho_solve(cho_factor(a), b)
    variable([1. 2.])
    """
    return Cholesky(lower, check_finite=check_finite)(a), lower


@applying(
    ChoSolve,
    *(Call((_FACTOR, lower), b) for lower in (False, True) for b in (_ROWS, _B)),
    Call((_FACTOR, False), Draw((3, 0)), overwrite_b=False, check_finite=False),
    *(Call((_FACTOR, True), Draw((2, 3, 2))), Call((_FACTORS, 0), _ROWS)) * STACKS,
    reference=scipy.linalg.cho_solve,
)
def cho_solve(
    c_and_lower: tuple[Array, bool], b: Array, overwrite_b: bool = False, check_finite: bool = True
) -> Variable:
    """Solution x of ``a @ x == b`` by Cholesky's factor of `a`: ``scipy.linalg.cho_solve``.

    c_and_lower (tuple of Variable or ndarray, and bool): what `cho_factor` returns: the factor, of
        shape ``(n, n)``, and whether its lower triangle is read.
    b: shape ``(n,)`` or ``(n, k)``.
    Returns: shape of `b`.
    Derivative: by `b`, the solution for ``gy``; by the factor, in the triangle that is read.
    Source: Giles 2008, sections 2.2 and 2.3: those of the product and of the solution.
    Note: stacks of matrices, ``(..., n, n)``, as far as SciPy takes them.

    >>> factor, b = np.array([[2.0, 1.0], [0.0, 2.0]]), Variable(np.array([8.0, 12.0]))
    >>> cho_solve((factor, False), b)
    variable([1. 2.])
    """
    c, lower = pair_of("linalg.cho_solve", c_and_lower)
    return ChoSolve(lower, check_finite)(c, b)
