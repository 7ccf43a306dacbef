"""True derivatives of functions of matrices, by mpmath from values alone, and those of dezero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import scipy
from mpmath import mp

from dezero_core import Variable, grad

STACKS = pytest.mark.skipif(
    tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 16),
    reason="this SciPy takes no stacks of matrices",
)
_STEP = mp.mpf(10) ** -12
#: Order -> multiples of the step, and the weights of the values there; errors are below 1e-20.
_DIFFERENCES = {
    0: {0: 1},
    1: {-1: -0.5, 1: 0.5},
    2: {-1: 1, 0: -2, 1: 1},
}


def hermitian(a: Any) -> Any:
    return (a + np.swapaxes(a, -1, -2).conj()) / 2.0


def drawn(*shape: int, seed: int = 0, complex_too: bool = False, plus: Any = 0.0) -> Any:
    rng = np.random.default_rng([seed, *shape])
    x = rng.uniform(-1.0, 1.0, shape)
    return (x + 1j * rng.uniform(-1.0, 1.0, shape) if complex_too else x) + plus


def columns(x: Any) -> Any:
    """Return an array as a matrix of mpmath, a vector as a column."""
    return mp.matrix(np.asarray(x).tolist())


def assert_derivatives(
    ours: Callable[..., Any],
    theirs: Callable[..., Any],
    *arrays: Any,
    projections: Sequence[Any] = (),
    orders: Sequence[int] = (0, 1, 2),
    rtol: float = 1e-12,
) -> None:
    """Compare directional derivatives of a weighted sum of all results, relative to their sizes.

    `theirs` takes and returns matrices of mpmath. A projection gives directions a form.
    """
    directions = [drawn(*x.shape, seed=7, complex_too=np.iscomplexobj(x)) for x in arrays]
    for n, projection in enumerate(projections[: len(arrays)]):
        directions[n] = projection(directions[n])
    x = [Variable(a) for a in arrays]
    y = _as_list(ours(*x))
    weights = [
        drawn(*each.shape, seed=9 + n, complex_too=each.dtype.kind == "c")
        for n, each in enumerate(y)
    ]
    got = sum(np.sum(np.real(w * each)) for w, each in zip(weights, y, strict=True))
    with mp.workdps(60):
        moved = {
            k: _loss(theirs, arrays, directions, weights, k * _STEP)
            for k in {k for order in orders for k in _DIFFERENCES[order]}
        }
        for order in range(max(orders) + 1):
            if order in orders:
                pairs = _DIFFERENCES[order].items()
                truth = float(sum(w * moved[k] for k, w in pairs) / _STEP**order)
                assert float(got.data) == pytest.approx(truth, rel=rtol, abs=rtol), order
            if order < max(orders):
                gradients = grad(got, x, create_graph=True)
                got = sum(
                    np.sum(np.real(np.conj(g) * d))
                    for g, d in zip(gradients, directions, strict=True)
                )


def _loss(theirs: Any, arrays: Any, directions: Any, weights: Any, h: Any) -> Any:
    pairs = zip(arrays, directions, strict=True)
    y = _as_list(theirs(*(columns(a) + h * columns(d) for a, d in pairs)))
    flat = [mp.mpmathify(w.item()) for weight in weights for w in np.ravel(weight)]
    return sum(mp.re(w * v) for w, v in zip(flat, [v for m in y for v in m], strict=True))


def _as_list(y: Any) -> list[Any]:
    return list(y) if isinstance(y, (list, tuple)) else [y]


def assert_single(function: Callable[..., Any], *arrays: Any, rtol: float = 2e-4) -> None:
    """Values and two derivatives of float32 are float32, and near those of float64."""
    found = []
    for dtype in (np.float32, np.float64):
        x = [Variable(a.astype(dtype)) for a in arrays]
        y = _as_list(function(*x))
        first = grad(sum(np.sum(each**3) for each in y), x, create_graph=True)
        second = grad(sum(np.sum(each**3) for each in first), x)
        found.append([*(each.data for each in (*y, *first)), *second])
        assert {each.dtype for each in found[-1]} == {np.dtype(dtype)}
    for got, truth in zip(*found, strict=True):
        np.testing.assert_allclose(got, truth, rtol=rtol, atol=rtol * np.max(np.abs(truth)))


def assert_stack(function: Callable[..., Any], *stacks: Any) -> None:
    """A stack has the values and gradients of its matrices, one by one."""
    x = [Variable(a) for a in stacks]
    y = _as_list(function(*x))
    gradients = grad(sum(np.sum(each**3) for each in y), x)
    for n in range(len(stacks[0])):
        alone = [Variable(a[n]) for a in stacks]
        z = _as_list(function(*alone))
        for whole, part in zip(y, z, strict=True):
            np.testing.assert_allclose(whole.data[n], part.data, rtol=1e-13, atol=1e-14)
        for whole, part in zip(gradients, grad(sum(np.sum(e**3) for e in z), alone), strict=True):
            np.testing.assert_allclose(whole[n], part, rtol=1e-11, atol=1e-12)
