"""Determinants, and their logarithms.

Where there is no inverse to compute it from, the derivative of a determinant is that of a product.

Let U and V be orthogonal, and B = U* A V. Then det(A) is det(B) up to a constant factor, and with
an invertible block B11 of r rows and columns,

    det(B) = det(B11) det(T),    T = B22 - B21 B11^-1 B12.

The singular vectors of A bring its rank r into B11, and leave in T what (nearly) vanishes; whose
determinant, and its derivatives, are computed without a division. Since U and V may be any
constants, all derivatives are right, though these were chosen to suit one matrix.

Source: Stewart 1998 (the adjugate by orthogonal matrices); Faddeev and Leverrier, as in
Gantmacher 1959, chapter IV, section 5.
"""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import Array, certain, possible

from ..arguments import data_of
from ..declaring import Call, Draw, applying, operation
from ..gradients import conjugated
from .results import SlogdetResult
from .spectra import adjoint, swapped
from .triangles import inverted

# None of them singular, where the logarithm has no derivative.
_SHAPES = (2, 2), (3, 3), (1, 1), (2, 2, 2), (2, 1, 3, 3), (0, 0), (2, 0, 0), (0, 2, 2)
_REGULAR = [
    *(Call(Draw(shape, plus=5.0 * np.eye(shape[-1]))) for shape in _SHAPES),
    Call(Draw((2, 2), (0.0, 1.0), plus=[[0.0, 2.0], [2.0, 0.0]])),
]
_MIXED = np.array([np.eye(3), np.diag([3.0, 2.0, 0.0]), np.diag([0.0, 2.0, 0.0])])


#: A condition number beyond which a matrix counts as nearly singular.
_LARGE = 1e3


def ill_conditioned(a: Array) -> Array:
    """Return which of the matrices are nearly singular."""
    s = np.linalg.svd(a, compute_uv=False)
    return np.min(s, axis=-1, initial=np.inf) * _LARGE < np.max(s, axis=-1, initial=0.0)


def cofactors(a: Array, out_of_range: Array) -> Array:
    """Return the cofactors of matrices: ``det(a) a^-T`` where the determinant is in range."""
    n = a.shape[-1]
    matrices = a.reshape((out_of_range.size, n, n))
    values, out_of_range = data_of(matrices), out_of_range.reshape(-1)
    finite = np.isfinite(values).all(axis=(-2, -1))
    regular = np.flatnonzero(~out_of_range)
    broken = np.flatnonzero(out_of_range & ~finite)
    numbers = [regular, broken]
    parts = [_of_regular(matrices[regular]), matrices[broken] * np.nan]
    singular = np.flatnonzero(out_of_range & finite)
    u, s, vh = np.linalg.svd(values[singular])
    ranks = np.minimum(np.sum(s > s[..., :1] / _LARGE, axis=-1), n - 1)
    for rank in np.unique(ranks):
        chosen = ranks == rank
        numbers.append(singular[chosen])
        parts.append(_of_rank(matrices[singular[chosen]], u[chosen], vh[chosen], int(rank)))
    order = np.argsort(np.concatenate(numbers))
    return np.concatenate(parts)[order].reshape(a.shape)


def _of_regular(a: Array) -> Array:
    return np.linalg.det(a)[..., None, None] * swapped(np.linalg.inv(a))


def _of_rank(a: Array, u: Array, vh: Array, rank: int) -> Array:
    """Return the cofactors, from bases in which the first `rank` rows and columns matter."""
    phase = (np.linalg.det(u) * np.linalg.det(vh))[..., None, None]
    u1, u2, v1, v2 = u[..., :rank], u[..., rank:], vh[..., :rank, :], vh[..., rank:, :]
    b1, b2 = adjoint(u1) @ a, adjoint(u2) @ a
    b11, b12, b21, b22 = b1 @ adjoint(v1), b1 @ adjoint(v2), b2 @ adjoint(v1), b2 @ adjoint(v2)
    inverse = np.linalg.inv(b11)
    factor = phase * np.linalg.det(b11)[..., None, None]
    determinant, of_rest = _without_division(b22 - b21 @ inverse @ b12)
    u1, u2, v1, v2 = (conjugated(basis) for basis in (u1, u2, v1, v2))
    rows = u1 @ swapped(b21 @ inverse) - u2
    columns = swapped(inverse @ b12) @ v1 - v2
    of_block = u1 @ swapped(inverse) @ v1
    return factor * (determinant * of_block + rows @ of_rest @ columns)


