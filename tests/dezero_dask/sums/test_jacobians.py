"""Jacobians by rows are arrays of Dask, one chunk for each partition.

Promise: docs/how_to/more_data_than_memory.md
"""

import os
import signal
from concurrent.futures import CancelledError

import dask.array as da
import numpy as np
import pytest
from distributed import Client

import dezero_dask as dd
from dezero_core import Function, Variable

from ..conftest import local_cluster
from .problems import made, parts

X, _ = made()


def curve(params, x):
    return np.sin(x @ params["w"]) + params["b"]


def curve_by_hand(params, x):
    return {"w": np.cos(x @ params["w"])[:, None] * x, "b": np.ones(len(x))}


PARAMS = {"w": np.array([0.1, -0.2, 0.3, 0.4]), "b": 0.5}


@pytest.mark.parametrize("n", [1, 9, 45])  # of 45 partitions each has fewer rows than parameters
def test_a_jacobian_has_the_form_of_the_parameters(n, anywhere):
    found = dd.jacobian(curve)(PARAMS, parts(X, n))
    expected = curve_by_hand(PARAMS, X)
    assert found.keys() == expected.keys()
    for name, jacobian in found.items():
        assert isinstance(jacobian, da.Array)
        assert jacobian.shape == expected[name].shape
        assert jacobian.numblocks[0] == n
        assert np.allclose(jacobian.compute(), expected[name])
    normal = (found["w"].T @ found["w"]).compute()
    assert np.allclose(normal, expected["w"].T @ expected["w"])


def test_more_axes_are_those_of_the_output_and_then_of_the_parameter():
    w = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
    found = dd.jacobian(lambda w, x: x @ w)(w, parts(X.astype(np.float32)))
    assert found.shape == (90, 3, 4, 3)
    assert found.dtype == np.float32
    expected = np.einsum("ri,jk->rjik", X, np.eye(3))
    assert np.allclose(found.compute(), expected, atol=1e-6)


def test_rows_that_are_not_known_are_nan():
    x = X

    def read(number):
        return x[number * 30 : number * 30 + 30]

    found = dd.jacobian(curve, partitions=3)(PARAMS, read)
    assert np.isnan(found["w"].shape[0])
    assert np.allclose(found["w"].compute(), curve_by_hand(PARAMS, X)["w"])
    assert found["w"].dtype == np.float64


def test_nothing_but_the_shape_of_a_row_is_computed_early():
    calls = []

    def model(w, x):
        calls.append(len(x))
        return w * x

    found = dd.jacobian(model)(2.0, [np.ones(3), np.ones(4)])
    assert calls == [3]
    assert found.compute().tolist() == [1.0] * 7


def test_a_jacobian_of_complex_parameters_is_refused():
    with pytest.raises(TypeError, match="a Jacobian only if it is analytic"):
        dd.jacobian(lambda w, x: np.abs(w * x))(1.0 + 2.0j, [np.ones(3)]).compute()


@pytest.mark.parametrize("model", [lambda w, x: np.sum(w * x), lambda w, x: w * x[:2]])
def test_a_model_without_a_row_for_each_row_is_refused(model):
    with pytest.raises(dd.PartitionError, match=r"<lambda> must return one array, .* the 3 rows"):
        dd.jacobian(model)(1.0, [np.ones(3)])


def test_a_partition_is_differentiated_by_what_is_fewer():
    passes = []

    class Same(Function):
        """The identity, which counts the passes back through it."""

        def forward(self, x):
            return x.copy()

        def backward(self, gy):
            passes.append(1)
            return gy * 1.0

    f = dd.jacobian(lambda w, x: Same()(x @ w))
    assert np.allclose(f(np.ones(4), [X]).compute(), X)
    assert len(passes) < 10  # and not one for each of the 90 rows
    passes.clear()
    assert np.allclose(f(np.ones(4), [X[:2]]).compute(), X[:2])
    assert len(passes) == 1  # both rows at once


@pytest.mark.parametrize("rows", [2, 9])  # differentiated by outputs, and by parameters
def test_a_model_may_hold_variables(rows):
    factor = Variable(np.array([2.0]))
    found = dd.jacobian(lambda w, x: (x @ w) * factor)(np.ones(4), [X[:rows]])
    computed = found.compute()
    assert type(computed) is np.ndarray
    assert np.allclose(computed, 2 * X[:rows])


def test_integer_parameters_are_refused():
    with pytest.raises(TypeError, match="Pass a floating-point number"):
        dd.jacobian(curve)({"w": np.ones(4, int), "b": 0.5}, parts(X))
    with pytest.raises(TypeError, match="takes a function"):
        dd.jacobian(3)


def test_arrays_are_sent_again_by_another_call_if_a_worker_has_died_before_the_computation():
    x = X
    expected = curve_by_hand(PARAMS, X)["w"]
    with local_cluster(2) as cluster, Client(cluster) as client:
        read = dd.jacobian(curve, partitions=3)(PARAMS, lambda n: x[n * 30 : n * 30 + 30])["w"]
        lazy = dd.jacobian(curve)(PARAMS, da.from_array(X, (30, 4)))["w"]
        sent = dd.jacobian(curve)(PARAMS, parts(X))["w"]
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        with pytest.raises(CancelledError):
            sent.compute()
        assert np.allclose(read.compute(), expected)
        assert np.allclose(lazy.compute(), expected)
        assert np.allclose(dd.jacobian(curve)(PARAMS, parts(X))["w"].compute(), expected)
