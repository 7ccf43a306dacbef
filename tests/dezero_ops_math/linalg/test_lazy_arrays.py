"""Over arrays without values, which take the general path, every matrix has the same derivatives.

The samples of these operations keep away from ties, zeros, and what is out of range.
"""

import numpy as np
import pytest
from dezero_tools.testing.array_types import registered
from dezero_tools.testing.strict import StrictArray

from dezero_core import Variable, grad
from dezero_ops_math import linalg

RNG = np.random.default_rng(5)
FULL = RNG.normal(size=(3, 3))
TWICE = FULL[:, [0, 0, 1]]
MATRICES = {
    "full and deficient": np.array([FULL, TWICE]),
    "zeros": np.zeros((2, 2)),
    "identity": np.eye(3),
    "rank 2, 0 and 1": np.array([np.eye(2), np.zeros((2, 2)), [[1.0, 2.0], [2.0, 4.0]]]),
    "ties": np.array([[0.1, 0.3], [0.3, 0.1]]),
    "opposite ties": np.array([[1.0, -1.0], [-1.0, 1.0]]),
    "one zero": np.array([[1.0, 0.0], [2.0, 3.0]]),
    "tiny": FULL * 1e-200,
    "huge": FULL * 1e200,
    "sums overflow": np.array([[[1e308, 1e308], [1e308, 2.0]], [[0.1, 0.2], [0.2, 0.1]]]),
    "inf": np.array([[[1.0, np.inf], [2.0, -3.0]], [[1.0, 2.0], [3.0, 5.0]]]),
    "nan": np.array([[[1.0, np.nan], [2.0, -3.0]], [[1.0, 2.0], [3.0, 5.0]]]),
    "tall, deficient": np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0]),
    "wide": RNG.normal(size=(2, 2, 5)),
    "none": np.zeros((2, 0, 3)),
}
MATRICES |= {
    f"complex, {name}": x + 1j * x[..., ::-1]
    for name, x in MATRICES.items()
    if np.isfinite(x).all()
}
DECOMPOSED = "eig", "eigvals", "eigh", "eigvalsh", "qr", "svd", "svdvals"
OPERATIONS = {name: getattr(linalg, name) for name in ("det", "slogdet", "pinv", *DECOMPOSED)}
OPERATIONS |= {
    f"norm {p}": lambda x, p=p: linalg.norm(x, p, (-2, -1))
    for p in (None, "nuc", 1, -1, 2, -2, np.inf, -np.inf)
}
OPERATIONS |= {
    f"vector_norm {p}": lambda x, p=p: linalg.vector_norm(x, ord=p, axis=-1)
    for p in (0, 1, 2, 3, 4, 2.5, 0.5, -1, -2.5, np.inf, -np.inf)
}
OPERATIONS |= {f"cond {p}": lambda x, p=p: linalg.cond(x, p) for p in (None, -2, "fro", "nuc", 1)}


def weights(ys):
    rng = np.random.default_rng(0)
    parts = ((rng.uniform(0.5, 1.0, y.shape), rng.uniform(0.5, 1.0, y.shape)) for y in ys)
    return [
        np.asarray(real + 1j * imag if y.dtype.kind == "c" else real)
        for y, (real, imag) in zip(ys, parts, strict=True)
    ]


def derived(function, array, made):
    """Return the values of a function, its gradient and the second one; or the error's type."""
    x = Variable(made(array))
    try:
        ys = function(x)
        ys = list(ys) if isinstance(ys, tuple) else [ys]
        gx = grad(ys, x, True, [Variable(made(w)) for w in weights(ys)])
        found = [*ys, grad(ys, x, grad_outputs=list(map(made, weights(ys)))), gx]
        if gx.creator is not None:
            found.append(grad(gx, x, grad_outputs=made(weights([gx])[0])))
    except ValueError as error:  # a LinAlgError, too, or of what is empty
        return [str(error)]
    found = [y.data if isinstance(y, Variable) else y for y in found]
    return [y._values if isinstance(y, StrictArray) else y for y in found]


def agree(function, array, atol=1e-300):
    with np.errstate(all="ignore"), registered("strict"):
        truth, got = derived(function, array, np.asarray), derived(function, array, StrictArray)
    for right, y in zip(truth, got, strict=True):
        if isinstance(right, str):
            assert y == right
            continue
        assert y.dtype == right.dtype
        size = np.max(np.abs(right), where=np.isfinite(right), initial=0.0)
        np.testing.assert_allclose(y, right, 1e-9, 1e-9 * size + atol)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("function", OPERATIONS.values(), ids=OPERATIONS)
def test_an_operation_is_right_at_every_matrix_without_knowing_its_values(function):
    for array in MATRICES.values():
        agree(function, array)


@pytest.mark.parametrize("n", [1, 5, 20])
@pytest.mark.parametrize("equal", [0, 1, 2])
def test_the_derivatives_of_det_are_right_at_every_rank(n, equal):
    a = np.random.default_rng(n).normal(size=(n, n))
    for k in range(min(equal, n // 2)):
        a[:, 2 * k] = a[:, 2 * k + 1]
    agree(linalg.det, a, atol=1e-12 * np.linalg.norm(a, 2) ** (n - 1))


@pytest.mark.parametrize("turning", [False, True])
def test_eigenvalues_of_large_matrices_are_matched_one_to_one(turning):
    n = 90  # LAPACK's two orders differ
    a = np.diag(np.r_[np.ones(5), np.arange(n - 5.0)])
    a = np.linalg.qr(a + np.random.default_rng(0).normal(size=(n, n)))[0] if turning else a

    def gradient(made):
        x = Variable(made(a))
        w = linalg.eigvals(x)
        return grad(w, x, grad_outputs=made(np.linspace(1.0, 2.0, n).astype(w.dtype)))

    with registered("strict"):
        np.testing.assert_allclose(gradient(StrictArray)._values, gradient(np.asarray), 0, 1e-12)
