"""Reductions: along all axes, of all shapes; and how exact sums are.

Promise: docs/how_replay_works.md
"""

import itertools
import math

import numpy as np
import pytest
from dezero_replay.errors import GuardError

from ..attack.lengths import LONG
from .machine_code import FLOATS, MACHINES, differing, kernel, native, ulps, width

machines = pytest.mark.parametrize("machine", MACHINES, ids=width)
dtypes = pytest.mark.parametrize("dtype", FLOATS, ids=str)

SHAPES = [(), (1,), (3,), (19,), (4, 7), (6, 1), (2, 3, 5), (3, 1, 4), (2, 3, 2, 5)]
JOINED = [np.maximum, np.minimum, np.logical_and, np.logical_or]


def all_axes(ndim):
    """Return None and all tuples of axes, also counted from the end."""
    found = [None, -1, (-1, 0)] if ndim > 1 else [None]
    for count in range(1, ndim + 1):
        found += itertools.combinations(range(ndim), count)
    return found


def along_all(ufunc, ndim):
    """Return a function that gives the reductions of an array along all of its axes."""

    def function(x):
        y, found = x * 2.0, []
        for axis in all_axes(ndim):
            found.append(ufunc.reduce(y, axis=axis))
            found.append(ufunc.reduce(x, axis=axis, keepdims=True))
        return found

    return function


@machines
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_extremes_and_masks_have_numpys_bits_along_all_axes(shape, machine):
    rng = np.random.default_rng(len(shape))
    for ufunc, dtype in zip(JOINED * 2, FLOATS * 2 + FLOATS[::-1] * 2, strict=True):
        function = along_all(ufunc, len(shape))
        x = np.asarray(rng.normal(size=shape) * (rng.random(shape) < 0.7) + 0.0, dtype)
        program = native(function, x, machine=machine)
        assert program.codes
        for transposed in (False, True):
            given = np.ascontiguousarray(x.T).T if transposed and x.ndim > 1 else x
            if given.strides != x.strides:
                program = native(function, given, machine=machine)
            for number, (a, b) in enumerate(zip(program.run(given), function(given), strict=True)):
                assert not (text := differing(a, b)), (ufunc, number, text)


@machines
@dtypes
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_and_products_are_right_along_all_axes(shape, dtype, machine):
    x = np.asarray(1 + np.random.default_rng(3).random(shape), dtype)
    for ufunc in (np.add, np.multiply):
        function = along_all(ufunc, len(shape))
        program = native(function, x, machine=machine)
        assert program.codes
        right = function(x.astype(np.longdouble))
        for found, exact, eager in zip(program.run(x), right, function(x), strict=True):
            assert found.dtype == eager.dtype
            assert type(found) is type(eager)
            assert ulps(np.asarray(found), np.asarray(exact)).max() <= x.size


@machines
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.int8, np.uint8, np.uint64, bool], ids=str)
def test_reductions_of_whole_numbers_have_numpys_bits(dtype, machine):
    rng = np.random.default_rng(5)
    x = (
        rng.integers(0, 120, (3, 4, 17)).astype(dtype)
        if dtype is not bool
        else rng.random((3, 4, 17)) < 0.8
    )

    def function(x):
        found = []
        for axis in (None, 0, 2, (0, 2), (1, 2)):
            found += [x.sum(axis), x.max(axis), x.min(axis), x.prod(axis), x.any(axis), x.all(axis)]
        return found

    program = native(function, x, machine=machine)
    assert program.codes
    for number, (a, b) in enumerate(zip(program.run(x), function(x), strict=True)):
        assert not (text := differing(a, b)), (number, text)


@machines
@dtypes
@pytest.mark.parametrize("shape", [(), (1,), (5,), (40,), (3, 7), (5000,), (300, 4)], ids=str)
def test_initial_numbers_are_joined_once(shape, dtype, machine):
    x = np.asarray(np.random.default_rng(6).normal(size=shape) * 3, dtype)

    def function(x):
        y = x + 1.0
        found = [x.sum(initial=100.0), y.sum(initial=-1.0), y.max(initial=2.5), x.min(initial=0.0)]
        found += [(y * 0.125).prod(initial=3.0) if x.size < 9 else y.max(initial=-np.inf)]
        if x.ndim:
            found += [np.sum(y, axis=0, initial=7.0), x.max(axis=-1, initial=1.0, keepdims=True)]
        return found

    program = native(function, x, machine=machine)
    assert program.codes
    right = function(x.astype(np.longdouble))
    for found, exact in zip(program.run(x), right, strict=True):
        close = 1e3 * np.finfo(dtype).eps * (1 + np.abs(x).sum() / 100)
        assert np.abs(found - exact).max() <= close


@machines
@dtypes
def test_nan_and_infinity_go_through_as_in_numpy(dtype, machine):
    def function(x):
        y = x * 1.0
        found = []
        for axis in (None, 0, 1):
            found += [x.max(axis), y.min(axis), x.sum(axis), y.any(axis), np.isfinite(x).all(axis)]
        return found

    x = np.ones((5, 21), dtype)
    made = kernel(function, x, machine=machine)
    program = native(function, x, machine=machine)
    for number in (np.nan, np.inf, -np.inf, -0.0, 0.0):
        for place in [(0, 0), (4, 20), (2, 17), (3, 5)]:
            given = x.copy()
            given[place] = number
            with np.errstate(all="ignore"):
                expected = function(given)
                for a, b in zip(program.run(given), expected, strict=True):
                    assert not differing(a, b)
            # The code by itself knows them, too, but in sums with totals in two numbers.
            for n, (a, b) in enumerate(zip(made(given), expected, strict=True)):
                assert n % 5 == 2 or not differing(a, b), (n, number, place)


