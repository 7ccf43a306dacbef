"""Eigenvalues and eigenvectors of square and of Hermitian matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function
from dezero_core.extend import Array, certain, possible

from ..arguments import data_of
from ..declaring import Call, Draw, Sample, applying, operation
from ..gradients import conjugated
from .results import EighResult, EigResult
from .spectra import hermitian, over_differences, skew, swapped

# Matrices near which LAPACK does not change its mind about order and signs; of the turning one
# the eigenvalues are complex.
_THREE = [[4.0, 0.0, 0.0], [2.0, -5.0, -2.0], [2.0, -5.0, -4.0]]
_TWO, _TURNING = [[3.0, 1.0], [0.6, -1.0]], [[1.0, 2.0], [-6.0, -1.0]]
_NEAR: Any = (
    *(((3, 3), _THREE), ((2, 2), _TWO), ((1, 1), 0.0), ((2, 2, 2), _TWO)),
    ((2, 1, 3, 3), _THREE),
)
_TURNED: Any = ((2, 2), _TURNING), ((2, 2, 2), _TURNING), ((2, 2, 2), [_TURNING, _TWO])
_SAMPLE = Sample(
    *(Call(Draw(shape, (-0.2, 0.2), plus=plus)) for shape, plus in _NEAR),
    *(Call(Draw(shape, (-0.1, 0.1), np.real, plus)) for shape, plus in _TURNED),
    *(Call(Draw(shape)) for shape in ((0, 0), (2, 0, 0), (0, 2, 2))),
    complex=True,
)

# Symmetric matrices near which LAPACK does not change its mind about signs.
_TWO_H = [[-5.0, -5.0], [-5.0, 4.0]]
_THREE_H = [[-4.0, -3.0, -2.0], [-3.0, 5.0, -5.0], [-2.0, -5.0, 4.0]]
_NEAR_H: Any = (
    *(((3, 3), _THREE_H), ((2, 2), _TWO_H), ((1, 1), 0.0), ((2, 2, 2), _TWO_H)),
    *(((2, 1, 3, 3), _THREE_H), ((0, 0), 0.0), ((2, 0, 0), 0.0), ((0, 2, 2), 0.0)),
)


def _real_symmetric(a: Array) -> Array:
    # Of complex eigenvectors the phases are not differentiated: LAPACK keeps them at 0 as
    # long as the matrices are real.
    return hermitian(a.real).astype(a.dtype)


def _symmetric(project: Any) -> Any:
    draws = [Draw(shape, (-0.2, 0.2), project, plus) for shape, plus in _NEAR_H]
    triangles = Call(draws[0], "U"), Call(draws[0], UPLO="l"), Call(draws[3], UPLO="U")
    return Sample(*map(Call, draws), *triangles, complex=True)


class Eig(Function):
    """With P = V^-1 dA V: dw = diag(P), and dV = V (P / (w_j - w_i) + diag(c)).

    The numbers c keep each vector as long as it is, and its largest component real.
    """

    saves = ("outputs",)
    materialize_grads = False

    def forward(self, a: Array) -> tuple[Array, Array]:
        w, v = np.linalg.eig(a)
        return w, v

    def backward(self, gw: Array | None, gv: Array | None) -> Array:
        w, v = (output().data for output in self.outputs)
        vt = swapped(v)
        changed = vt * 0.0 if gw is None else gw[..., :, None] * vt
        if gv is not None:
            changed = changed + self._turned(gv, w, v) @ vt
        return np.linalg.solve(vt, changed)

    @staticmethod
    def _turned(gv: Array, w: Array, v: Array) -> Array:
        length = np.sum(gv * v, axis=-2, keepdims=True)
        gv = gv - np.real(length) * conjugated(v)
        if v.dtype.kind == "c" and v.size:
            pivots = _pivots(data_of(v))
            gv = gv - 1j * np.imag(length) * (pivots / np.where(pivots, v, 1.0))
        along = swapped(v) @ gv
        return over_differences(along, w, w.shape[-1], data_of(along) != 0)


class Eigvals(Function):
    """Eigenvalues of square matrices: ``np.linalg.eigvals``.

    a: shape ``(..., n, n)``. For Hermitian matrices, `eigvalsh` is faster and more accurate.
    Returns: shape ``(..., n)``; complex, unless `a` is real and they all are.
    Derivative: row i of ``inv(v)`` times column i of ``v``. Where eigenvalues are equal it is right
        for a loss that treats them alike; second derivatives are then nan, see `eig`.
    Raises LinAlgError (ValueError): if `a` is not square or not finite, or the computation does not
        converge; in ``backward()``, if the eigenvectors do not span the space.
    Source: Giles 2008, section 3.1. Of a defective matrix there is no derivative, see `eig`.

    >>> a = Variable(np.array([[0.0, 1.0], [-1.0, 0.0]]))
    >>> eigvals(a)
    variable([0.+1.j 0.-1.j])
    """

    saves = ("inputs", "outputs")

    def forward(self, a: Array) -> Array:
        return np.linalg.eigvals(a)

    def backward(self, gw: Array) -> Array:
        found, v = np.linalg.eig(self.inputs[0].data)
        if v.size:
            order = _matching_positions(data_of(found), data_of(self.outputs[0]().data))
            numbers = np.arange(order.shape[-1])
            if possible(np.any(order != numbers)):
                v = v @ (numbers[:, None] == order[..., None, :]).astype(v.dtype)
        vt = swapped(v)
        return np.linalg.solve(vt, gw[..., :, None] * vt)


def _pivots(v: Array) -> Array:
    """Return a mask of the component that LAPACK made real: the largest of each column."""
    # Of several that are as large, it is one that is real.
    size = np.abs(v) * (1.0 + (v.imag == 0.0))
    return np.arange(v.shape[-1])[:, None] == np.argmax(size, axis=-2)[..., None, :]


def _matching_positions(found: Array, w: Array) -> Array:
    """Return for each of `w` where in `found` it is: beyond n = 75 LAPACK's order differs."""
    distances = np.abs(w[..., :, None] - found[..., None, :])
    order = np.argmin(distances, axis=-1)
    numbers = np.arange(w.shape[-1])
    if certain(np.all(np.sort(order, axis=-1) == numbers)):
        return order
    each = []
    for i in numbers:  # some are equal: each gets the nearest that is left
        each.append(np.argmin(distances[..., i, :], axis=-1)[..., None])
        distances = np.where(each[-1][..., None] == numbers, np.inf, distances)
    return np.concatenate(each, axis=-1)


