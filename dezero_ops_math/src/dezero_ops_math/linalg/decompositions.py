"""The Cholesky and the QR decomposition."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function
from dezero_core.extend import Array

from ..declaring import Call, Draw, applying, operation
from ..gradients import conjugated
from .results import QRResult
from .spectra import adjoint, hermitian, swapped
from .triangles import at_once, solved, substituted

_SHAPES = (3, 3), (2, 2), (1, 1), (2, 2, 2), (2, 1, 3, 3), (0, 0), (0, 2, 2), (2, 0, 0)
_SQUARE = [Draw((n, n), (-1.0, 1.0), plus=2.0 * np.eye(n)) for n in (1, 2, 3)]
_STACK = Draw((2, 1, 3, 2), (-1.0, 1.0), plus=2.0 * np.eye(3, 2))
_TALL, _WIDE = (Draw(s, (-1.0, 1.0), plus=2.0 * np.eye(*s)) for s in ((3, 2), (2, 4)))
_EMPTY = [Draw(shape) for shape in ((0, 0), (0, 2), (2, 0), (0, 2, 2))]


def _real(a: Array) -> Array:
    # The phase of a complex column that "complete" adds is not differentiated.
    return a.real.astype(a.dtype)


def _draw(*shape: int) -> Any:
    n = shape[-1]
    return Draw(shape, (-1.0, 1.0), project=hermitian, plus=(n + 1.0) * np.eye(n))


class Cholesky(Function):
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

    saves = ("outputs",)

    def __init__(self, *, upper: bool = False) -> None:
        self.upper = upper

    def forward(self, a: Array, /) -> Array:
        return np.linalg.cholesky(a, upper=self.upper)

    def backward(self, gy: Array) -> Array:
        factor = self.outputs[0]().data
        if self.upper:
            factor, gy = adjoint(factor), adjoint(gy)
        if factor.shape[-1] <= _FEW:
            return cholesky_gradient(conjugated(factor), gy)
        return at_once(cholesky_gradient_by_halves, cholesky_gradient, conjugated(factor), gy)


#: Up to so many rows the gradient of a factor is computed at once; of larger ones, by halves.
_FEW = 64
_FEW_HALVED = np.tri(_FEW) - 0.5 * np.eye(_FEW)


def cholesky_gradient(c: Array, gy: Array) -> Array:
    """Return the gradient of A by that of its factor L, of which `c` is the conjugate.

    From L L* = A: dL = L h(L^-1 dA L^-*), where h takes the lower triangle, its diagonal halved.
    For real numbers gA is the symmetric part of L^-T h(L^T gL) L^-1.
    """
    n = c.shape[-1]
    halved = _FEW_HALVED[:n, :n] if n <= _FEW else np.tri(n) - 0.5 * np.eye(n)
    turned = adjoint(c)
    ga = np.linalg.solve(turned, halved.astype(c.dtype) * (turned @ gy))
    ga = swapped(np.linalg.solve(swapped(c), swapped(ga)))
    return hermitian(ga)


def cholesky_gradient_by_halves(c: Array, gy: Array) -> Array:
    """Return the same of ndarrays in a fifth of the time, nearly all of it in products.

    In blocks, L22 is the factor of A22 - L21 L21*, and L21 = A21 L11^-*; this is undone.
    """
    n, k = c.shape[-1], c.shape[-1] // 2
    if n <= _FEW:
        return cholesky_gradient(c, gy)
    c11, c21, c22 = c[..., :k, :k], c[..., k:, :k], c[..., k:, k:]
    ga = np.empty(c.shape, c.dtype)
    ga[..., k:, k:] = g22 = cholesky_gradient_by_halves(c22, gy[..., k:, k:])
    g21 = gy[..., k:, :k] * 0.5 - g22 @ c21
    turned = substituted(swapped(c11), swapped(g21), lower=False)
    ga[..., k:, :k] = swapped(turned)
    ga[..., :k, k:] = g12 = conjugated(turned)
    ga[..., :k, :k] = cholesky_gradient_by_halves(c11, gy[..., :k, :k] - g12 @ c21 * 2.0)
    return ga


class Qr(Function):
    """With C = Q* dA R^-1: Q* dQ is the skew matrix that has C below its diagonal."""

    saves = ("outputs",)

    def __init__(self, mode: Any) -> None:
        self.mode = mode

    def forward(self, a: Array) -> tuple[Array, Array]:
        q, r = np.linalg.qr(a, self.mode)
        return q, r

    def backward(self, gq: Array, gr: Array) -> Array:
        q, r = (output().data for output in self.outputs)
        return _qr_gradient(q, r, gq, gr)


class QrOfR(Function):
    """The same for R alone. Q is computed when a gradient is wanted."""

    def forward(self, a: Array) -> Array:
        return np.linalg.qr(a, "r")

    def backward(self, gr: Array) -> Array:
        q, r = np.linalg.qr(self.inputs[0].data)
        return _qr_gradient(q, r, np.zeros(q.shape, q.dtype), gr)


def _qr_gradient(q: Array, r: Array, gq: Array, gr: Array) -> Array:
    m, n = q.shape[-2], r.shape[-1]
    k = min(m, n)
    # Columns after the first m only decide about those of R, by R2 = Q* A2.
    r1, r2, gr1, gr2 = r[..., :k, :k], r[..., :k, k:], gr[..., :k, :k], gr[..., :k, k:]
    q1c, gq1 = conjugated(q[..., :k]), gq[..., :k]
    if n > m:
        gq1 = gq1 + q1c @ conjugated(r2) @ adjoint(gr2)
    inner = gr1 @ swapped(r1) - adjoint(q1c) @ gq1
    inner = inner * (np.tri(k, dtype=bool).T - 0.5 * np.eye(k)).astype(inner.dtype)
    leaving = gq1 + q1c @ (inner + adjoint(inner))
    if q.shape[-1] > k:  # the columns that mode "complete" adds turn against the others
        leaving = leaving - conjugated(q[..., k:]) @ adjoint(gq[..., k:]) @ q1c
    ga = swapped(solved(r1, swapped(leaving)))
    return np.concatenate([ga, q1c @ gr2], axis=-1) if n > m else ga


@applying(
    Qr,
    *(Call(x) for x in [*_SQUARE, _STACK, _TALL, _WIDE, *_EMPTY]),
    *(Call(x, "complete") for x in [_SQUARE[2], _WIDE]),
    Call(Draw((3, 2), (-1.0, 1.0), _real, 2.0 * np.eye(3, 2)), mode="complete"),
    *(Call(x, mode="r") for x in [_SQUARE[1], _STACK, _TALL, _WIDE, _EMPTY[1]]),
)
def qr(a: Array, mode: str = "reduced") -> Any:
    """QR decomposition ``a == Q @ R``: ``np.linalg.qr``.

    a: shape ``(..., m, n)``, of full rank.
    mode ({"reduced", "complete", "r"}): "complete" makes `Q` square, "r" gives `R` alone.
    Returns (QRResult or Variable): variables `Q` and `R`, or `R` alone.
    Derivative: that of the equation, with unitary `Q` and upper triangular `R` of a real diagonal.
    Raises LinAlgError (ValueError): if `a` is no matrix; in ``backward()``, if its first
        ``min(m, n)`` columns are not independent.
    Raises ValueError: if `mode` is "raw" or "economic", which give reflectors, or something else.
    Source: Walter and Lehmann 2010; Roberts and Roberts 2020 (for m < n).
    Note: the columns that "complete" adds are any basis of a space, if they are several (or one,
        and complex); the gradient is right for a loss that does not depend on the basis.

    >>> a = Variable(np.array([[0.0, 2.0], [-1.0, 0.0]]))
    >>> q, r = qr(a)
    >>> r.shape
    (2, 2)
    """
    if isinstance(mode, str) and mode in ("raw", "economic"):
        raise ValueError(
            f"np.linalg.qr with a Variable takes no mode={mode!r}: it gives reflectors, for LAPACK "
            "to go on with. Use 'reduced', 'complete' or 'r'."
        )
    if isinstance(mode, str) and mode == "r":
        return QrOfR()(a)
    return QRResult(*Qr(mode)(a))


cholesky = operation(
    Cholesky,
    *(Call(_draw(*shape)) for shape in _SHAPES),
    *(Call(_draw(3, 3), upper=True), Call(_draw(2, 2, 2), upper=True)),
)
