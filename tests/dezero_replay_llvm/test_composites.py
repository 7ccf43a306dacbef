"""Functions that are made of others, such as `var`, norms and `einsum`; and short rows, sorted.

Promise: docs/how_replay_works.md
"""

import warnings

import numpy as np
import pytest

from dezero_replay import compiled

from .machine_code import FLOATS, MACHINES, differing, native

dtypes = pytest.mark.parametrize("dtype", FLOATS, ids=str)

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(2, 6, 5))
X[2, 3], Y[0, 0] = -0.0, 0.0
MASK = RNG.random((6, 5)) < 0.6
MASK[:, 0] = MASK[0] = True


def along(function):
    """Return the results along all axes and along each."""
    return lambda x, y, m: [
        function(x),
        function(x, axis=0),
        function(x, axis=1, keepdims=True),
        function(x, axis=(0, -1)),
    ]


REDUCTIONS = {
    "var": along(np.var),
    "std": along(np.std),
    "var with a degree of freedom": along(lambda x, **how: np.var(x, ddof=1, **how)),
    "std with a degree of freedom": along(lambda x, **how: x.std(ddof=1, **how)),
    "mean under a mask": lambda x, y, m: [np.mean(x, where=m), np.mean(x, 0, where=m)],
    "var under a mask": lambda x, y, m: [np.var(x, where=m), np.std(x, 0, ddof=1, where=m)],
    "sum under a mask": lambda x, y, m: [np.sum(x, where=m), np.sum(x, 1, where=m), x.sum(where=m)],
    "prod under a mask": lambda x, y, m: [np.prod(x, 0, where=m), np.prod(x, where=m[0])],
    "any under a mask": lambda x, y, m: [np.any(x > 0, 1, where=m), np.all(x < 2, where=m)],
    "mean": lambda x, y, m: [np.mean(x), x.mean(0), np.mean(x, axis=1)],
    "norm": along(np.linalg.norm),
    "norm of rows": lambda x, y, m: [
        np.linalg.norm(x, order, axis) for order in (None, 1, 2, np.inf, -np.inf) for axis in (0, 1)
    ],
    "norm of matrices": lambda x, y, m: [
        np.linalg.norm(x, order, axis, keepdims=True)
        for order in ("fro", 1, -1, np.inf, -np.inf)
        for axis in (None, (0, 1), (1, 0))
    ],
    "vector norm": lambda x, y, m: [
        np.linalg.vector_norm(x, axis=axis, ord=order)
        for order in (1, 2, np.inf, -np.inf)
        for axis in (None, 0, (0, 1))
    ],
    "count": lambda x, y, m: [np.count_nonzero(x), np.count_nonzero(x, axis=1)],
}
PRODUCTS = {
    "einsum": lambda x, y, m: [
        np.einsum("ij,kj->ik", x, y),
        np.einsum("ij,ij", x, y),
        np.einsum("ij->j", x),
        np.einsum("ij,kj,k->i", x, y, y[:, 0]),
        np.einsum("...j,j", x, y[0]),
        np.einsum("ij,j->ij", x, y[1]),
        np.einsum(x, [0, 1], y, [2, 1], [2, 0]),
    ],
    "einsum of one": lambda x, y, m: [
        np.einsum("ji", x) * 1,
        np.einsum("ii", x[:5]),
        np.einsum("ii->i", x[:5]) * 2,
        np.einsum("ij->", x),
    ],
    "einsum with axes of length 1": lambda x, y, m: [np.einsum("ij,ij->ij", x[:, :1], y)],
    "tensordot": lambda x, y, m: [
        np.tensordot(x, y),
        np.tensordot(x, y, 0),
        np.tensordot(x, y, (1, 1)),
        np.tensordot(x.T, y, 1),
        np.tensordot(x, y, ([0, 1], [0, 1])),
    ],
    "convolve": lambda x, y, m: [
        np.convolve(x[:, n], y[n, :k], mode)
        for mode in ("full", "same", "valid")
        for n in (0, 3)
        for k in (1, 2, 5)
    ],
    "convolve with more": lambda x, y, m: [
        np.convolve(x[0, :3], y[:, 0], mode) for mode in ("full", "same", "valid")
    ],
}
DIFFERENCES = {
    "diff": lambda x, y, m: [np.diff(x), np.diff(x, axis=0), np.diff(x[:, 0])],
    "round": lambda x, y, m: [np.round(x * 3), np.round(y)],
}


