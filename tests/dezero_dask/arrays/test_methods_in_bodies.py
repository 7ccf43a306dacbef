"""Methods of the arrays in the body of an operation: those of an ndarray, or refused by name.

Promise: docs/dask_operations.md
"""

import copy

import dask.array as da
import numpy as np
import pytest
from dezero_dask.arrays.array_type import call, without_computing

import dezero_dask as dd
from dezero_core import Function, Variable

X = np.random.default_rng(0).standard_normal((4, 3))


def chunked(x):
    return da.from_array(x, chunks=2)


class Body(Function):
    """Applies what it is given to its input."""

    def __init__(self, run):
        self.run = run

    def forward(self, x):
        return self.run(x)


def require_as_numpy(run, x=X):
    with without_computing():
        found = Body(run)(Variable(chunked(x)))
    wanted = np.asarray(run(x.copy()))
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(found.to_numpy(), wanted, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "std", "var", "all", "any"])
def test_reductions_are_methods(name):
    require_as_numpy(lambda x: getattr(x, name)())
    require_as_numpy(lambda x: getattr(x, name)(1))
    require_as_numpy(lambda x: getattr(x, name)(axis=(0, 1), keepdims=True))


@pytest.mark.parametrize("name", ["argmax", "argmin", "cumsum", "cumprod", "conj", "conjugate"])
def test_positions_running_sums_and_conjugates_are_methods(name):
    require_as_numpy(lambda x: getattr(x, name)(), X * (1 + 2j))
    if not name.startswith("conj"):
        require_as_numpy(lambda x: getattr(x, name)(0))


@pytest.mark.parametrize(
    "run",
    [
        *(lambda x: x.T, lambda x: x.mT, lambda x: x.transpose(), lambda x: x.transpose(1, 0)),
        *(lambda x: x.transpose((-1, 0)), lambda x: x[0].transpose(0), lambda x: x.copy()),
        *(lambda x: x.reshape(3, 4), lambda x: x.reshape((2, -1), order="F"), lambda x: x.ravel()),
        *(lambda x: x.flatten("F"), lambda x: x[:, :1].squeeze(1), lambda x: x.swapaxes(0, 1)),
        *(lambda x: x.astype(np.float32), lambda x: x.astype(int, "K", "unsafe")),
        *(lambda x: x.clip(-0.5, 0.5), lambda x: x.clip(min=0.0), lambda x: x.clip(None, 0.1)),
        *(lambda x: x.dot(X.T), lambda x: x.round(1), lambda x: x.repeat(2, axis=0)),
        *(lambda x: x.take([0, 2], axis=1), lambda x: x.compress([True, False], 0)),
        *(lambda x: x.diagonal(1), lambda x: x.trace(), lambda x: x.reshape(-1).real.imag),
        *(lambda x: np.float64(x.nbytes + x.itemsize) + x, lambda x: x[:2, 0].argsort()),
    ],
)
def test_a_method_does_what_that_of_an_ndarray_does(run):
    require_as_numpy(run)


def test_an_operation_of_methods_alone_has_a_lazy_gradient():
    class Centred(Function):
        def forward(self, x):
            return x - x.mean(0, keepdims=True)

        def backward(self, gy):
            return gy - gy.mean(axis=0, keepdims=True)

    v, weights = Variable(chunked(X)), np.arange(12.0).reshape(4, 3)
    with without_computing():
        np.sum(Centred()(v) * weights).backward()
    np.testing.assert_allclose(v.grad.compute(), weights - weights.mean(axis=0), atol=1e-13)


@pytest.mark.parametrize("name", ["tolist", "item", "flat", "view", "strides", "searchsorted"])
def test_a_method_that_is_not_there_is_refused_by_name(name):
    with without_computing(), pytest.raises(dd.LazyArrayError, match=rf"(x|np)\.{name} of dask"):
        Body(lambda x: getattr(x, name)(0.0))(Variable(chunked(X)))


def adds_in_place(x):
    x += 1.0
    return x


def writes(x):
    x[0] = 1.0
    return x


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (writes, r"x\[index\] = y .* writes into an array.*np\.where"),
        (adds_in_place, r"np\.add with out="),
        (lambda x: x.sort(), r"x\.sort .* writes into an array"),
        (lambda x: x.fill(0.0), r"x\.fill .* writes into an array"),
        *((lambda x: float(x[0, 0]), r"float\(\)"), (lambda x: int(x[0, 0]), r"int\(\)")),
        (lambda x: complex(x[0, 0]), r"complex\(\)"),
    ],
)
def test_a_body_that_writes_or_asks_for_a_number_is_refused(run, words):
    with without_computing(), pytest.raises(dd.LazyArrayError, match=words):
        Body(run)(Variable(chunked(X)))


def test_a_name_that_an_ndarray_lacks_is_an_attribute_error_that_says_so():
    with pytest.raises(AttributeError, match=r"ndarray, and 'rechunk' is none") as error:
        Body(lambda x: x.rechunk(2))(Variable(chunked(X)))
    assert error.value.name == "rechunk"


def test_a_body_may_copy_its_array():
    require_as_numpy(lambda x: copy.copy(x) + copy.deepcopy(x))


def test_limits_have_the_names_that_numpy_gives_them():
    x = chunked(X)
    for kwargs in ({"a_min": 0.0, "a_max": 0.5}, {"min": 0.0}, {"max": 0.5}, {}):
        np.testing.assert_array_equal(call(np.clip, (x,), kwargs).compute(), np.clip(X, **kwargs))
    with pytest.raises(ValueError, match="min"):
        np.clip(X, 0.0, 1.0, max=2.0)
    with pytest.raises(ValueError, match="not both"):
        call(np.clip, (x, 0.0, 1.0), {"max": 2.0})
