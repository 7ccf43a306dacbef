"""The singular value decomposition, and singular values alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import Array

from ..arguments import data_of
from ..declaring import Call, Draw, applying
from ..gradients import conjugated
from .results import SVDResult
from .spectra import adjoint, hermitian, over, over_differences, over_sums, rounding, skew, swapped


def _real(a: Array) -> Array:
    # Of complex U and V the phases are not differentiated: LAPACK keeps them at 0 as long as
    # the matrices are real.
    return a.real.astype(a.dtype)


def _real_symmetric(a: Array) -> Array:
    return _real(a + swapped(a)) / 2.0


# Near these LAPACK does not change its mind about signs.
_NEAR: dict[tuple[int, int], Any] = {
    (1, 1): [[2.0]],
    (2, 2): [[-1.0, 5.0], [-5.0, -5.0]],
    (3, 3): [[3.0, 3.0, 4.0], [-3.0, -4.0, 5.0], [-5.0, 1.0, 5.0]],
    (3, 2): [[-5.0, 4.0], [4.0, -5.0], [-4.0, -2.0]],
    (2, 3): [[-5.0, -5.0, -2.0], [5.0, 5.0, -5.0]],
    (4, 2): [[-5.0, -4.0], [-5.0, -2.0], [-5.0, 2.0], [3.0, 5.0]],
    (2, 4): [[5.0, -4.0, 5.0, 4.0], [4.0, 5.0, 5.0, 5.0]],
}

# Where U or V has one column more than there are singular values, that is a choice of sign.
_SHAPES = (3, 3), (3, 2), (2, 3), (1, 1), (2, 2, 2), (2, 1, 3, 2), (0, 0), (0, 1), (1, 0)
_MORE = (*_SHAPES, (4, 2), (2, 4), (0, 2, 2), (2, 0, 3), (3, 0))
_SQUARE = [[-4.0, -3.0, -2.0], [-3.0, 5.0, -5.0], [-2.0, -5.0, 4.0]]
_SYMMETRIC = Draw((3, 3), (-0.2, 0.2), _real_symmetric, _SQUARE)
_OF_VALUES = (3, 3), (3, 2), (2, 4), (1, 1), (2, 2, 2), (2, 1, 3, 2), (0, 0), (0, 2), (2, 3, 0)


def _near(shapes: Any, project: Any = None, **options: Any) -> list[Any]:
    draws = [Draw(shape, (-0.2, 0.2), project, _NEAR.get(shape[-2:], 0.0)) for shape in shapes]
    return [Call(draw, **options) for draw in draws]


def _apart(x: Array) -> Array:
    s = np.linalg.svd(x, compute_uv=False)
    return np.concatenate([np.ravel(s), np.ravel(-np.diff(s))]) / 2.0


class Svd(Function):
    """With P = U* dA V: ds = Re(diag(P)), U* dU = D + S, V* dV = D - S.

    D is the Hermitian part of P over s_j - s_i, S its skew one over s_i + s_j.
    """

    saves = ("outputs",)
    materialize_grads = False

    def __init__(self, full_matrices: bool, hermitian: bool) -> None:
        self.full_matrices, self.hermitian = full_matrices, hermitian

    def forward(self, a: Array) -> tuple[Array, Array, Array]:
        u, s, vh = np.linalg.svd(a, self.full_matrices, hermitian=self.hermitian)
        return u, s, vh

    def backward(self, gu: Array | None, gs: Array | None, gvh: Array | None) -> Array:
        u, s, vh = (output().data for output in self.outputs)
        k = s.shape[-1]
        # By U and V with a column for each singular value.
        uc, vt = conjugated(u[..., :k]), conjugated(vh[..., :k, :])
        ga = uc * 0.0 @ vt if gs is None else (uc * (gs * np.sign(s))[..., None, :]) @ vt
        if gu is not None or gvh is not None:
            gu = u * 0.0 if gu is None else gu
            gvh = vh * 0.0 if gvh is None else gvh
            ga = ga + self._of_vectors(gu, gvh, u, s, vh)
        return hermitian(ga) if self.hermitian else ga

    @staticmethod
    def _of_vectors(gu: Array, gvh: Array, u: Array, s: Array, vh: Array) -> Array:
        m, n, k = u.shape[-2], vh.shape[-1], s.shape[-1]
        size, small = max(m, n), rounding(s, max(m, n))
        uc, vt = conjugated(u[..., :k]), conjugated(vh[..., :k, :])
        # In the space of these columns at first.
        of_u, of_v = adjoint(uc) @ gu[..., :k], -(gvh[..., :k, :] @ adjoint(vt))
        used = (data_of(of_u) != 0) | (data_of(of_v) != 0)
        turned = over_differences(skew(of_u + of_v), s, size, used)
        turned = turned + over_sums(skew(of_u - of_v), s, size, used)
        ga = uc @ turned @ vt
        if m > k:
            leaving = gu[..., :k] - uc @ of_u
            if u.shape[-1] > k:  # the columns that are left over turn against the others
                leaving = leaving - conjugated(u[..., k:]) @ adjoint(gu[..., k:]) @ uc
            columns, small_columns = s[..., None, :], small[..., None, :]
            ga = ga + over(leaving, columns, small_columns, data_of(leaving) != 0) @ vt
        if n > k:
            leaving = gvh[..., :k, :] + of_v @ vt
            if vh.shape[-2] > k:
                leaving = leaving - vt @ adjoint(gvh[..., k:, :]) @ conjugated(vh[..., k:, :])
            rows, small_rows = s[..., :, None], small[..., :, None]
            ga = ga + uc @ over(leaving, rows, small_rows, data_of(leaving) != 0)
        return ga


class Svdvals(Function):
    """ds = Re(diag(U* dA V)), 0 where s is 0. U and V are computed when a gradient is wanted."""

    def __init__(self, hermitian: bool) -> None:
        self.hermitian = hermitian

    def forward(self, a: Array) -> Array:
        return np.linalg.svd(a, compute_uv=False, hermitian=self.hermitian)

    def backward(self, gs: Array) -> Array:
        a = self.inputs[0].data
        u, s, vh = np.linalg.svd(a, full_matrices=False, hermitian=self.hermitian)
        return (conjugated(u) * (gs * np.sign(s))[..., None, :]) @ conjugated(vh)


@applying(
    Svd,
    *_near(_SHAPES, _real),
    *_near(_MORE, _real, full_matrices=False),
    *_near(_MORE, compute_uv=False),
    *(Call(_SYMMETRIC, hermitian=True), Call(_SYMMETRIC, False, False, True)),
)
def svd(
    a: Array, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Singular value decomposition ``a == U @ np.diag(S) @ Vh``: ``np.linalg.svd``.

    a: shape ``(..., m, n)``.
    full_matrices: fill `U` and `Vh` up to square matrices.
    compute_uv: say False for the singular values alone: see `svdvals`.
    hermitian: `a` counts as Hermitian; its lower triangle is read, and the gradient is Hermitian.
    Returns (SVDResult or Variable): variables `U`, `S` and `Vh`, or `S` alone.
    Derivative: that of the equation, with unitary `U` and `V`.
    Raises LinAlgError (ValueError): if `a` is no matrix, or the computation does not converge.
    Source: Giles 2008, section 3.2; Townsend 2016; Wan and Zhang 2019 (complex).
    Note: where the decomposition leaves a choice, the gradient is right for a loss that does not
        depend on it. That is the phase which the columns of complex `U` and `V` have in common, and
        the basis of the columns that `full_matrices` adds, if they are several.

        Columns of equal singular values have no derivative, nor has one of 0 if `a` is not square:
        of these holds what the note of `linalg.eig` says of vectors of equal eigenvalues.

    >>> a = Variable(np.array([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    >>> u, s, vh = svd(a, full_matrices=False)
    >>> s
    variable([3. 2.])
    >>> u.shape, vh.shape
    ((3, 2), (2, 2))
    """
    if not compute_uv:
        return Svdvals(hermitian)(a)
    return SVDResult(*Svd(full_matrices, hermitian)(a))


@applying(Svdvals, *(Call(Draw(shape)) for shape in _OF_VALUES), apart=_apart)
def svdvals(x: Array, /) -> Variable:
    """Singular values, descending: ``np.linalg.svdvals``.

    x: shape ``(..., m, n)``.
    Returns: shape ``(..., min(m, n))``, real.
    Derivative: ``u v*`` for the singular value of the vectors ``u`` and ``v``; 0 for one that is 0,
        as of the absolute value. Where several are equal it is right for a loss that treats them
        alike.
    Raises LinAlgError (ValueError): if `x` is no matrix, or the computation does not converge.
    Source: Giles 2008, section 3.2. Second derivatives where singular values are equal or 0 are
        nan, as those of `svd`.

    >>> x = Variable(np.array([[0.0, 3.0], [2.0, 0.0]]))
    >>> s = svdvals(x)
    >>> s.backward()
    >>> s, x.grad
    (variable([3. 2.]), array([[0., 1.],
           [1., 0.]]))
    """
    return Svdvals(False)(x)