@applying(Eig, _SAMPLE)
def eig(a: Array) -> EigResult:
    """Eigenvalues and eigenvectors of square matrices: ``np.linalg.eig``.

    a: shape ``(..., n, n)``. For Hermitian matrices, `eigh` is faster and more accurate.
    Returns: variables `eigenvalues` and `eigenvectors`, in columns; complex, unless `a` is real and
        they all are.
    Derivative: that of ``a @ v == v * w``, with vectors of length 1, the largest component real.
    Raises LinAlgError (ValueError): if `a` is not square or not finite, or the computation does not
        converge; in ``backward()``, if the eigenvectors do not span the space.
    Source: Giles 2008, section 3.1; Boeddeker et al. 2017 (complex, vectors of length 1).
    Note: vectors of equal eigenvalues are any basis of their space. Where two are equal to the last
        bit, the gradient of a loss that uses any of the vectors is nan: 0 / 0, as in JAX. Where
        they are equal to rounding only, as in ``np.linalg.matrix_rank``, it is nan if the loss uses
        their vectors (changes as one turns to the other), and right if it uses others. For
        eigenvalues alone, equal ones alike, it is always right. A defective matrix has too few
        eigenvectors, and no derivative: what comes out means nothing.

    >>> a = Variable(np.array([[2.0, 1.0], [0.0, 1.0]]))
    >>> w, v = eig(a)
    >>> w
    variable([2. 1.])
    >>> w.backward()
    >>> a.grad
    array([[1., 0.],
           [0., 1.]])
    """
    return EigResult(*Eig()(a))


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
        changed = conjugated(v) * (0.0 if gw is None else gw[..., None, :])
        if gv is not None:
            along = swapped(v) @ gv
            turned = over_differences(skew(along), w, w.shape[-1], data_of(along) != 0)
            changed = changed + conjugated(v) @ turned
        return changed @ swapped(v)


class Eigvalsh(Function):
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

    def __init__(self, UPLO: str = "L") -> None:  # noqa: N803
        self.UPLO: Any = UPLO

    def forward(self, a: Array) -> Array:
        return np.linalg.eigvalsh(a, self.UPLO)

    def backward(self, gw: Array) -> Array:
        # dw = diag(V* dA V). The vectors are computed when a gradient is wanted.
        _, v = np.linalg.eigh(self.inputs[0].data, self.UPLO)
        return (conjugated(v) * gw[..., None, :]) @ swapped(v)


@applying(Eigh, _symmetric(_real_symmetric))
def eigh(a: Array, UPLO: str = "L") -> EighResult:  # noqa: N803
    """Eigenvalues and eigenvectors of Hermitian matrices: ``np.linalg.eigh``.

    a: shape ``(..., n, n)``. It counts as Hermitian.
    UPLO ({"L", "U"}): the triangle that is read, lower or upper.
    Returns: variables `eigenvalues`, ascending, and `eigenvectors`, in columns.
    Derivative: that of ``v.conj().T @ a @ v == np.diag(w)``, Hermitian, as of both triangles.
    Raises LinAlgError (ValueError): if `a` is not square, or the computation does not converge.
    Raises ValueError: if `UPLO` is something else.
    Source: Giles 2008, section 3.1; Boeddeker et al. 2017; Seeger et al. 2017; Kasim 2020.
    Note: of complex matrices, the phase of each eigenvector is a choice of LAPACK's; the gradient
        is right for a loss that does not depend on it.

        Vectors of equal eigenvalues have no derivative by a change that parts the values: see the
        note of `eig`.

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


eigvals = operation(Eigvals, _SAMPLE)
eigvalsh = operation(Eigvalsh, _symmetric(hermitian))
