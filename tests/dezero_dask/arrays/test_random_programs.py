"""Random programs over Dask's arrays: values, gradients and second derivatives as of NumPy's.

DEZERO_ATTACK=long runs more of them.

Promise: docs/how_to/more_data_than_memory.md
"""

import os

import dask
import dask.array as da
import numpy as np
import pytest
from dezero_dask.arrays.array_type import without_computing

import dezero_dask as dd
from dezero_core import Variable, grad

COUNT = 200 if os.environ.get("DEZERO_ATTACK") == "long" else 3

UNARY = [np.sin, np.tanh, np.negative, np.square, np.conj, lambda x: np.exp(x * 0.1)]
BINARY = [np.add, np.subtract, np.multiply, lambda x, y: x / (y * y.conj() + 2.0)]
FORMS = [
    lambda x, rng: x[::-1],
    lambda x, rng: x[..., None],
    lambda x, rng: x[1:] if len(x) > 1 else x,
    lambda x, rng: x[..., ::2],
    lambda x, rng: x[rng.integers(-len(x), len(x), 3)],
    lambda x, rng: np.swapaxes(x, 0, -1),
    lambda x, rng: np.roll(x, 2, -1),
    lambda x, rng: np.cumsum(x, axis=rng.integers(x.ndim)),
    lambda x, rng: np.sum(x, axis=-1, keepdims=True),
    lambda x, rng: np.mean(x, axis=0, keepdims=True),
    lambda x, rng: np.ravel(x),
    lambda x, rng: np.concatenate([x, x * 0.5], axis=-1),
    lambda x, rng: np.pad(x, 1, mode="edge"),
    lambda x, rng: np.tensordot(x, np.ones((x.shape[-1], 2)), 1),
    lambda x, rng: np.where(rng.random(x.shape) > 0.5, x, 1.0),
    lambda x, rng: np.repeat(x, 2, axis=0),
    lambda x, rng: np.diff(x, axis=0, prepend=0.0),
    lambda x, rng: np.inner(x, x),
]


def program(rng, leaves):
    """Return a number computed from Variables; the same steps for the same state of `rng`."""
    known = list(leaves)
    for _ in range(6):
        x = known[rng.integers(len(known))]
        kind = rng.integers(3)
        if kind == 0:
            y = UNARY[rng.integers(len(UNARY))](x)
        elif kind == 1:
            y = FORMS[rng.integers(len(FORMS))](x, rng)
        else:
            other = known[rng.integers(len(known))]
            operation = BINARY[rng.integers(len(BINARY))]
            try:
                np.broadcast_shapes(x.shape, other.shape)
            except ValueError:
                other = np.sum(other)
            y = operation(x, other)
        if 0 < y.size < 200 and 0 < y.ndim < 4:
            known.append(y)
    total = sum(np.sum(x * x.conj()) for x in known)
    return total.real if total.dtype.kind == "c" else total


def uneven_chunks(rng, shape):
    cuts = [np.unique(rng.integers(0, n + 1, rng.integers(0, 3))) for n in shape]
    ends = [np.unique([0, *cut, n]) for cut, n in zip(cuts, shape, strict=True)]
    return tuple(tuple(int(n) for n in np.diff(each)) for each in ends)


def derivatives(seed, leaves):
    loss = program(np.random.default_rng(seed), leaves)
    first = grad(loss, leaves, create_graph=True)
    again = sum(np.sum(g * g.conj()) for g in first)
    second = grad(again.real if again.dtype.kind == "c" else again, leaves)
    return loss, first, second


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
def test_random_programs_are_lazy_and_equal_those_of_numpys_arrays(dtype):
    for seed in range(COUNT):
        rng = np.random.default_rng(seed)
        shapes = [(4, 3), (1, 3), (4, 1), (3,), (2, 1, 3)]
        arrays = [rng.standard_normal(shapes[i]) for i in rng.choice(5, 3, replace=False)]
        if dtype is np.complex128:
            arrays = [x + 1j * rng.standard_normal(x.shape) for x in arrays]
        arrays = [x.astype(dtype) for x in arrays]
        chunks = [uneven_chunks(rng, x.shape) for x in arrays]
        wanted = derivatives(seed, list(map(Variable, arrays)))
        lazy = [Variable(da.from_array(x, chunks=n)) for x, n in zip(arrays, chunks, strict=True)]
        with (
            without_computing(),
            dask.config.set({"array.slicing.split-large-chunks": False}),
        ):
            found = derivatives(seed, lazy)
        for gradients in found[1:]:
            for g, n in zip(gradients, chunks, strict=True):
                assert (g.data if isinstance(g, Variable) else g).chunks == n
        _require_close(seed, dd.compute(*map(list_of, found), scheduler="sync"), wanted, dtype)


def list_of(x):
    given = x if isinstance(x, (list, tuple)) else [x]
    return [each.data if isinstance(each, Variable) else each for each in given]


def _require_close(seed, found, wanted, dtype):
    tolerance = 1e-4 if dtype is np.float32 else 1e-9
    for got, want in zip(found, map(list_of, wanted), strict=True):
        for x, y in zip(got, want, strict=True):
            assert x.dtype == y.dtype, seed
            scale = np.abs(y).max(initial=1.0)
            np.testing.assert_allclose(x / scale, y / scale, atol=tolerance, err_msg=str(seed))
