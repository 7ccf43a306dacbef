"""Arguments of NumPy's functions mean the same over Dask's arrays, or are refused by name.

Promise: docs/dask_operations.md
"""

import dask
import dask.array as da
import numpy as np
import pytest
from dezero_dask.arrays.array_type import call, without_computing

import dezero_dask as dd
from dezero_core import Function, Variable

X = np.random.default_rng(0).standard_normal((4, 3))
NANS = np.where(X > 0.5, np.nan, np.where(X < -0.5, -np.inf, np.inf))
COUNTS = np.array([1, 0, 2, 1])


def chunked(x):
    """Return arrays in chunks of two elements along each axis, also those in lists."""
    if isinstance(x, np.ndarray):
        return da.from_array(x, chunks=2)
    return list(map(chunked, x)) if isinstance(x, list) else x


PLACES = np.random.default_rng(1).integers(-3, 3, (4, 2))


@pytest.mark.parametrize("places", [PLACES, PLACES[:1], da.from_array(PLACES, chunks=(3, 1))])
@pytest.mark.parametrize("axis", [1, -1])
def test_elements_are_taken_along_an_axis_in_one_chunk(places, axis):
    wanted = np.take_along_axis(X, np.asarray(places), 1)
    v = Variable(da.from_array(X, chunks=(2, 3)))
    with without_computing():
        y = np.take_along_axis(v, places, axis)
    np.testing.assert_array_equal(y.data.compute(), wanted)
    whole = Variable(da.from_array(X.ravel(), chunks=12))
    flat = np.take_along_axis(whole, PLACES[0], None)
    np.testing.assert_array_equal(flat.data.compute(), X.ravel()[PLACES[0]])


def test_the_gradient_goes_back_along_an_axis_where_the_places_are_known():
    v, x = Variable(da.from_array(X, chunks=(2, 3))), Variable(X)
    for variable in (v, x):
        y = np.take_along_axis(variable, PLACES, 1)
        np.sum(y * y).backward()
    np.testing.assert_array_equal(*dd.compute(v), x.grad)
    lazy = np.take_along_axis(v, da.from_array(PLACES, chunks=2), 1)
    with pytest.raises(dd.LazyArrayError, match="the positions are lazy, and the elements are not"):
        np.sum(lazy).backward()
    with pytest.raises(dd.LazyArrayError, match="it needs axis 0 in one chunk, and it has 2"):
        np.take_along_axis(v, PLACES, 0)
    with pytest.raises(ValueError, match="as many axes of positions as of elements, got 1 and 2"):
        np.take_along_axis(v, PLACES[0], 1)


