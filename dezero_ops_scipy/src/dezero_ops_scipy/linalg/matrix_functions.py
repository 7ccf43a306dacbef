"""Functions of square matrices: exponential, logarithm, square root."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg
from dezero_ops_math.arguments import data_of
from dezero_ops_math.declaring import Call, Draw, operation
from dezero_ops_math.linalg.spectra import swapped

from dezero_core import Function
from dezero_core.extend import Array

from .equations import SolveSylvester
from .systems import LAPACK, STACKS, in_single
from .systems import documented as documented


class Change(Function):
    """Derivative L(A, E) of a function of matrices at A, in direction E.

    Of a power series it is the sum over all products in which E stands between powers of A. So the
    adjoint of L(A, E) is L(A^T, E). L(A, E) is the corner of the function of ``[[A, E], [0, A]]``,
    since powers of this have such sums there. For the derivative of L itself a second direction
    stands beside E, before it or behind it: that is the corner of L of such block matrices.

    Attributes
    ----------
    of_one : callable
        Gives L for a single matrix and a direction of its size, both finite.
    """

    arrays = LAPACK
    of_one: Callable[[Array, Array], Array]

    def forward(self, a: Array, e: Array) -> Array:
        if e.size == 0:
            return e
        if a.ndim > 2:
            return np.stack([self.forward(*each) for each in zip(a, e, strict=True)])
        if not (np.isfinite(a).all() and np.isfinite(e).all()):
            return np.full(e.shape, np.nan, e.dtype)
        with np.errstate(all="ignore"):
            scale = _scale(a, e)
            found = self.of_one(*(_in_double(x) for x in (a, e * scale))) / scale
        return in_single(found, a, e)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        a, e = (swapped(x.data) for x in self.inputs)
        scale = _scale(a, gy)
        both = type(self)().of(_block(a, gy * scale, a), _block(e, np.zeros_like(e), e))
        return _corner(both) / scale, type(self)().of(a, gy)


def _block(a: Array, corner: Array, b: Array) -> Array:
    """Return the matrices ``[[a, corner], [0, b]]``."""
    rows = (a, corner), (np.zeros_like(a), b)
    return np.concatenate([np.concatenate(row, axis=-1) for row in rows], axis=-2)


def _corner(x: Array) -> Array:
    """Return the block at the upper right of matrices that consist of four."""
    n = x.shape[-1] // 2
    return x[..., :n, n:]


def _in_double(x: Array) -> Array:
    return x.astype(np.complex128 if np.iscomplexobj(x) else np.float64, copy=False)


def _scale(a: Array, e: Array) -> Array:
    """Return, for each matrix, the power of 2 by which `e` gets the size of `a`.

    Of a block matrix of parts whose sizes differ, the smaller parts lose digits.
    """
    sizes = [np.max(np.abs(data_of(x)), (-2, -1), keepdims=True, initial=0.0) for x in (a, e)]
    with np.errstate(all="ignore"):
        exponents = np.clip(np.round(np.log2(sizes[0] / sizes[1])), -100.0, 100.0)
    return np.exp2(np.where(np.isfinite(exponents), exponents, 0.0)).astype(sizes[1].dtype)


class Expm(Function):
    """Matrix exponential: ``scipy.linalg.expm``.

    A: shape ``(..., n, n)``.
    Returns: shape of `A`.
    Derivative: that of the power series, in each direction.
    Raises LinAlgError (ValueError): if `A` is not square.
    Source: Higham 2008, *Functions of Matrices*, chapters 3 and 10; Najfeld and Havel 1995.

    >>> A = Variable(np.array([[0.0, np.pi], [-np.pi, 0.0]]))
    >>> np.round(expm(A), 12)
    variable([[-1.  0.]
              [-0. -1.]])
    """

    arrays = LAPACK

    def forward(self, A: Array) -> Array:  # noqa: N803 (SciPy's name)
        _require_matrices("expm", A)
        return scipy.linalg.expm(A)

    def backward(self, gy: Array) -> Array:
        return ExpmChange().of(swapped(self.inputs[0].data), gy)


class ExpmChange(Change):
    """The change of `expm`, which SciPy computes by differentiating the steps of its own."""

    @staticmethod
    def of_one(a: Array, e: Array) -> Array:
        return scipy.linalg.expm_frechet(a, e, compute_expm=False, check_finite=False)


class Logm(Function):
    """Matrix logarithm, the principal one: ``scipy.linalg.logm``.

    A: shape ``(n, n)``.
    Returns: shape of `A`; complex, unless `A` is real and has no eigenvalue below 0.
    Derivative: that of the power series, in each direction. It is right for an eigenvalue below 0
        as well, as long as this stays real.
    Raises ValueError: if `A` is not square.
    Source: Higham 2008, *Functions of Matrices*, chapters 3 and 11.
    Note: `A` must not be singular. Stacks of matrices, ``(..., n, n)``, as far as SciPy takes them.

    >>> A = Variable(np.diag([1.0, np.e]))
    >>> np.round(logm(A), 12)
    variable([[0. 0.]
              [0. 1.]])
    """

    arrays = LAPACK

    def forward(self, A: Array) -> Array:  # noqa: N803
        _require_matrices("logm", A)
        return in_single(scipy.linalg.logm(np.array(A)), A)  # 1.13 refuses read-only arrays

    def backward(self, gy: Array) -> Array:
        return LogmChange().of(swapped(self.inputs[0].data), gy)


class LogmChange(Change):
    """By the Schur form of A: SciPy takes a triangular matrix as it is.

    Of a complex block matrix it would find the eigenvalues anew, each twice, and by rounding some
    on the other side of the negative real axis, where the logarithm jumps.
    """

    @staticmethod
    def of_one(a: Array, e: Array) -> Array:
        # The eigenvalues of a real matrix are real to the last bit, if it counts as real.
        t, z = scipy.linalg.schur(a if a.imag.any() else a.real, check_finite=False)
        t, z = scipy.linalg.rsf2csf(t, z, check_finite=False)
        changed = scipy.linalg.logm(_block(t, z.conj().T @ e @ z, t))
        return z @ _corner(changed) @ z.conj().T


class Sqrtm(Function):
    """Square root of matrices, the principal one: ``scipy.linalg.sqrtm``.

    A: shape ``(n, n)``.
    Returns: shape of `A`; complex, unless `A` is real and has no eigenvalue below 0.
    Derivative: that of ``x @ x == A``, by an equation of Sylvester's.
    Raises ValueError: if `A` is not square.
    Source: Higham 2008, *Functions of Matrices*, chapter 6; Lin and Maji 2017.
    Note: where `A` is singular there is no derivative, and what comes out means nothing. Stacks of
        matrices, ``(..., n, n)``, as far as SciPy takes them.

    >>> A = Variable(np.array([[4.0, 0.0], [5.0, 9.0]]))
    >>> sqrtm(A)
    variable([[2. 0.]
              [1. 3.]])
    """

    saves = ("outputs",)
    arrays = LAPACK

    def forward(self, A: Array) -> Array:  # noqa: N803
        _require_matrices("sqrtm", A)
        return in_single(scipy.linalg.sqrtm(A), A)

    def backward(self, gy: Array) -> Array:
        turned = swapped(self.outputs[0]().data)
        return SolveSylvester().of(turned, turned, gy) if gy.size else gy


def _require_matrices(name: str, a: Array) -> None:
    """Raise for numbers and vectors, of which SciPy makes matrices, each function in its way."""
    if np.ndim(a) < 2:
        raise ValueError(
            f"scipy.linalg.{name} of a Variable takes square matrices, got the shape "
            f"{np.shape(a)}. Reshape it to (n, n)."
        )


_SINGLE, _STACKED = ((3, 3), (2, 2), (1, 1)), ((2, 2, 2), (2, 1, 2, 2))
_NEAR = [
    Draw(shape, (-1.0, 1.0), plus=3.0 * np.eye(shape[-1]))
    for shape in (*_SINGLE, *_STACKED * STACKS)
]

expm = operation(
    Expm,
    *(Call(Draw(shape, (-1.0, 1.0))) for shape in (*_SINGLE, *_STACKED, (0, 0), (0, 2, 2))),
    reference=scipy.linalg.expm,
)
logm = operation(
    Logm,
    *map(Call, _NEAR[1:2] + _NEAR[3:4]),  # SciPy takes long
    reference=lambda a: in_single(scipy.linalg.logm(a), a),
)
sqrtm = operation(Sqrtm, *map(Call, _NEAR), reference=lambda a: in_single(scipy.linalg.sqrtm(a), a))