def layouts(dtype):
    x, y = X.astype(dtype), Y.astype(dtype)
    yield x, y
    yield x[::-1], np.asfortranarray(y)
    yield np.repeat(x, 2, 1)[:, ::-2], y[:, ::-1]


def near(found, right, dtype):
    size = np.abs(right).max(initial=1.0)
    assert np.asarray(found).dtype == right.dtype
    assert np.shape(found) == right.shape
    np.testing.assert_allclose(found, right, rtol=0, atol=200 * np.finfo(dtype).eps * size)


@pytest.mark.parametrize("name", [*REDUCTIONS, *PRODUCTS, *DIFFERENCES])
@dtypes
def test_functions_that_are_made_of_others_are_near_numpys(name, dtype):
    made = {**REDUCTIONS, **PRODUCTS, **DIFFERENCES}[name]

    def function(x, y, m):
        return [*made(x, y, m), x + 1, y + 1, ~m]

    for x, y in layouts(dtype):
        program = native(function, x, y, MASK, machine=MACHINES[-1])
        assert program.partition.reasons == []
        for found, right in zip(program.run(x, y, MASK), function(x, y, MASK), strict=True):
            near(found, np.asarray(right), dtype)


NANS = [np.nansum, np.nanprod, np.nanmean, np.nanvar, np.nanstd, np.nanmax, np.nanmin]


@pytest.mark.parametrize("function", NANS, ids=lambda f: f.__name__)
@dtypes
def test_functions_without_nan_are_near_numpys(function, dtype):
    def several(x):
        return [function(x), function(x, axis=0), function(x, axis=1, keepdims=True), x + 1]

    for x, _ in layouts(dtype):
        x = x.copy()
        x[1, 2] = x[4, 4] = x[5, 0] = np.nan
        program = native(several, x, machine=MACHINES[0])
        assert program.partition.reasons == []
        for found, right in zip(program.run(x), several(x), strict=True):
            right = np.asarray(right)
            assert np.array_equal(np.isnan(found), np.isnan(right))
            near(np.nan_to_num(found), np.nan_to_num(right), dtype)


@pytest.mark.parametrize("function", NANS, ids=lambda f: f.__name__)
def test_numpy_warns_where_all_are_nan(function):
    step = compiled(lambda x: function(x * 2, axis=0) + 1, executor="llvm", wait=True)
    for _ in range(4):
        step(X)
    x = X.copy()
    x[:, 1] = np.nan
    with warnings.catch_warnings(record=True) as right:
        warnings.simplefilter("always")
        expected = function(x * 2, axis=0) + 1
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        np.testing.assert_allclose(step(x), expected, rtol=1e-13)
    assert [str(each.message) for each in found] == [str(each.message) for each in right]


@pytest.mark.parametrize("function", [np.mean, np.var, np.std], ids=lambda f: f.__name__)
def test_numpy_warns_of_the_mean_of_nothing(function):
    step = compiled(lambda x, m: function(x * 2, axis=0, where=m), executor="llvm", wait=True)
    for _ in range(4):
        step(X, MASK)
    m = MASK.copy()
    m[:, 2] = False
    with pytest.warns(RuntimeWarning):
        assert np.array_equal(np.isnan(step(X, m)), [False, False, True, False, False])
    step = compiled(lambda x: function(x * 2, axis=0) + 1, executor="llvm", wait=True)
    for _ in range(4):
        with pytest.warns(RuntimeWarning):
            found = step(X[:0])
        assert np.isnan(found).all()


SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 1e308]


@pytest.mark.parametrize("number", SPECIAL)
def test_nan_and_infinity_go_through_as_in_numpy(number):
    def function(x, y):
        return [np.var(x, 0), np.linalg.norm(x, axis=1), np.linalg.norm(x, np.inf), np.diff(x),
                np.einsum("ij,kj->ik", x, y), np.convolve(x[0], y[0]), np.std(x), np.round(x),
                np.tensordot(x, y, (1, 1)), np.count_nonzero(x)]  # fmt: skip

    step = compiled(function, executor="llvm", wait=True, audit=None)
    x = X.copy()
    with np.errstate(all="ignore"):
        for _ in range(4):
            step(x, Y)
        x[0, 3] = number
        for found, right in zip(step(x, Y), function(x, Y), strict=True):
            np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-14)


