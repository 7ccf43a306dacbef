"""Each function that takes the place of one of NumPy's: the same values, and nothing computed.

Promise: docs/dask_operations.md
"""

import dask.array as da
import numpy as np
import pytest
from dezero_dask.arrays.array_type import call, from_numpy, without_computing
from dezero_dask.arrays.body_array import BodyArray, unwrapped, wrapped

import dezero_dask as dd
from dezero_core.extend import kind_of

RNG = np.random.default_rng(1)
X = RNG.standard_normal((4, 6))
Y = RNG.standard_normal((4, 6))
Z = X + 1j * Y
V = RNG.standard_normal(7)
NAN = np.where(X > 1, np.nan, X)
SQUARE = RNG.standard_normal((2, 3, 3))

#: Calls of functions, the arrays of which are lazy but for those of integers.
CALLS = [
    *((f, (X,), {}) for f in (np.fix, np.isneginf, np.isposinf, np.sinc, np.nan_to_num, np.copy)),
    *((f, (Z,), {}) for f in (np.angle, np.imag, np.iscomplex, np.isreal, np.real)),
    (np.where, (X > 0, X, Y), {}),
    (np.clip, (X, -0.5, None), {}),
    (np.clip, (X, None, 0.5), {}),
    (np.round, (X, 1), {}),
    (np.isclose, (X, X + 1e-9), {}),
    (np.allclose, (X, X + 1e-9), {"equal_nan": True}),
    (np.nan_to_num, (np.where(X > 1, np.inf, NAN),), {"nan": 2.0, "posinf": 7.0}),
    (np.nan_to_num, (np.where(X > 1, -np.inf, NAN),), {"neginf": 7.0}),
    (np.digitize, (X, [-1.0, 0.0, 1.0]), {}),
    (np.isin, (X.round(), [0.0, 1.0]), {"invert": True}),
    (np.choose, ((X > 0).astype(int), [X, Y]), {}),
    (np.select, ([X > 0, Y > 0], [X, Y], 3.0), {}),
    *((f, (X,), {"axis": 1, "keepdims": True}) for f in (np.sum, np.prod, np.max, np.min)),
    *((f, (NAN,), {"axis": 0}) for f in (np.nansum, np.nanprod, np.nanmax, np.nanmin, np.nanmean)),
    *((f, (X > 0,), {"axis": 0}) for f in (np.all, np.any, np.count_nonzero)),
    (np.sum, (X.astype("f4"),), {"dtype": np.float64}),
    (np.sum, (X,), {"where": X > 0, "initial": 2.0}),
    (np.prod, (X,), {"where": X > 0, "axis": 0}),
    (np.max, (X,), {"where": X > 0, "initial": -3.0, "axis": 1}),
    (np.mean, (X,), {"axis": (0, 1)}),
    (np.mean, (X.astype("f4"),), {"dtype": np.float64}),
    (np.argmax, (X,), {"axis": 1}),
    (np.argmin, (X,), {"axis": 0}),
    (np.var, (X,), {"axis": 1, "ddof": 1}),
    (np.std, (X,), {"correction": 1}),
    (np.nanvar, (NAN,), {"axis": 0, "keepdims": True}),
    (np.nanstd, (NAN,), {"axis": 0}),
    (np.average, (X,), {"axis": 1, "keepdims": True}),
    (np.average, (X, 0, np.abs(V[:4])), {}),
    (np.average, (X, (1, 0), np.abs(X.T)), {}),
    (np.average, (X, None, np.abs(X)), {}),
    (np.cumsum, (X,), {"axis": 1}),
    (np.cumsum, (X,), {}),
    (np.cumprod, (X,), {"axis": 0}),
    (np.nancumsum, (NAN,), {"axis": 0}),
    (np.nancumprod, (NAN,), {"axis": 1}),
    (np.trapezoid, (X, [0.0, 1.0, 3.0, 4.0, 7.0, 9.0]), {}),
    (np.trapezoid, (X, X.cumsum(0)), {"axis": 0}),
    (np.trapezoid, (X,), {"dx": 2.0}),
    (np.transpose, (SQUARE, (2, 0, 1)), {}),
    (np.swapaxes, (SQUARE, 0, -1), {}),
    (np.moveaxis, (SQUARE, 0, -1), {}),
    (np.rollaxis, (SQUARE, 2), {}),
    (np.expand_dims, (X, 1), {}),
    (np.squeeze, (X[:, None],), {"axis": 1}),
    (np.flip, (X, 1), {}),
    (np.rot90, (X,), {}),
    (np.diagonal, (X, 1), {}),
    (np.diag, (V, -1), {}),
    (np.atleast_3d, (V,), {}),
    (np.broadcast_to, (V, (2, 7)), {}),
    (np.broadcast_to, (np.array(2.0), 3), {}),
    (np.reshape, (X, -1), {"order": "F"}),
    (np.reshape, (X, (4, -1, 1)), {}),
    (np.reshape, (X, -1), {}),
    (np.ravel, (X, "F"), {}),
    (np.zeros_like, (X,), {}),
    (np.ones_like, (X, bool), {"shape": (2, 5)}),
    (np.full_like, (X.astype("f4"), 2.0), {}),
    (np.matrix_transpose, (SQUARE,), {}),
    (np.roll, (X, 3), {}),
    (np.roll, (X, (1, 2), (0, 1)), {}),
    (np.roll, (X, 1, (0, 1)), {}),
    (np.diff, (X,), {"n": 2, "axis": 0}),
    (np.diff, (X, 1, 1, 0.5), {}),
    (np.diff, (X, 1, 1, X[:, :2], X[:, :1]), {}),
    (np.diff, (X > 0,), {}),
    (np.trace, (SQUARE, 1, 1, 2), {}),
    (np.diagflat, (X[:2, :2],), {}),
    (np.tril, (SQUARE, 1), {}),
    (np.tril, (V,), {}),
    (np.triu, (X,), {"k": -1}),
    (np.take, (X, [[0, 2], [1, 1]], 1), {}),
    (np.take, (X, [3, 30]), {"mode": "wrap"}),
    (np.take, (X, [-3, 30]), {"mode": "clip", "axis": None}),
    (np.compress, ([True, False, True], X, 0), {}),
    (np.extract, (X.round(1) > 0, X), {}),
    (np.repeat, (X, 2), {}),
    (np.repeat, (X, [1, 0, 2, 3], 0), {}),
    (np.repeat, (np.array(2.0), 2, 0), {}),
    (np.tile, (X, 2), {}),
    (np.tile, (V, (2, 1, 0)), {}),
    *((np.pad, (X, ((1, 2), (3, 4)), mode), {}) for mode in ("constant", "edge", "reflect")),
    (np.pad, (X, (0, 9), "wrap"), {}),
    (np.pad, (V, 2), {"constant_values": (1.0, 2.0)}),
    (np.concatenate, ([X, Y],), {"axis": 1}),
    (np.concatenate, ([X, V],), {"axis": None}),
    (np.concatenate, ([X, Y],), {"dtype": "f4", "casting": "same_kind"}),
    (np.stack, ([X, Y],), {"axis": -1}),
    (np.vstack, ([V, V],), {}),
    (np.hstack, ([V, V],), {}),
    (np.hstack, ([X, Y],), {}),
    (np.dstack, ([V, V],), {}),
    (np.column_stack, ([V, V],), {}),
    (np.column_stack, ([X, Y],), {}),
    (np.append, (X, V), {}),
    (np.append, (X, Y, 0), {}),
    (np.block, ([[X, Y], [Y, X]],), {}),
    (np.meshgrid, (V, V[:2]), {"indexing": "ij"}),
    (np.delete, (X, 1), {}),
    (np.delete, (X, [0, 2], 0), {}),
    (np.insert, (V, 2, 9.0), {}),
    (np.insert, (X, [1, 3], [5.0, 6.0]), {}),
    (np.array_split, (V, 3), {}),
    (np.split, (X, [1, 3], 1), {}),
    (np.hsplit, (X, 3), {}),
    (np.hsplit, (V[:6], 3), {}),
    (np.vsplit, (X, 2), {}),
    (np.dsplit, (SQUARE, 3), {}),
    (np.unstack, (X,), {"axis": 1}),
    (np.array_equal, (X, X), {}),
    (np.array_equal, (X, V), {}),
    (np.matmul, (X, Y.T), {}),
    (np.linalg.matmul, (SQUARE, SQUARE), {}),
    (np.tensordot, (X, Y), {}),
    (np.tensordot, (SQUARE, X[:3]), {"axes": (1, 0)}),
    (np.tensordot, (V, V), {"axes": 0}),
    (np.dot, (X, Y.T), {}),
    (np.dot, (X, 2.0), {}),
    (np.dot, (V, V), {}),
    (np.inner, (X, Y), {}),
    (np.inner, (X, 2.0), {}),
    (np.vdot, (Z, Z), {}),
    (np.outer, (V, V), {}),
    (np.linalg.outer, (V, V), {}),
    (np.vecdot, (Z, Z), {}),
    (np.matvec, (X, V[:6]), {}),
    (np.vecmat, (Z[:, 0], Z), {}),
    (np.einsum, ("ij,kj->ik", X, Y), {}),
    (np.fft.fftshift, (V,), {}),
    (np.fft.ifftshift, (X,), {"axes": 1}),
    (np.bincount, (np.array([0, 1, 1, 3]), X[:, 0]), {"minlength": 6}),
    (np.sum, (np.zeros((0, 3)),), {"axis": 0}),
    (np.split, (np.zeros((0, 4)), 2), {"axis": 1}),
    (np.modf, (X,), {}),
    (np.add, (X, 1.5), {}),
]