def cofactors_of_lazy(a: Array, out_of_range: Array) -> Array:
    """Return the same of matrices whose values nobody knows yet: a mask stands for the rank.

    Blocks are of full size here: B11 with ones on the rest of the diagonal, T with zeros before.
    """
    n, out_of_range = a.shape[-1], out_of_range[..., None, None]
    finite = np.all(np.isfinite(data_of(a)), axis=(-2, -1), keepdims=True)
    one = np.eye(n, dtype=a.dtype)
    regular, chosen = np.where(out_of_range, one, a), np.where(out_of_range & finite, a, 0.0)
    u, s, vh = np.linalg.svd(data_of(chosen))
    first = (s > s[..., :1] / _LARGE) & (np.arange(n) < n - 1)
    rest = ~first[..., :, None] & ~first[..., None, :]
    block = first[..., :, None] & first[..., None, :]
    b = adjoint(u) @ chosen @ adjoint(vh)
    b11 = np.where(block, b, one)
    inverse = np.where(block, np.linalg.inv(b11), 0.0)
    factor = (np.linalg.det(u) * np.linalg.det(vh) * np.linalg.det(b11))[..., None, None]
    t = np.where(rest, b - b @ inverse @ b, 0.0)
    rows = max(n, 1) - np.sum(first, axis=-1)[..., None, None]
    determinant, of_rest = _without_division(t, rows.astype(s.dtype))
    left, right = swapped(b @ inverse) - one, swapped(inverse @ b) - one
    inner = determinant * swapped(inverse) + left @ np.where(rest, of_rest, 0.0) @ right
    found = factor * (conjugated(u) @ inner @ conjugated(vh))
    found = found + a * np.where(finite, 0.0, np.nan).astype(s.dtype)
    return np.where(out_of_range, found, _of_regular(regular))


def _without_division(t: Array, rows: Array | None = None) -> tuple[Array, Array]:
    """Return determinants, as matrices of one element, and cofactors of small matrices.

    Of zeros but for its last `rows` and columns, these of that block: more steps are not taken.
    """
    n = t.shape[-1]
    one = np.eye(n, dtype=t.dtype)
    adjugate = one
    for k in range(1, n):
        product = t @ adjugate
        product = product - _trace(product) / k * one
        adjugate = product if rows is None else np.where(k < rows, product, adjugate)
    n = n if rows is None else rows
    sign = (-1.0) ** (n - 1)
    return _trace(t @ adjugate) * (sign / n), swapped(adjugate) * sign


def _trace(x: Array) -> Array:
    return np.einsum("...ii->...", x)[..., None, None]


class Det(Function):
    """Determinant of matrices: ``np.linalg.det``.

    a: shape ``(..., n, n)``.
    Returns: shape ``(...)``.
    Derivative: the cofactors, of singular matrices as well, and there too at every order.
    Raises LinAlgError (ValueError): if `a` is not square.
    Source: Jacobi's formula; Giles 2008, section 2.2; for singular matrices, Stewart 1998.

    >>> a = Variable(np.array([[1.0, 2.0], [3.0, 6.0]]))
    >>> y = det(a)
    >>> y.backward()
    >>> y, a.grad.round(12)
    (variable(0.0), array([[ 6., -3.],
           [-2.,  1.]]))
    """

    saves = ("inputs", "outputs")

    def forward(self, a: Array) -> Array:
        return np.linalg.det(a)

    def backward(self, gy: Array) -> Array:
        # d det(A) = sum(C * dA) with the cofactors C, which are det(A) A^-T where that exists.
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
        return (gy * y)[..., None, None] * swapped(inverted(a))


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
        return gl[..., None, None] * swapped(inverted(a))


@applying(SlogDet, *_REGULAR)
def slogdet(a: Array) -> SlogdetResult:
    """Sign of the determinant, and logarithm of its absolute value: ``np.linalg.slogdet``.

    a: shape ``(..., n, n)``.
    Returns: variables `sign` and `logabsdet`, of shape ``(...)``.
    Derivative of the logarithm: the transposed inverse; of the sign 0, and of a complex one, what
        turns it.
    Raises LinAlgError (ValueError): if `a` is not square; in ``backward()``, if it is singular.
    Source: ``numpy.linalg.slogdet``; Giles 2008, section 2.2.

    >>> slogdet(Variable(np.array([[0.0, 1.0], [1.0, 0.0]])))
    SlogdetResult(sign=variable(-1.0), logabsdet=variable(0.0))
    """
    return SlogdetResult(*SlogDet()(a))


det = operation(
    Det,
    *_REGULAR,
    *(Call(Draw((3, 3))), Call(Draw((4, 4)))),
    *(Call(Draw((n, n), (0.0, 0.0))) for n in (1, 2)),
    *(Call(Draw((3, 3, 3), (0.0, 0.0), plus=_MIXED)), Call(Draw((2, 2), (1.0, 1.0)))),
)