@pytest.mark.parametrize(
    ("function", "args", "kwargs"),
    [
        *((np.clip, (X, 0.0, None), {}), (np.clip, (X, None, 0.0), {}), (np.round, (X, 1), {})),
        *((np.nan_to_num, (NANS,), {}), (np.nan_to_num, (NANS, True, 1.0), {"posinf": 2.0})),
        (np.nan_to_num, (NANS,), {"neginf": -2.0, "posinf": X[0]}),
        *((np.where, (X > 0, X, 1.0), {}), (np.isclose, (NANS, NANS), {"equal_nan": True})),
        *((np.allclose, (X, X + 1e-12), {}), (np.array_equal, (X, X), {})),
        *((np.average, (X,), {"axis": 0}), (np.average, (X,), {"weights": np.abs(X)})),
        (np.average, (X, -1), {"weights": np.array([1.0, 2.0, 3.0]), "keepdims": True}),
        (np.delete, (X, [0, -1]), {}),
        *((np.delete, (X, 1, -1), {}), (np.unstack, (X,), {"axis": 1})),
        *((np.array_split, (X, 3), {}), (np.split, (X, [1]), {}), (np.split, (X, 2), {})),
        *((np.append, (X, np.zeros(0)), {}), (np.append, (X, X, 0), {})),
        *((np.reshape, (X, (3, 4)), {"order": "F"}), (np.take, (X, [9, -9], 0), {"mode": "clip"})),
        *((np.take, (X, [9, -9], 0), {"mode": "wrap"}), (np.modf, (X,), {})),
        *((np.pad, (X, ((1, 0), (0, 2))), {"constant_values": ((1, 2), (3, 4))}),),
        *((np.pad, (X, 0), {}), (np.pad, (X, ((0, 0), (1, 1)), "wrap"), {})),
        *((np.insert, (X, [1, 1], [5.0, 6.0]), {}), (np.split, (np.zeros((4, 0)), 2), {})),
        *((np.choose, (COUNTS, [COUNTS, 5, X[:, 0]]), {}), (np.sum, (COUNTS > 0,), {})),
        (np.concatenate, ([X, COUNTS[:, None]],), {"axis": 1, "dtype": np.float32}),
    ],
    ids=lambda x: getattr(x, "__name__", "") if callable(x) else "",
)
def test_arguments_mean_what_they_mean_to_numpy(function, args, kwargs):
    with without_computing():
        found = call(function, tuple(map(chunked, args)), kwargs)
    wanted = function(*args, **kwargs)
    assert type(found) is type(wanted) or not isinstance(wanted, (list, tuple))
    several = isinstance(wanted, (list, tuple))
    for x, y in zip(found, wanted, strict=True) if several else [(found, wanted)]:
        (x,) = dask.compute(x)
        assert x.dtype == y.dtype if isinstance(y, (np.ndarray, np.generic)) else x == y
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "words"),
    [
        (np.where, (X > 0,), {}, "np.where of a condition alone"),
        (np.average, (X,), {"returned": True}, "returned=True"),
        (np.array_equal, (X, X), {"equal_nan": True}, "equal_nan=True"),
        (np.pad, (X, 1, "mean"), {}, "mode='mean'"),
        (np.mean, (X,), {"where": X > 0}, "np.mean with where="),
        (np.argmax, (X, 0, None, 1, 2, 3), {}, "np.argmax with an argument"),
        (np.take, (X, COUNTS), {}, "positions of np.take"),
    ],
)
def test_what_is_not_there_is_refused_by_name(function, args, kwargs, words):
    with without_computing(), pytest.raises(dd.LazyArrayError) as error:
        call(function, tuple(map(chunked, args)), kwargs)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("function", "args", "kwargs"),
    [
        (np.split, (X, 3), {}),
        (np.tensordot, (X, X), {"axes": 1}),
        (np.concatenate, ([X, X + 1j],), {"dtype": np.float64}),
    ],
)
def test_errors_of_numpys_are_errors_here(function, args, kwargs):
    with pytest.raises((ValueError, TypeError)):
        function(*args, **kwargs)
    with without_computing(), pytest.raises((ValueError, TypeError)):
        call(function, tuple(map(chunked, args)), kwargs)


def test_arrays_of_other_shapes_are_not_equal_which_needs_no_values():
    assert call(np.array_equal, (chunked(X), X[0]), {}) is False


@pytest.mark.parametrize(
    "index", [True, chunked(COUNTS), ([0, 1], slice(None), [0, 1]), [[0, 1], [1, 0]]], ids=str
)
def test_indices_that_are_not_there_are_refused(index):
    v = Variable(da.from_array(np.zeros((2, 2, 2)), chunks=1))

    class Picks(Function):
        def forward(self, x):
            return x[index]

    with without_computing(), pytest.raises(dd.LazyArrayError, match=r"x\[index\]"):
        Picks()(v)


class Foreign:
    """A type of arrays that nobody has registered."""

    def __array_ufunc__(self, *args, **kwargs):
        return "its own"

    def __array_function__(self, *args, **kwargs):
        return "its own"


def test_a_body_leaves_types_to_themselves_that_it_does_not_know():
    found = []

    class Mixes(Function):
        def forward(self, x):
            found.extend([x + Foreign(), np.concatenate([x, Foreign()])])
            return x

    Mixes()(Variable(chunked(X)))
    assert found == ["its own", "its own"]