def arrays_of(y):
    return list(y) if isinstance(y, (list, tuple)) else [y]


def lazy(x):
    """Return the arrays of floating and complex numbers, or of booleans, as lazy ones."""
    if isinstance(x, (list, tuple)):
        return type(x)(map(lazy, x))
    known = not isinstance(x, np.ndarray) or x.dtype.kind in "iu" or x.ndim > 3
    return x if known else BodyArray(from_numpy(x))


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_a_function_of_lazy_arrays_is_lazy_and_gives_numpys_values(number):
    function, args, kwargs = CALLS[number]
    first = 1 if function in (np.compress, np.extract) else 0  # the condition is known
    with without_computing():
        given = (*args[:first], *lazy(args[first:]))
        found = function(*given, **{name: lazy(value) for name, value in kwargs.items()})
    expected = function(*args, **kwargs)
    for y, truth in zip(arrays_of(found), arrays_of(expected), strict=True):
        y = np.asarray(unwrapped(y)) if not isinstance(y, bool) else y
        np.testing.assert_allclose(y, truth, rtol=1e-12, atol=1e-13)
        assert np.shape(y) == np.shape(truth)
        assert np.asarray(y).dtype == np.asarray(truth).dtype


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "reason"),
    [
        (np.where, (X > 0,), {}, "its shape depends on values"),
        (np.average, (X,), {"returned": True}, "the sum of the weights"),
        (np.array_equal, (X, X), {"equal_nan": True}, "equal_nan=True"),
        (np.digitize, (X, V), {}, "bins.*lazy"),
        (np.pad, (X, 1, "mean"), {}, "mode='mean'"),
        (np.mean, (X,), {"where": X > 0}, r"where= of np\.mean"),
        (np.median, (X,), {}, r"np\.median is not among"),
        (np.sort, (X,), {}, r"axis 1 in one chunk, and it has 2.*rechunk\(\{1: -1\}\)"),
        (np.fft.fft, (X,), {}, "axis 1 in one chunk"),
        (np.add.reduce, (X,), {}, r"np\.add\.reduce"),
        (np.add, (X, X), {"dtype": "f4"}, "np.add with dtype="),
        (np.sum, (X, 0, None, None, True), {}, "an argument"),
    ],
)
def test_what_is_not_there_is_refused_with_the_reason(function, args, kwargs, reason):
    with without_computing(), pytest.raises(dd.LazyArrayError, match=reason):
        function(*lazy(args), **{name: lazy(value) for name, value in kwargs.items()})


