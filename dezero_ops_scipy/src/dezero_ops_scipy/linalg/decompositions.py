"""The LU decomposition, systems that are solved by it, and the polar decomposition."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from dezero_ops_math.arguments import data_of
from dezero_ops_math.declaring import Call, Draw, applying
from dezero_ops_math.gradients import conjugated
from dezero_ops_math.linalg.spectra import adjoint, skew, swapped

from dezero_core import Function, Variable
from dezero_core.extend import Array

from ..arguments import pair_of, refuse_derivative
from .equations import SolveSylvester, SolveTriangular
from .systems import LAPACK, STACKS, Outer, System
from .systems import documented as documented


class LuFactor(Function):
    """L below the diagonal and U in the rest of one matrix, with the exchanges of rows.

    From P A = L U of square matrices: L^-1 P dA U^-1 = L^-1 dL + dU U^-1, of which the first is
    below the diagonal, and the second is not. Further rows are L2 U, and further columns L U2.
    """

    saves = ("outputs",)
    arrays = LAPACK

    def __init__(self, check_finite: Any = True) -> None:
        self.check_finite = check_finite

    def forward(self, a: Array) -> tuple[Array, Array]:
        lu, piv = scipy.linalg.lu_factor(a, check_finite=self.check_finite)
        return lu, piv

    def backward(self, g: Array, _: Array) -> Array:
        lu, piv = (output().data for output in self.outputs)
        m, n = lu.shape[-2:]
        k = min(m, n)
        square, ga = lu[..., :k, :k], g[..., :k, :k]
        lower, upper = np.tril(square, -1), np.triu(square)
        by_lower, by_upper, beyond = ga, ga, None
        if m > n:
            beyond = _over_upper(square, g[..., k:, :])
            by_upper = ga - swapped(lu[..., k:, :]) @ beyond
        elif n > m:
            beyond = SolveTriangular("T", True, True).of(square, g[..., k:])
            by_lower = ga - beyond @ swapped(lu[..., k:])
        below = np.tril(swapped(lower) @ by_lower + by_lower, -1)
        inner = below + np.triu(by_upper @ swapped(upper))
        ga = _over_upper(square, SolveTriangular("T", True, True).of(square, inner))
        if beyond is not None:
            ga = np.concatenate((ga, beyond), axis=-2 if m > n else -1)
        # A Function, so that in a batch they are found one by one.
        places = data_of(Places(m)(data_of(piv)))
        return np.take_along_axis(ga, places[..., None], axis=-2)


def _over_upper(lu: Array, x: Array) -> Array:
    """Return ``x @ inv(U).T``."""
    return swapped(SolveTriangular("N").of(lu, swapped(x)))


class Places(Function):
    """For each of m rows, where it is after the exchanges of LAPACK."""

    saves = ()
    arrays = LAPACK

    def __init__(self, m: int) -> None:
        self.m = m

    def forward(self, piv: Array) -> Array:
        rows = np.broadcast_to(np.arange(self.m), (*piv.shape[:-1], self.m)).copy()
        for index in np.ndindex(piv.shape[:-1]):
            for row, other in enumerate(piv[index]):
                rows[index][[row, other]] = rows[index][[other, row]]
        return np.argsort(rows, axis=-1)


class LuSolve(System):
    """The system of A = P^T L U, of its transpose or of its adjoint, by (lu, b, piv)."""

    def __init__(self, trans: Any, check_finite: Any = False) -> None:
        self.trans, self.check_finite = trans, check_finite

    def forward(self, lu: Array, b: Array, piv: Array) -> Array:
        return scipy.linalg.lu_solve((lu, piv), b, self.trans, check_finite=self.check_finite)

    def adjoint_solution(self, gx: Array) -> Array:
        lu, piv = self.inputs[0].data, self.inputs[2].data
        solve = LuSolve(1 if self.trans == 0 else 0)
        if self.trans == 2:
            return conjugated(solve.of(lu, conjugated(gx), piv))
        return solve.of(lu, gx, piv)

    def of_matrix(self, b: Array, x: Array, gx: Array, gb: Array) -> Array:
        # Of P A = L U the gradient is -P left right^T, if that of A is -left right^T. As `left`
        # solves the transposed system for `given`, P left = L^-T U^-T given.
        lu = self.inputs[0].data
        right, given = (x, gx) if self.trans == 0 else (gb, b)
        if self.trans == 2:
            right, given = conjugated(right), conjugated(given)
        of_upper = SolveTriangular("T").of(lu, given)
        left = SolveTriangular("T", True, True).of(lu, of_upper)
        below = Outer(lower=True, without_diagonal=True).of(-left, np.triu(lu) @ right)
        return below + Outer(lower=False).of(-of_upper, right)


class Polar(Function):
    """U and P of A = U P, or P U: U is the same, and P is U* A, or A U*.

    For as many rows as columns or more, with P of the right: the part of dU within the columns of
    U is U X, with X P + P X = U* dA - dA* U, and the part beyond that of dA P^-1. Otherwise the
    same holds for the adjoints.
    """

    saves = ("inputs", "outputs")
    arrays = LAPACK

    def __init__(self, side: Any) -> None:
        self.side = side

    def forward(self, a: Array) -> tuple[Array, Array]:
        u, p = scipy.linalg.polar(a, self.side)
        return u, p

    def backward(self, gu: Array, gp: Array) -> Array:
        u = self.outputs[0]().data
        a = self.inputs[0].data.astype(u.dtype)  # NumPy solves no systems of longdouble
        gu, gp = conjugated(gu), conjugated(gp)
        if self.side == "right":
            gu, ga = gu + a @ adjoint(gp), u @ gp
        else:
            gu, ga = gu + adjoint(gp) @ a, gp @ u
        if a.shape[-2] >= a.shape[-1]:
            ga = ga + _of_unitary(a, u, gu)
        else:
            ga = ga + adjoint(_of_unitary(adjoint(a), adjoint(u), adjoint(gu)))
        return conjugated(ga)


def _of_unitary(a: Array, u: Array, gu: Array) -> Array:
    """Return the gradient by a matrix, not wider than tall, of its unitary factor U alone."""
    p, within = adjoint(u) @ a, adjoint(u) @ gu
    ga = 2.0 * u @ SolveSylvester().of(p, p, skew(within))
    if a.shape[-2] == a.shape[-1]:
        return ga
    return ga + adjoint(np.linalg.solve(p, adjoint(gu - u @ within)))


_PLUS = 6.0 * np.eye(4)
_SHAPES: Any = ((3, 3), (3, 2), (2, 4), (1, 1), *((2, 2, 2), (2, 1, 2, 3)) * STACKS)
_NEAR = [Draw(shape, plus=_PLUS[: shape[-2], : shape[-1]]) for shape in _SHAPES]
_TURNED, _PIV = Draw((3, 3), plus=_PLUS[[1, 2, 0], :3]), np.array([1, 2, 2])
_B, _ROWS, _STACK = Draw((3, 2)), Draw((3,)), Draw((2, 3, 3), plus=_PLUS[:3, :3])


@applying(
    LuFactor,
    *map(Call, _NEAR),
    Call(_TURNED, overwrite_a=False, check_finite=False),
    reference=scipy.linalg.lu_factor,
)
def lu_factor(
    a: Array, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Variable, Array]:
    """LU decomposition with exchanges of rows, for `lu_solve`: ``scipy.linalg.lu_factor``.

    a: shape ``(m, n)``.
    Returns (tuple of Variable and ndarray): L below the diagonal and U in the rest of one matrix,
        and the rows that were exchanged, a constant.
    Derivative: that of the equation ``P @ a == L @ U``, where the exchanges stay the same.
    Raises LinAlgError (ValueError): in ``backward()``, if `a` is singular.
    Source: de Hoog, Anderssen and Lukas 2011.
    Note: stacks of matrices, ``(..., m, n)``, as far as SciPy takes them.

    >>> a, b = Variable(np.array([[1.0, 2.0], [2.0, 2.0]])), np.array([5.0, 6.0])
    >>> lu_solve(lu_factor(a), b)
    variable([1. 2.])
    """
    lu, piv = LuFactor(check_finite)(a)
    return lu, data_of(piv)


@applying(
    LuSolve,
    *(Call((_TURNED, _PIV), b, trans) for trans in range(3) for b in (_ROWS, _B)),
    Call((_TURNED, _PIV), Draw((3, 0)), trans=1, overwrite_b=False, check_finite=False),
    *(Call((_TURNED, _PIV), Draw((2, 3, 2))), Call((_STACK, np.array([_PIV] * 2)), _ROWS, 1))
    * STACKS,
    reference=scipy.linalg.lu_solve,
)
def lu_solve(
    lu_and_piv: tuple[Array, Array],
    b: Array,
    trans: int = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Variable:
    """Solution x of ``a @ x == b`` by the LU decomposition of `a`: ``scipy.linalg.lu_solve``.

    lu_and_piv (tuple of Variable or ndarray, and ndarray of int): what `lu_factor` returns for a
        matrix of shape ``(n, n)``.
    b: shape ``(n,)`` or ``(n, k)``.
    trans ({0, 1, 2}): solve with `a`, with its transpose, or with its adjoint.
    Returns: shape of `b`.
    Derivative: by `b`, the transposed system's solution for ``gy``; by the factors, that of their
        product.
    Source: Giles 2008, sections 2.2 and 2.3.
    Note: stacks of matrices, ``(..., n, n)``, as far as SciPy takes them.

    >>> lu, b = np.array([[2.0, 2.0], [0.5, 1.0]]), Variable(np.array([5.0, 6.0]))
    >>> lu_solve((lu, np.array([1, 1])), b)
    variable([1. 2.])
    """
    lu, piv = pair_of("linalg.lu_solve", lu_and_piv)
    refuse_derivative("linalg.lu_solve", piv=piv)
    return LuSolve(trans, check_finite)(lu, b, piv)


@applying(
    Polar,
    *map(Call, _NEAR),
    *(Call(x, side="left") for x in _NEAR),
    Call(_TURNED, "left"),
    reference=scipy.linalg.polar,
)
def polar(a: Array, side: str = "right") -> tuple[Variable, Variable]:
    """Polar decomposition ``a == u @ p``, or ``p @ u``: ``scipy.linalg.polar``.

    a: shape ``(m, n)``, of full rank.
    side ({"right", "left"}): where the Hermitian factor stands.
    Returns (tuple of Variable): `u`, of the shape of `a`, with orthonormal columns or rows; and
        `p`, Hermitian and not negative, of shape ``(n, n)`` or ``(m, m)``.
    Derivative: that of the equation. Equal singular values do not matter.
    Raises ValueError: if `a` is no matrix, or `side` is something else.
    Raises LinAlgError (ValueError): in ``backward()``, if `a` is not square and not of full rank.
    Source: Higham 2008, *Functions of Matrices*, chapter 8.
    Note: where a square matrix is singular, there is no derivative, and what comes out means
        nothing. Stacks of matrices, ``(..., m, n)``, as far as SciPy takes them.

    >>> u, p = polar(Variable(np.array([[0.0, -2.0], [3.0, 0.0]])))
    >>> u
    variable([[ 0. -1.]
              [ 1.  0.]])
    >>> p
    variable([[3. 0.]
              [0. 2.]])
    """
    u, p = Polar(side)(a)
    return u, p
