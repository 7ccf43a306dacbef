"""Functions of NumPy over Dask's arrays, with arguments that are not the usual ones.

Promise: docs/dask_operations.md
"""

import dask
import dask.array as da
import numpy as np
import pytest
from dezero_dask.arrays.array_type import call, without_computing
from dezero_dask.arrays.numpy_functions.indexing import picked, placed

import dezero_dask as dd
from dezero_core import Function, Variable, grad

RNG = np.random.default_rng(0)
X = RNG.standard_normal((4, 3))
CUBE = RNG.standard_normal((2, 3, 3))
BYTES = RNG.integers(-100, 100, (4, 3)).astype(np.int8)


def chunked(x):
    """Return arrays in chunks of two elements along each axis, also those in lists."""
    if isinstance(x, np.ndarray):
        return da.from_array(x, chunks=2)
    return list(map(chunked, x)) if isinstance(x, list) else x


def require_as_numpy(function, *args, **kwargs):
    with without_computing():
        found = call(function, tuple(map(chunked, args)), kwargs)
    wanted = function(*args, **kwargs)
    assert (found.shape, found.dtype) == (np.shape(wanted), wanted.dtype)
    found = found.compute()
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


def require_refused_as_by_numpy(function, *args, **kwargs):
    with pytest.raises((ValueError, IndexError, TypeError)) as by_numpy:
        function(*args, **kwargs)
    with without_computing(), pytest.raises((ValueError, IndexError, TypeError)) as found:
        call(function, tuple(map(chunked, args)), kwargs)
    assert not isinstance(found.value, dd.LazyArrayError), by_numpy.value


@pytest.mark.parametrize("function", [np.sum, np.prod, np.max, np.min, np.nansum, np.nanmax])
def test_reductions_with_where_and_initial_keep_the_dtype(function):
    for x in (X, BYTES, BYTES > 0):
        require_as_numpy(function, x, initial=2.5, axis=0)
        require_as_numpy(function, x, initial=1.0, where=np.array([True, False, True]))
    require_refused_as_by_numpy(function, X, initial=1.0, where=np.ones((2, 4, 3), bool))


def test_an_extremum_without_an_initial_value_takes_no_where():
    require_refused_as_by_numpy(np.max, X, where=X > 0)
    require_refused_as_by_numpy(np.nanmin, X, where=X > 0)


@pytest.mark.parametrize("function", [np.dot, np.inner, np.matmul, np.vdot, np.vecdot])
def test_products_of_short_integers_and_of_booleans_keep_the_dtype(function):
    for x in (BYTES, BYTES > 0, BYTES.astype(np.uint8)):
        y = x if function in (np.vdot, np.inner, np.vecdot) else x.T
        require_as_numpy(function, x, y)
    require_as_numpy(np.einsum, "ij,kj->ik", BYTES, BYTES)
    require_as_numpy(np.einsum, "ij,kj->ik", BYTES, BYTES, dtype=np.float64)
    require_as_numpy(np.einsum, "ij,->j", X.astype(np.float32), 2.0)
    result = call(np.einsum, (chunked(BYTES), [0, 1], chunked(BYTES), [2, 1], [0, 2]), {})
    np.testing.assert_array_equal(result.compute(), np.einsum("ij,kj", BYTES, BYTES))


def test_vecdot_counts_its_axis_in_each_operand():
    require_as_numpy(np.vecdot, CUBE[0, 0], CUBE[1], axis=0)
    require_as_numpy(np.linalg.vecdot, CUBE + 1j, CUBE[1], axis=-2)
    require_refused_as_by_numpy(np.vecdot, CUBE[0, 0], CUBE[1], axis=1)


def test_one_element_is_not_repeated_in_a_product():
    for function in (np.matmul, np.vdot, np.vecdot):
        require_refused_as_by_numpy(function, X, X[:1, :1])
    require_refused_as_by_numpy(np.matmul, X, np.array(2.0))
    require_refused_as_by_numpy(np.einsum, "ij,jk", X, np.zeros((0, 3)))
    require_refused_as_by_numpy(np.add, X, np.zeros((0, 3)))