def test_a_refused_cast_and_an_uneven_split_are_numpys_errors():
    x = lazy(X)
    with pytest.raises(TypeError, match="Cannot cast from float64 to int64"):
        np.concatenate([x, x], dtype=int)
    with pytest.raises(ValueError, match="equal division"):
        np.split(lazy(V), 2)
    with pytest.raises(ValueError, match="shape-mismatch"):
        np.tensordot(lazy(X), lazy(V), axes=1)


def test_transforms_along_axes_in_one_chunk_are_lazy():
    x = BodyArray(da.from_array(X, chunks=(2, 6)))
    whole = BodyArray(da.from_array(X, chunks=(-1, -1)))
    with without_computing():
        found = [
            *(np.fft.fft(x, 8), np.fft.irfft(x, axis=-1, norm="ortho"), np.fft.fftn(x, axes=(1,))),
            *(np.fft.fftn(whole), np.fft.irfftn(whole, s=(4, 7)), np.sort(x), np.argsort(x)),
            *(np.sort(whole, axis=None), np.argsort(whole, axis=None)),
        ]
    expected = [
        *(np.fft.fft(X, 8), np.fft.irfft(X, axis=-1, norm="ortho"), np.fft.fftn(X, axes=(1,))),
        *(np.fft.fftn(X), np.fft.irfftn(X, s=(4, 7), axes=(0, 1)), np.sort(X), np.argsort(X)),
        *(np.sort(X, axis=None), np.argsort(X, axis=None)),
    ]
    for y, truth in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(unwrapped(y)), truth, rtol=1e-12, atol=1e-13)


