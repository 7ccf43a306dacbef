"""Graphs over arrays of 10¹² elements are built without an array of their size.

Promise: docs/dask_operations.md
"""

import dask.array as da
import numpy as np
import pytest
from dezero_dask.arrays.array_type import call, without_computing

import dezero_dask as dd
from dezero_core import Variable, grad
from dezero_ops_math import softmax_cross_entropy

N = 1_000_000


def square():
    return da.zeros((N, N), chunks=N // 10)


def rows():
    return da.zeros((N, N), chunks=(N // 10, N))


def line():
    return da.zeros(N * N, chunks=N * N // 10)


#: Name -> the array, and a calculation with it.
CASES = {
    "delete of all": (square, lambda x: np.delete(x, [3, 10**11])),
    "delete a slice": (line, lambda x: np.delete(x, slice(3, 10**11))),
    "delete every second": (line, lambda x: np.delete(x, slice(None, None, 2))),
    "delete columns": (square, lambda x: np.delete(x, [3, -1], 1)),
    "insert": (line, lambda x: np.insert(x, [3, 10**11], 5.0)),
    "insert a row": (square, lambda x: np.insert(x, -1, 5.0, 0)),
    "take of all": (square, lambda x: np.take(x, [3, 10**11, 3])),
    "take columns": (square, lambda x: np.take(x, [3, 5, 3], 1)),
    "compress": (square, lambda x: np.compress([False, True], x)),
    "extract": (square, lambda x: np.extract([False, True], x)),
    "sort": (rows, lambda x: np.sort(x, 1)),
    "labels": (rows, lambda x: softmax_cross_entropy(x, np.arange(N))),
    "repeat": (line, lambda x: np.repeat(x, 2)),
    "border": (line, lambda x: np.pad(x, (3, 2), "reflect")),
    "border of columns": (square, lambda x: np.pad(x, ((0, 0), (3, 0)), "edge")),
    "transform": (rows, lambda x: np.fft.rfft(x, axis=1).real),
}


@pytest.mark.parametrize("name", CASES)
def test_values_and_two_gradients_are_built_without_an_array_of_that_size(name):
    made, function = CASES[name]
    x = Variable(made())
    with without_computing():
        y = function(x)
        gx = grad(np.sum(y * y), x, create_graph=True)
        ggx = grad(np.sum(gx * gx), x)
    assert ggx.chunks == x.data.chunks


def test_elements_at_too_many_places_are_refused_where_they_are_put_in():
    for where in (slice(None, None, 2), np.arange(0, 10**6, 3)):
        with without_computing(), pytest.raises(dd.LazyArrayError, match="10,000 places"):
            call(np.insert, (line(), where, 1.0), {})


RNG = np.random.default_rng(0)
CUBE = RNG.standard_normal((4, 5, 3))
DEEP = (slice(None, None, 3), slice(1, None), slice(-2, 0, -2), slice(4, 1), slice(None), slice(2))


def require_as_numpy(function, *arrays):
    """Compare the value, the gradients and the second gradients with those of NumPy."""
    found = []
    for chunks in (None, 2):
        made = (lambda x: x) if chunks is None else (lambda x, n=chunks: da.from_array(x, chunks=n))
        with without_computing():
            xs = [Variable(made(x)) for x in arrays]
            y = function(*xs)
            weights = np.random.default_rng(1).uniform(0.5, 1.0, y.shape)
            gxs = grad(np.sum(y * y * weights), xs, create_graph=True)
            ggxs = grad(sum([np.sum(gx**3) for gx in gxs]), xs)
        found.append([np.asarray(y.to_numpy()), *(gx.to_numpy() for gx in gxs), *ggxs])
        for x, wanted in zip(found[-1], found[0], strict=True):
            assert (x.shape, x.dtype) == (wanted.shape, wanted.dtype)
            np.testing.assert_allclose(np.asarray(x), wanted, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("where", [*DEEP, 1, -1, [0, 0, 3], [1, 2], [], np.array([True] * 4)])
def test_deleting_along_the_first_axis_is_right(where):
    require_as_numpy(lambda x: np.delete(x, where, 0), CUBE)


@pytest.mark.parametrize("where", [*DEEP, 7, -60, [59, 0, 31, 31, 32], np.arange(60) % 7 == 0])
def test_deleting_of_all_elements_is_right(where):
    require_as_numpy(lambda x: np.delete(x, where), CUBE)
    require_as_numpy(lambda x: np.delete(x, slice(1, 11, 3), 1), np.tile(CUBE, (1, 3, 1)))


@pytest.mark.parametrize("where", [0, -1, 4, [2], [4, 0, 0, -1], slice(None, None, 2), []])
def test_inserting_is_right_along_each_axis(where):
    for values in (RNG.standard_normal((5, 3)), RNG.standard_normal(3), np.array(2.0)):
        require_as_numpy(lambda x, v: np.insert(x, where, v, 0), CUBE, values)
    is_number = isinstance(where, int)
    values = RNG.standard_normal((2, 4, 3) if is_number else (4, 1, 3))
    require_as_numpy(lambda x, v: np.insert(x, where, v, 1), CUBE, values)
    require_as_numpy(lambda x, v: np.insert(x, where, v), CUBE, RNG.standard_normal(1 + is_number))


def test_inserting_several_elements_each_at_its_own_place_is_right():
    values = RNG.standard_normal((4, 4, 1))
    require_as_numpy(lambda x, v: np.insert(x, [4, 0, 0, -1], v, 1), CUBE, values)
    require_as_numpy(lambda x, v: np.insert(x, [4, 0, 0, -1], v), CUBE, values[:1, :, 0])


def test_inserting_at_a_mask_and_into_nothing_is_right():
    require_as_numpy(lambda x: np.insert(x, np.array([True, False, True, False]), 1.0, 0), CUBE)
    require_as_numpy(lambda x: np.insert(x, 0, 1.0), np.array(2.0))


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_taking_is_right_from_all_elements_and_along_an_axis(mode):
    at = [2, -1, 2, 0] if mode == "raise" else [200, -100, 2, 2]
    require_as_numpy(lambda x: np.take(x, at, mode=mode), CUBE)
    require_as_numpy(lambda x: np.take(x, [at, at[::-1]], 1, mode=mode), CUBE)
    require_as_numpy(lambda x: np.take(x, [[0, 0]], mode=mode), np.array(2.0))
    require_as_numpy(lambda x: np.take(x, []), CUBE)


def test_picking_by_a_condition_is_right():
    require_as_numpy(lambda x: np.compress([False, True, True], x), CUBE)
    require_as_numpy(lambda x: np.compress([False, True, True], x, -2), CUBE)
    require_as_numpy(lambda x: np.extract(CUBE > 0.3, x), CUBE)
    require_as_numpy(lambda x: np.extract([True], x), np.array(2.0))


@pytest.mark.parametrize(("times", "axis"), [(3, 1), (2, None), (0, -1), ([2], 0), ([1, 0, 2], 2)])
def test_repeating_is_right(times, axis):
    require_as_numpy(lambda x: np.repeat(x, times, axis), CUBE)


@pytest.mark.parametrize("mode", ["edge", "wrap", "reflect", "symmetric"])
def test_a_gradient_of_a_border_goes_back_to_where_it_is_from(mode):
    require_as_numpy(lambda x: np.pad(x, ((1, 0), (0, 0), (5, 7)), mode), CUBE)
    require_as_numpy(lambda x: np.pad(x, (2, 3), mode), CUBE[0, 0, :1])


def test_parts_that_overlap_are_added_up():
    require_as_numpy(lambda x: np.concatenate(np.split(x, [4, -3, 2], 1), 1), CUBE)


@pytest.mark.parametrize("axis", [0, -1, None])
def test_positions_of_ties_are_those_of_the_kind_that_is_asked_for(axis):
    x = RNG.integers(0, 3, 200)
    for how in ({}, {"kind": "stable"}, {"stable": True}):
        found = call(np.argsort, (da.from_array(x, chunks=-1), axis), how)
        np.testing.assert_array_equal(found.compute(), np.argsort(x, axis, **how))


@pytest.mark.parametrize("axis", [0, -1, None])
def test_the_gradient_of_a_sorted_axis_goes_back_also_from_ties(axis):
    x = np.round(2 * CUBE) if axis is not None else np.round(CUBE[0, 0])
    chunks = [-1 if i == (axis or 0) % x.ndim else 2 for i in range(x.ndim)]
    v, w = Variable(da.from_array(x, chunks=chunks)), Variable(x)
    weights = RNG.standard_normal(x.shape if axis is not None else x.size)
    with without_computing():
        gv = grad(np.sum(np.sort(v, axis) ** 2 * weights), v, create_graph=True)
        ggv = grad(np.sum(gv**3), v)
    gw = grad(np.sum(np.sort(w, axis) ** 2 * weights), w, create_graph=True)
    np.testing.assert_allclose(gv.to_numpy(), gw.data, rtol=1e-12)
    np.testing.assert_allclose(ggv.compute(), grad(np.sum(gw**3), w), rtol=1e-12)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        *((np.delete, (CUBE, 4, 0)), (np.delete, (CUBE, [0, -5], 0)), (np.delete, (CUBE, 60))),
        *((np.delete, (CUBE, [0.5])), (np.delete, (CUBE, np.array([True]), 0))),
        *((np.insert, (CUBE, 5, 1.0, 0)), (np.insert, (CUBE, [[1]], 1.0, 0))),
        *((np.insert, (CUBE, [0.5, 1.0], 1.0)), (np.insert, (CUBE, [0, 1], np.ones(3)))),
        *((np.take, (CUBE, 60)), (np.take, (CUBE, [0, -61])), (np.take, (CUBE, 0, 3))),
        *((np.repeat, (CUBE, -1)), (np.repeat, (CUBE, [1, 2], 0)), (np.delete, (CUBE, 0, 3))),
        *((np.bincount, (np.arange(3), CUBE[:, 0, 0])), (np.fft.fft, (CUBE[0, 0], 0))),
        *((np.fft.rfft, (CUBE[0, 0], 3, 1)), (np.fft.fftn, (CUBE[0, 0], (0,), (0,)))),
    ],
)
def test_what_numpy_refuses_is_refused_with_an_error_of_the_same_type(function, args):
    with pytest.raises((IndexError, ValueError, TypeError)) as by_numpy:
        function(*args)
    lazy = [
        da.from_array(x, chunks=3)
        if isinstance(x, np.ndarray) and x.dtype == float and x.ndim > 0
        else x
        for x in args
    ]
    with without_computing(), pytest.raises((IndexError, ValueError, TypeError)) as found:
        call(function, tuple(lazy), {})
    assert issubclass(type(found.value), (type(by_numpy.value), ValueError, IndexError))
    assert not isinstance(found.value, dd.LazyArrayError)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_transforms_have_the_lengths_that_numpy_gives_them(name):
    function = getattr(np.fft, name)
    for n in (None, 1, 4, 9):
        for length in (2, 5):
            x = RNG.standard_normal((3, length))
            found = call(function, (da.from_array(x, chunks=(1, -1)), n), {})
            wanted = function(x, n)
            assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
            np.testing.assert_allclose(found.compute(), wanted, atol=1e-13)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_transforms_of_several_axes_may_go_through_one_twice(name):
    function = getattr(np.fft, name)
    x = RNG.standard_normal((3, 4))
    for s, axes in (((5, 2, 3), (1, 0, 1)), (None, (1, 1)), ((-1, 3), (0, 1)), (None, (0, 1))):
        found = call(function, (da.from_array(x, chunks=-1), s, axes), {})
        wanted = function(x, s, axes)
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_allclose(found.compute(), wanted, atol=1e-13)