@pytest.mark.parametrize("axes", [2, ([0, 0], [0, 1]), ([-1, 0], [0, -1]), ([5], [0])])
def test_axes_that_an_operand_of_tensordot_lacks_are_an_error(axes):
    require_refused_as_by_numpy(np.tensordot, CUBE[0, 0], CUBE[1], axes)


def test_differences_of_order_zero_and_wrong_axes():
    require_as_numpy(np.diff, X, n=0, prepend=1.0)
    require_as_numpy(np.diff, X, n=2, axis=0, prepend=1.0, append=2.0)
    require_refused_as_by_numpy(np.diff, X, n=-1)
    require_refused_as_by_numpy(np.diff, X, axis=2)


def test_booleans_are_positions_of_take():
    require_as_numpy(np.take, X, np.array([True, False]).tolist(), 0)
    require_as_numpy(np.take, np.array(2.0), [0, 0])
    require_as_numpy(np.take, X, [], 0)
    with without_computing(), pytest.raises(TypeError, match="Cannot cast"):
        call(np.take, (chunked(X), np.array([0.5])), {})
    require_as_numpy(np.repeat, np.array(2.0), 3)
    require_refused_as_by_numpy(np.repeat, np.array(2.0), 3, 1)
    require_refused_as_by_numpy(np.cumsum, np.array(2.0), 1)


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
def test_borders_wider_than_the_array_repeat_it_as_numpy_does(mode):
    for n in (1, 2, 3, 5):
        for widths in ((0, 1), (2, 7), (11, 3)):
            require_as_numpy(np.pad, np.arange(float(n)), widths, mode)
    require_as_numpy(np.pad, X, ((1, 5), (0, 9)), mode)
    require_refused_as_by_numpy(np.pad, X, -1, mode)
    require_refused_as_by_numpy(np.pad, X, 1.5, mode)


def test_full_like_takes_an_array_and_keeps_the_sign_of_zero():
    for value in (2.7, X[0], True):
        require_as_numpy(np.full_like, BYTES, value)
    assert np.signbit(call(np.full_like, (chunked(X), -0.0), {}).compute()).all()
    require_refused_as_by_numpy(np.full_like, X[0], X)


def test_arrays_without_elements_are_joined_by_numpys_rules():
    require_as_numpy(np.concatenate, [X, np.zeros((0, 3))])
    require_as_numpy(np.concatenate, [X, np.zeros((4, 0))], axis=-1)
    require_refused_as_by_numpy(np.concatenate, [X, np.zeros((0, 2))])
    require_refused_as_by_numpy(np.stack, [X, np.zeros((0, 3))])


def test_areas_under_curves_of_each_form():
    require_as_numpy(np.trapezoid, X)
    require_as_numpy(np.trapezoid, X, X[:, 0], axis=0)
    require_as_numpy(np.trapezoid, X, CUBE[:1, :1], axis=0)
    require_as_numpy(np.trapezoid, X[0], X)
    require_as_numpy(np.trapezoid, X, dx=0.5, axis=0)
    require_refused_as_by_numpy(np.trapezoid, X, np.zeros((0, 3)))


def test_small_arrays_have_triangles_and_orders():
    require_as_numpy(np.argsort, np.array(2.0))
    require_as_numpy(np.tril, X)
    require_refused_as_by_numpy(np.triu, np.array(2.0))
    require_refused_as_by_numpy(np.insert, X[0], 1, 2.0, 1)
    require_as_numpy(np.choose, np.zeros(3, int), [X[0]])