REFUSED = {
    "not of floating-point numbers of one dtype": lambda x, i: np.linalg.norm(i),
    "floating-point numbers of one dtype": lambda x, i: np.einsum("ij,ij", x, i),
    "numbers of one dtype": lambda x, i: np.var(i, axis=0),
    "computes with booleans": lambda x, i: np.sum(x > 0, dtype=bool, where=x > 1),
    "of singular values": lambda x, i: np.linalg.norm(x, 2),
    "a norm of powers": lambda x, i: np.linalg.norm(x, 3, axis=0),
    "NumPy may warn of it": lambda x, i: np.var(x, ddof=2),
    "a product of numbers": lambda x, i: np.einsum(",ij", 2.0, x),
    "so many products": lambda x, i: np.einsum("ij,kl,mn,o->", x, x, x + 1, x[:, 0]),
    "rounds to decimals": lambda x, i: np.round(x, 2),
    "of higher order": lambda x, i: np.diff(x, 2),
    "of its arguments": lambda x, i: np.sum(x, where=x > 0, initial=1.0),
    "that is computed": lambda x, i: np.var(x, axis=0, mean=x.mean(0, keepdims=True)),
    "comparisons": lambda x, i: np.sort(np.concatenate([x] * 9), axis=0),
    "in a special way": lambda x, i: np.sort(x, kind="stable"),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_other_forms_are_numpys(reason):
    def function(x, i):
        return [REFUSED[reason](x, i), x * 2 + 1, i + 1]

    i = (X * 9).astype(np.int64)
    program = native(function, X, i, machine=MACHINES[0])
    assert any(reason in why for _, why in program.partition.reasons)
    for found, right in zip(program.run(X, i), function(X, i), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-12)


def test_sums_of_masked_whole_numbers_are_exact():
    i = np.arange(-9, 21).reshape(6, 5) * 2**40

    def function(i, m):
        return [np.sum(i, where=m), np.sum(i, 0, where=m), np.prod(i, where=m),
                np.any(i, 1, where=m), i + 1]  # fmt: skip

    program = native(function, i, MASK, machine=MACHINES[0])
    assert program.partition.reasons == []
    for found, right in zip(program.run(i, MASK), function(i, MASK), strict=True):
        assert not differing(found, right)


def test_a_normalisation_in_a_loop_is_one_piece_of_machine_code():
    def f(x, w):
        for _ in range(30):
            x = (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 0.1)
            x = np.einsum("ij,kj->ik", x, w) + np.sort(x, axis=1) * 0.5
        return x

    step = compiled(f, executor="llvm", wait=True)
    w = np.eye(5) + 0.01
    for n in range(1, 6):
        np.testing.assert_allclose(step(X * n, w), f(X * n, w), rtol=1e-9)
    assert "for i in range(30)" in str(step.program)
    assert "since" not in step.explain()


@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype(np.int64), np.dtype(np.int8)], ids=str)
@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: str(m.bytes_of_vector))
def test_rows_are_sorted_as_by_numpy(dtype, machine):
    with np.errstate(invalid="ignore"):
        x = (RNG.normal(size=(3, 4, 5)) * 9).astype(dtype)
    x[1, 2] = x[1, 2, 0]
    if dtype.kind == "f":
        x[0, 1, 2:4], x[2, :2, 0], x[2, 3, 1] = np.nan, [np.inf, -np.inf], np.nan

    def function(x):
        return [np.sort(x), np.sort(x, axis=0), np.sort(x, 1) + 1, np.sort(x[:, 0, :1]), x + x]

    nothing = np.zeros((0, 2, 5), dtype)
    for given in (x, x[::-1], np.asfortranarray(x), np.repeat(x, 2, 2)[..., ::-2], nothing):
        program = native(function, given, machine=machine)
        for found, right in zip(program.run(given), function(given), strict=True):
            assert not differing(found, right)
        assert not given.size or program.partition.reasons == []