@machines
@dtypes
def test_the_sum_of_negative_zeros_has_numpys_sign(dtype, machine):
    def function(x):
        return [x.sum(), x.sum(0), x.sum(1), np.sum(-x, 0), x.sum(0, initial=-0.0)]

    for shape in [(1, 1), (2, 3), (5, 40), (40, 5), (1, 3000), (300, 300)]:
        x = np.full(shape, -0.0, dtype)
        made = kernel(function, x, machine=machine)
        for a, b in zip(made(x), function(x), strict=True):
            assert not differing(a, b), shape


@machines
@dtypes
def test_a_guard_that_all_is_finite_is_looked_at(dtype, machine):
    """The mean of what is finite; a branch upon a number that machine code computes."""

    def function(x):
        y = x * 3.0
        if np.isfinite(y).all():
            return [y - y.max()]
        return [y]

    for shape in [(3,), (100,), (9, 70)]:
        x = np.random.default_rng(2).normal(size=shape).astype(dtype)
        program = native(function, x, machine=machine)
        assert not differing(program.run(x)[0], function(x)[0])
        x.reshape(-1)[-1] = np.nan
        with pytest.raises(GuardError):
            program.run(x)


@machines
def test_a_guard_is_looked_at_where_nothing_else_is_wanted_of_machine_code(machine):
    def function(x):
        if (x * 2.0).max() > 9.0:
            return np.cumsum(x)
        return np.sort(x)

    x = np.array([3.0, 1.0, 2.0])
    program = native(function, x, machine=machine)
    assert program.codes
    assert not differing(program.run(x), np.array([[1.0, 2.0, 3.0]]))
    with pytest.raises(GuardError):
        program.run(x * 4.0)


@machines
def test_guards_of_arguments_alone_are_numpys(machine):
    def function(x, y):
        if np.isfinite(x).all() and np.isfinite(y).all():
            return [np.sort(x), np.sort(y)]
        return [x, y]

    x, y = np.random.default_rng(1).normal(size=(2, 100))
    program = native(function, x, y, machine=machine)
    for found, expected in zip(program.run(x, y), (np.sort(x), np.sort(y)), strict=True):
        assert not differing(found, expected)
    y[7] = np.inf
    with pytest.raises(GuardError):
        program.run(x, y)


# How exact sums are.


def error_of(found, exact):
    """Return the root of the mean square of errors."""
    return math.sqrt(np.mean((np.asarray(found, np.longdouble) - exact) ** 2))


KINDS = {
    "of one sign": lambda rng, shape: rng.random(shape),
    "of both signs": lambda rng, shape: rng.normal(size=shape),
    "of many magnitudes": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.uniform(-6, 6, n),
}


@machines
@dtypes
@pytest.mark.parametrize("kind", KINDS)
def test_sums_are_at_least_as_exact_as_numpys(kind, dtype, machine):
    for size, draws in [(100, 60), (1000, 60), (30_000, 20)]:
        rng = np.random.default_rng(size)
        made = kernel(lambda x: [x.sum(), -x], np.zeros(size, dtype), machine=machine)
        native_errors, numpys = [], []
        for _ in range(draws * (10 if LONG else 1)):
            x = KINDS[kind](rng, size).astype(dtype)
            exact = math.fsum(x.tolist())
            native_errors.append(float(made(x)[0]) - exact)
            numpys.append(float(x.sum()) - exact)
        assert error_of(native_errors, 0) <= 1.15 * error_of(numpys, 0)


@machines
@dtypes
def test_a_million_numbers_are_summed_as_exactly_as_by_numpy(dtype, machine):
    x = np.random.default_rng(11).normal(size=10**6).astype(dtype) + dtype.type(0.01)
    made = kernel(lambda x: [x.sum(), (x * x).sum(), np.abs(x).sum()], x, machine=machine)
    found = made(x)
    terms = [x, x * x, np.abs(x)]
    for total, each in zip(found, terms, strict=True):
        exact = math.fsum(each.tolist())
        assert abs(float(total) - exact) <= max(
            abs(float(each.sum()) - exact), 0.5 * float(np.spacing(np.abs(total)))
        )


SUMS = {
    "along rows": lambda x, y: [(x + y).sum(1)],
    "along columns": lambda x, y: [(x + y).sum(0)],
    "of a transposed one": lambda x, y: [x.T.sum(0), y.T.sum(1)],
    "beside a transposed one": lambda x, y: [(x + y.T).sum(1), (x + y.T).sum(0)],
    "of another order": lambda x, y: [(x[0] + y.T).sum(0), x + y],
    "along both": lambda x, y: [(x + y).sum(1), (x.T + y.T).sum(0), (x + y).sum(0)],
    "of a row for all": lambda x, y: [(x[:1] + y).sum(1), (x[:, :1] + y).sum(1)],
    "of all": lambda x, y: [(x.T + y).sum(), x * y],
}


@machines
@dtypes
@pytest.mark.parametrize("how", SUMS)
def test_sums_in_loops_of_several_arrays_are_at_least_as_exact_as_numpys(how, dtype, machine):
    """Sums of two of these numbers are exact, so that all errors are the reduction's."""
    rng = np.random.default_rng(12)
    digits = np.finfo(dtype).nmant
    x, y = (rng.integers(0, 2 ** (digits - 1), (2, 250, 250)) * 2.0**-digits).astype(dtype)
    function = SUMS[how]
    found = kernel(function, x, y, machine=machine)(x, y)
    exact = function(x.astype(np.longdouble), y.astype(np.longdouble))
    for a, b, right in zip(found, function(x, y), exact, strict=True):
        assert error_of(a, right) <= 1.1 * error_of(b, right)