INDICES = [
    *((0, slice(None), [1, 1]), ([1, 1], slice(None), 0), (0, None, [1, 2])),
    *((slice(None), [0, 2], None), (None, [0, -2]), ([0, 1], None), (..., [0, -1], 0)),
    *(np.array(1), (np.array(1), slice(None, None, -1)), ([0, 1], [1, 0], [2, 2])),
    *((0, [1, 2, 2]), np.uint8(1), (np.array([True, False]), None, ..., 0)),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_an_index_gives_numpys_order_of_axes_and_its_gradient(index):
    for x in (CUBE, CUBE.astype(np.float32), CUBE * (1 + 2j)):
        v, w = Variable(da.from_array(x, chunks=((1, 1), (2, 1), (1, 2)))), Variable(x)
        with without_computing():
            y = v[index]
            np.sum((y * np.arange(float(y.size)).reshape(y.shape)).real).backward()
        z = w[index]
        np.sum((z * np.arange(float(z.size)).reshape(z.shape)).real).backward()
        np.testing.assert_array_equal(y.to_numpy(), z.data)
        assert (v.grad.dtype, v.grad.chunks) == (x.dtype, v.data.chunks)
        np.testing.assert_allclose(v.grad.compute(), w.grad, rtol=1e-6)


@pytest.mark.parametrize(
    "index", [([0, 5], [1, 2]), (0, [1, 2]), ([3, 3], slice(0, 2)), slice(1, None), slice(9, 2)]
)
def test_a_gradient_of_an_index_needs_nothing_of_the_size_of_the_array(index):
    v = Variable(da.ones((40_000, 40_000), chunks=2500))
    with without_computing():
        np.sum(v[index]).backward()
    corner = v.grad[:6, :4].compute()
    wanted = np.zeros((6, 4))
    np.add.at(wanted, index, 1.0)
    np.testing.assert_array_equal(corner, wanted)


@pytest.mark.parametrize("index", [slice(2), slice(2, None), slice(1, None, 2), slice(2, 0, -1)])
def test_zeros_around_an_axis_in_one_chunk_leave_it_in_one_chunk(index):
    values = X[:, index]
    found = placed(da.from_array(values, chunks=(2, -1)), X.shape, (slice(None), index))
    assert found.chunks == ((2, 2), (3,))
    wanted = np.zeros_like(X)
    wanted[:, index] = values
    np.testing.assert_array_equal(found.compute(), wanted)


def test_zeros_around_an_axis_are_in_chunks_of_their_own_where_one_would_be_too_large():
    values = da.ones((2, 10), chunks=(2, 10))
    with dask.config.set({"array.chunk-size": "320 B"}):  # twenty columns
        found = placed(values, (2, 100), (slice(None), slice(10)))
    assert found.chunks[1][0] == 10
    assert max(found.chunks[1]) < 100


def test_the_second_derivative_of_a_transform_that_pads_is_lazy_and_right():
    x = Variable(da.from_array(X, chunks=(2, 3)))
    with without_computing():
        gx = grad(np.sum(np.abs(np.fft.fft(x, 8)) ** 4), x, create_graph=True)
        ggx = grad(np.sum(gx * X), x)
    plain = Variable(X)
    gx = grad(np.sum(np.abs(np.fft.fft(plain, 8)) ** 4), plain, create_graph=True)
    np.testing.assert_allclose(ggx.compute(), grad(np.sum(gx * X), plain), rtol=1e-12)


def test_borders_of_a_huge_array_need_nothing_of_its_size():
    x = da.ones(10**12, chunks=10**11)
    for mode in ("edge", "wrap", "reflect", "symmetric"):
        assert call(np.pad, (x, 2), {"mode": mode}).shape == (10**12 + 4,)


class Adds(Function):
    """Gives one gradient to both of its operands."""

    saves = ()

    def forward(self, x, y):
        return x + y

    def backward(self, gy):
        return gy, gy


def test_gradients_are_objects_of_their_own():
    v, w = Variable(chunked(X)), Variable(chunked(X))
    Adds()(v, w).backward()
    v.grad[0, 0] = 5.0  # gives the object another graph
    np.testing.assert_array_equal(w.grad.compute(), np.ones((4, 3)))


@pytest.mark.parametrize("index", [[0, 0, -1], (slice(None), [1, 1]), ([0, -1, 0], [1, 2, 1])])
def test_a_gradient_of_an_index_may_have_many_chunks_some_without_an_element(index):
    x = RNG.standard_normal((20, 3))
    v, w = Variable(chunked(x)), Variable(x)
    with without_computing(), dask.config.set({"array.chunk-size": "64B"}):
        np.sum(v[index] ** 2).backward()
    np.sum(w[index] ** 2).backward()
    np.testing.assert_allclose(v.grad.compute(), w.grad, rtol=1e-12)


class WithoutIndices:
    """Stands for an array of Dask's expressions, which lack some indices."""

    ndim = 1

    def __getitem__(self, index):
        raise AttributeError("vindex")


def test_an_index_that_dask_lacks_is_refused():
    with pytest.raises(dd.LazyArrayError, match="expressions do not have this index"):
        picked(WithoutIndices(), 0)
