"""Linear systems that are solved as well as they can be."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..docstrings import documented
from .singular import Svdvals
from .spectra import adjoint, swapped


class LstSq(Function):
    """With P the pseudoinverse and r = b - A x, both orthogonal to what A gives and takes:

    dx = P (db - dA x) + P P* dA* r + (I - P A) dA* P* x, and d|r|**2 = 2 Re(r* (db - dA x)).
    """

    saves = ("inputs", "outputs")

    def __init__(self, rcond: Any) -> None:
        self.rcond = rcond

    def forward(self, a: Array, b: Array) -> tuple[Array, ...]:
        return tuple(np.linalg.lstsq(a, b, self.rcond))

    def backward(self, gx: Array, gresiduals: Array, *_: Array) -> tuple[Array, Array]:
        a, b = self.inputs[0].data, self.inputs[1].data
        x, residuals, rank = (output().data for output in self.outputs[:3])
        if b.ndim == 1:
            b, x, gx = b[:, None], x[:, None], gx[:, None]
        p = np.linalg.pinv(a, _cut_off(self.rcond, a.shape, x.dtype))
        gb = of_x = swapped(p) @ gx
        r = b - a @ x
        if len(residuals):
            gb = of_x + r.conj() * (2.0 * gresiduals)
        ga = -(gb @ swapped(x))
        # Otherwise the equations are all fulfilled, and r is 0.
        if rank < len(a):
            ga = ga + r.conj() @ adjoint(of_x) @ swapped(p)
        if rank < a.shape[1]:
            beyond = swapped(gx) - (swapped(gx) @ p) @ a
            ga = ga + (adjoint(p) @ x @ beyond).conj()
        return ga, gb.reshape(self.inputs[1].shape)


class KnownSingularValues(Svdvals):
    """Singular values that have been computed already; U and V for a gradient have not."""

    def __init__(self, s: Array) -> None:
        super().__init__(hermitian=False)
        self.s = s

    def forward(self, a: Array) -> Array:
        return self.s


@documented
def lstsq(a: Array, b: Array, rcond: Any = None) -> tuple[Variable, ...]:
    """Least-squares solution of ``a @ x == b``, the shortest: ``np.linalg.lstsq``.

    a: shape ``(m, n)``.
    b: shape ``(m,)`` or ``(m, k)``.
    rcond (float, optional): singular values count as 0 up to this part of the largest; by default
        ``max(m, n)`` times the precision of float64.
    Returns (tuple of Variable): `x`, of shape ``(n,)`` or ``(n, k)``; `residuals`, the sums of the
        squares that remain, of shape ``(1,)`` or ``(k,)``, or ``(0,)`` if `a` has not more rows
        than columns, or its columns depend on each other; `rank` of `a`, an integer, which is a
        constant; and `s`, the singular values of `a`.
    Derivative of `x` and `residuals`: that of the normal equations where `a` has full rank.
        Otherwise `x` jumps when the rank changes, and has no derivative; what you get is that for
        changes of `a` which leave its rank as it is.
    Raises LinAlgError (ValueError): if the shapes do not fit, or the computation does not converge.
    Source: Golub and Pereyra 1973.
    Note: singular values that count as 0 do so for the derivative, as in `pinv`.

    >>> a = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> x, residuals, rank, s = lstsq(a, Variable(np.array([1.0, 3.0, 5.0])))
    >>> x.data.round(12), rank
    (array([1., 2.]), variable(2))
    """
    x, residuals, rank, s = LstSq(rcond)(a, b)
    return x, residuals, rank, KnownSingularValues(s.data)(a)


def _cut_off(rcond: Any, shape: tuple[int, ...], dtype: Any) -> float:
    """Return what `rcond` is for ``pinv``, which does not compute all in float64."""
    least = max(shape) * float(np.finfo(dtype).eps)
    return least if rcond is None else max(least, float(rcond))


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""

    def apart(a: Array, b: Array) -> Array:
        s = np.linalg.svd(a, compute_uv=False)
        return np.append(s, np.abs(np.diff(s))) / 2.0

    shapes: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
        ((4, 2), (4,)),
        ((4, 2), (4, 3)),
        ((2, 2), (2,)),
        ((2, 4), (2,)),
        ((2, 4), (2, 3)),
        ((3, 1), (3, 1)),
        ((1, 1), (1,)),
        ((3, 2), (3, 0)),
        ((3, 0), (3,)),
    )
    calls = [Call(Draw(a), Draw(b)) for a, b in shapes]
    calls += [Call(Draw((3, 2)), Draw((3,)), rcond=-1), Call(Draw((3, 2)), Draw((3,)), 1e-9)]
    register(
        "linalg.lstsq",
        lstsq,
        LstSq,
        numpy=np.linalg.lstsq,
        sample=Sample(tuple(calls), apart=apart, complex=True),
    )
