"""Eigenvalues and eigenvectors of Hermitian (or real symmetric) matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..docstrings import documented
from .results import EighResult
from .spectra import adjoint, over_differences, skew, swapped, values_of


class Eigh(Function):
    """With P = V* dA V: dw = diag(P), and dV = V (P / (w_j - w_i)), each vector orthogonal to dV.

    For real numbers gA = V (diag(gw) + skew(V^T gV) / (w_j - w_i)) V^T.
    """

    saves = ("outputs",)
    materialize_grads = False

    def __init__(self, UPLO: Any) -> None:  # noqa: N803 (NumPy's name)
        self.UPLO = UPLO

    def forward(self, a: Array) -> tuple[Array, Array]:
        w, v = np.linalg.eigh(a, self.UPLO)
        return w, v

    def backward(self, gw: Array | None, gv: Array | None) -> Array:
        w, v = (output().data for output in self.outputs)
        changed = v.conj() * 0.0 if gw is None else v.conj() * gw[..., None, :]
        if gv is not None:
            along = swapped(v) @ gv
            turned = over_differences(skew(along), w, w.shape[-1], values_of(along) != 0)
            changed = changed + v.conj() @ turned
        return changed @ swapped(v)


class Eigvalsh(Function):
    """dw = diag(V* dA V). The vectors are computed when a gradient is wanted."""

    def __init__(self, UPLO: Any) -> None:  # noqa: N803
        self.UPLO = UPLO

    def forward(self, a: Array) -> Array:
        return np.linalg.eigvalsh(a, self.UPLO)

    def backward(self, gw: Array) -> Array:
        _, v = np.linalg.eigh(self.inputs[0].data, self.UPLO)
        return (v.conj() * gw[..., None, :]) @ swapped(v)


@documented
def eigh(a: Array, UPLO: str = "L") -> EighResult:  # noqa: N803
    """Eigenvalues and eigenvectors of Hermitian matrices: ``np.linalg.eigh``.

    a: shape ``(..., n, n)``. It counts as Hermitian.
    UPLO ({"L", "U"}): the triangle that is read, lower or upper.
    Returns: variables `eigenvalues`, ascending, and `eigenvectors`, in columns.
    Derivative: that of ``v.conj().T @ a @ v == np.diag(w)``; the gradient is Hermitian, as if both
        triangles were read.
    Raises LinAlgError (ValueError): if `a` is not square, or the computation does not converge.
    Raises ValueError: if `UPLO` is something else.
    Source: Giles 2008, section 3.1; Boeddeker et al. 2017 (complex); Seeger et al. 2017; Kasim 2020
        (equal eigenvalues).
    Note: of complex matrices, the phase of each eigenvector is a choice of LAPACK's; the gradient
        is right for a loss that does not depend on it.

        Vectors of equal eigenvalues are any basis of their space, and have no derivative by a
        change that parts the values. Where two are equal to the last bit, the gradient of a loss
        that uses any of the vectors is nan: 0 / 0, as in PyTorch and JAX. Where they are equal to
        rounding only, as in ``np.linalg.matrix_rank``, it is nan if the loss uses their vectors
        (changes as one turns to the other), and right if it uses others. For eigenvalues alone,
        equal ones alike, it is always right.

    >>> a = Variable(np.array([[2.0, 0.0], [0.0, 1.0]]))
    >>> w, v = eigh(a)
    >>> w
    variable([1. 2.])
    >>> w.grad = np.array([1.0, 0.0])
    >>> w.backward()
    >>> a.grad
    array([[0., 0.],
           [0., 1.]])
    """
    return EighResult(*Eigh(UPLO)(a))


@documented
def eigvalsh(a: Array, UPLO: str = "L") -> Variable:  # noqa: N803
    """Eigenvalues of Hermitian matrices, ascending: ``np.linalg.eigvalsh``.

    a: shape ``(..., n, n)``. It counts as Hermitian.
    UPLO ({"L", "U"}): the triangle that is read, lower or upper.
    Returns: shape ``(..., n)``, real.
    Derivative: ``v v*`` for the eigenvalue of eigenvector ``v``, a Hermitian gradient. Where
        eigenvalues are equal it is right for a loss that treats them alike; second derivatives are
        then nan, see `eigh`.
    Raises LinAlgError (ValueError): if `a` is not square, or the computation does not converge.
    Raises ValueError: if `UPLO` is something else.
    Source: Giles 2008, section 3.1.

    >>> a = Variable(np.array([[0.0, 2.0], [2.0, 0.0]]))
    >>> eigvalsh(a)
    variable([-2.  2.])
    """
    return Eigvalsh(UPLO)(a)


def _hermitian(a: Array) -> Array:
    return (a + adjoint(a)) / 2.0


def _real_symmetric(a: Array) -> Array:
    # Of complex eigenvectors the phases are not differentiated: LAPACK keeps them at 0 as
    # long as the matrices are real.
    return _hermitian(a.real).astype(a.dtype)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    # Symmetric matrices near which LAPACK does not change its mind about signs.
    two = [[-5.0, -5.0], [-5.0, 4.0]]
    three = [[-4.0, -3.0, -2.0], [-3.0, 5.0, -5.0], [-2.0, -5.0, 4.0]]
    shapes: Any = ((3, 3), three), ((2, 2), two), ((1, 1), 0.0), ((2, 2, 2), two)
    shapes += ((2, 1, 3, 3), three), ((0, 0), 0.0), ((2, 0, 0), 0.0), ((0, 2, 2), 0.0)

    def sample(project: Any) -> Sample:
        draws = [Draw(shape, (-0.2, 0.2), project, plus) for shape, plus in shapes]
        calls = [Call(draw) for draw in draws]
        calls += [Call(draws[0], "U"), Call(draws[0], UPLO="l"), Call(draws[3], UPLO="U")]
        return Sample(tuple(calls), complex=True)

    eigh_sample, eigvalsh_sample = sample(_real_symmetric), sample(_hermitian)
    register("linalg.eigh", eigh, Eigh, numpy=np.linalg.eigh, sample=eigh_sample)
    numpy = np.linalg.eigvalsh
    register("linalg.eigvalsh", eigvalsh, Eigvalsh, numpy=numpy, sample=eigvalsh_sample)