def test_facts_of_the_form_need_no_values():
    x = lazy(Z)
    with without_computing():
        assert (np.shape(x), np.ndim(x), np.size(x), len(x)) == ((4, 6), 2, 24, 4)
        assert np.iscomplexobj(x)
        assert not np.isrealobj(x)
        assert np.result_type(x, np.float32) == np.complex128
        assert x.T.shape == (6, 4)
        assert x.reshape(6, 4).shape == x.reshape((6, 4)).shape == (6, 4)
        assert x.real.dtype == x.imag.dtype == np.float64
        assert x.astype("c8").dtype == np.complex64
        assert (x == x).any().shape == (x == x).all().shape == ()


def test_other_libraries_arrays_are_left_to_them():
    class Other:
        __array_ufunc__ = __array_function__ = lambda *args, **kwargs: "theirs"

    assert np.add(lazy(X), Other()) == "theirs"
    assert np.concatenate([lazy(X), Other()]) == "theirs"


def test_arrays_in_lists_and_dicts_are_wrapped_and_unwrapped():
    x = from_numpy(X)
    tree = {"a": [x, (x, 2.0)]}
    assert isinstance(wrapped(tree)["a"][1][0], BodyArray)
    assert unwrapped(wrapped(tree))["a"][1][0] is x


def test_lazy_arrays_within_a_body_belong_to_the_type():
    kind = kind_of(lazy(X))
    assert kind is kind_of(from_numpy(X))
    assert kind.zeros((2,), float, lazy(X)).shape == (2,)
    assert kind.sum_to(lazy(X), (6,)).shape == (6,)
    assert kind.sum_to(lazy(X), X.shape).shape == X.shape
    assert isinstance(call(np.any, (lazy(X),), {}), BodyArray)
