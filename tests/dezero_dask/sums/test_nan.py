"""A nan is found in its partition.

Promise: docs/how_to/more_data_than_memory.md
"""

import warnings

import numpy as np
import pytest

import dezero_dask as dd

W = np.array([1.0])


def data(*bad, n=12):
    x = [np.full((2, 1), float(number + 1)) for number in range(n)]
    for number in bad:
        x[number][1] = np.nan
    return x


def loss(w, x):
    return np.sum((x @ w) ** 2)


def test_the_value_is_nan_and_the_partition_is_named(anywhere):
    with pytest.warns(dd.NanInPartitionWarning, match="loss has a nan .*in partition 3") as caught:
        value, gradient = dd.value_and_grad(loss)(W, data(3))
    assert np.isnan(value)
    assert np.isnan(gradient).all()
    assert caught[0].filename == __file__


def test_all_partitions_with_a_nan_are_named():
    with pytest.warns(dd.NanInPartitionWarning, match=r"in partitions 1, 4, 11\."):
        dd.grad(loss)(W, data(11, 1, 4))
    with pytest.warns(dd.NanInPartitionWarning, match="product with the Hessian of loss has a nan"):
        dd.hvp(loss)(W, data(2), W)


def test_a_nan_raises_where_it_is_checked_for(anywhere):
    with pytest.raises(dd.NanInPartitionError, match="in partitions 0, 7") as caught:
        dd.value_and_grad(loss, check=True)(W, data(0, 7))
    assert caught.value.partitions == (0, 7)
    assert isinstance(caught.value, FloatingPointError)


def test_a_nan_of_the_gradient_alone_is_found():
    def root(w, x):
        return np.sum(np.where(x > 1, np.sqrt(w * 0.0) * 0.0, w))

    with np.errstate(all="ignore"), pytest.warns(dd.NanInPartitionWarning, match="in partition"):
        value, gradient = dd.value_and_grad(root)(W, data())
    assert not np.isnan(value)
    assert np.isnan(gradient).all()


def test_infinity_is_no_nan():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error")
        value, _ = dd.value_and_grad(lambda w, x: np.sum(w * x), check=True)(
            W, [np.array([np.inf])]
        )
    assert value == np.inf
