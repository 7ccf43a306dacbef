"""Hessians are those of the sum over all rows, by one pass over the partitions.

Promise: docs/how_to/more_data_than_memory.md
"""

import threading
from dataclasses import dataclass

import dask
import numpy as np
import pytest
from dezero_tools.functional.trees import leaves_of, matched, tree_map
from distributed import Client

import dezero_dask as dd
from dezero_core import Variable
from dezero_tools import functional

from ..conftest import local_cluster
from .problems import CASES, bits, linear, logistic, made, parts

_, _, PARAMS = CASES["logistic"]
X, Y = made()


def logistic_hessian(params, x):
    """Return the blocks by hand: x' W x for rows with a column of ones, and W = p (1 - p)."""
    z = x @ params["w"] + params["b"]
    weights = np.exp(-z) / (1 + np.exp(-z)) ** 2
    ww, wb, bb = (x.T * weights) @ x, x.T @ weights, np.sum(weights)
    return {"w": {"w": ww, "b": wb}, "b": {"w": wb, "b": bb}}


def gaussian(params, x):
    m, log_s = params
    return np.sum(0.5 * ((x - m) / np.exp(log_s)) ** 2 + log_s)


def gaussian_hessian(params, x):
    m, log_s = params
    precision, off = np.exp(-2 * log_s), x - m
    mixed = 2 * np.sum(off) * precision
    return (len(x) * precision, mixed), (mixed, 2 * np.sum(off**2) * precision)


def assert_close(found, expected):
    for leaf, other in zip(leaves_of(found), matched(found, expected), strict=True):
        assert type(leaf) is np.ndarray
        assert leaf.shape == np.shape(other)
        assert leaf == pytest.approx(np.asarray(other), rel=1e-12)


def test_it_is_that_by_hand_wherever_tasks_run(anywhere):
    found = dd.hessian(logistic)(PARAMS, parts(X), parts(Y))
    assert found.keys() == found["w"].keys() == found["b"].keys() == PARAMS.keys()
    assert_close(found, logistic_hessian(PARAMS, X))


def test_it_is_that_of_a_gaussian_by_hand():
    x, params = 2.0 + 3.0 * np.random.default_rng(3).standard_normal(50), (1.5, 0.7)
    found = dd.hessian(gaussian)(params, parts(x, 7))
    assert type(found) is tuple
    assert_close(found, gaussian_hessian(params, x))


def test_a_mean_is_weighted_by_rows_and_a_penalty_is_added_once(anywhere):
    cuts = [3, 20, 21]
    f = dd.hessian(
        lambda p, x, y: logistic(p, x, y) / len(x),
        mean=True,
        penalty=lambda p: 3.0 * np.sum(p["w"] ** 2) + p["b"] * p["w"][0],
    )
    expected = tree_map(lambda block: block / 90, logistic_hessian(PARAMS, X))
    expected["w"]["w"] += 6.0 * np.eye(4)
    expected["w"]["b"] = expected["b"]["w"] = expected["w"]["b"] + np.eye(4)[0]
    assert_close(f(PARAMS, np.split(X, cuts), np.split(Y, cuts)), expected)


def test_one_partition_and_a_draw_are_those_of_other_functions():
    f = dd.hessian(logistic, penalty=lambda p: np.sum(p["w"] ** 2))
    data = parts(X), parts(Y)
    assert_close(f.partition(2)(PARAMS, *data), logistic_hessian(PARAMS, parts(X)[2]))
    assert bits(f.draw(9, np.random.default_rng(0))(PARAMS, *data)) == bits(f(PARAMS, *data))
    (drawn,) = np.random.default_rng(1).choice(9, 1, replace=False)
    expected = tree_map(lambda block: 9 * block, logistic_hessian(PARAMS, parts(X)[drawn]))
    expected["w"]["w"] += 2.0 * np.eye(4)
    assert_close(f.draw(1, np.random.default_rng(1))(PARAMS, *data), expected)


@dataclass(frozen=True)
class Layer:
    """Parameters of one layer, and a branch without any."""

    w: np.ndarray
    b: np.ndarray
    none: None = None


def test_it_has_the_form_and_the_types_that_functional_gives_it():
    random = np.random.default_rng(4)
    params = [
        Layer(random.standard_normal((4, 3)), np.zeros(3, np.float32)),
        {"b": 1.0, "w": random.standard_normal(3)},
    ]

    def loss(params, x):
        (layer, last) = params
        return np.sum(np.tanh(x @ layer.w + layer.b) @ last["w"] ** 2 + last["b"] ** 3)

    found = dd.hessian(loss)(params, parts(X))
    expected = functional.hessian(loss)(params, X)
    assert type(found[0]) is type(found[0].w[0]) is Layer
    assert found[0].w[1].keys() == {"b": 0, "w": 0}.keys()
    assert found[0].none is None
    assert found[0].w[0].w.shape == (4, 3, 4, 3)
    for leaf, other in zip(leaves_of(found), leaves_of(expected), strict=True):
        assert leaf.dtype == other.dtype
        assert leaf.shape == other.shape
        assert np.allclose(leaf, other, rtol=1e-5)


def test_bits_are_the_same_with_one_two_and_three_workers_and_without_any():
    x, y = made(700)
    data = parts(x, 70), parts(y, 70)
    options = {"mean": True, "penalty": lambda p: np.sum(p["w"] ** 4), "check": False}
    with dask.config.set(scheduler="synchronous"):
        expected = bits(dd.hessian(logistic, **options)(PARAMS, *data))
    assert bits(dd.hessian(logistic, **options)(PARAMS, *data)) == expected
    with local_cluster(3) as cluster, Client(cluster) as client:
        f = dd.hessian(logistic, **options)
        for workers in (3, 2, 1):
            client.retire_workers(sorted(client.nthreads())[workers:])
            assert len(client.nthreads()) == workers
            assert bits(f(PARAMS, *data)) == expected


def test_each_partition_is_read_once():
    reads = []

    def read(number):
        reads.append(number)
        return X[number::3], Y[number::3]

    with dask.config.set(scheduler="synchronous"):
        problem = dd.as_scipy(logistic, PARAMS, read, partitions=3)
        found = problem.hess(problem.x0)
    assert sorted(reads) == [0, 1, 2]
    blocks = logistic_hessian(PARAMS, X)
    by_hand = np.block([[blocks["w"]["w"], blocks["w"]["b"][:, None]], [blocks["b"]["w"], 0.0]])
    by_hand[-1, -1] = blocks["b"]["b"]
    assert (found.shape, found.dtype) == ((5, 5), np.float64)
    assert found == pytest.approx(by_hand)


def test_it_agrees_with_its_products():
    vector = {"w": np.arange(4.0), "b": 2.0}
    found = dd.hessian(logistic)(PARAMS, parts(X), parts(Y))
    product = dd.hvp(logistic)(PARAMS, parts(X), parts(Y), vector)
    assert found["w"]["w"] @ vector["w"] + 2.0 * found["w"]["b"] == pytest.approx(product["w"])
    assert found["b"]["w"] @ vector["w"] + 2.0 * found["b"]["b"] == pytest.approx(product["b"])


def test_a_parameter_that_the_loss_does_not_need_has_blocks_of_zeros():
    found = dd.hessian(lambda p, x: np.sum(p[0] ** 2 * x), penalty=lambda p: p[1] ** 3)(
        (2.0, 3.0), [np.ones(2), np.ones(3)]
    )
    assert found == ((10, 0), (0, 18))
    assert dd.hessian(lambda w, x: np.sum(w * x))(2.0, [np.ones(2)]) == 0


@pytest.mark.parametrize("n", [1, 3])
def test_it_is_the_callers_own(n, anywhere):
    found = dd.hessian(linear)(np.ones(4), parts(X, n), parts(Y, n))
    assert found.flags.aligned
    assert found.flags.writeable
    assert found == pytest.approx(2 * X.T @ X)


def test_a_loss_may_hold_variables():
    factor = Variable(np.array(2.0))
    found = dd.hessian(lambda w, x: np.sum(x * w**2) * factor)(3.0, [np.ones(2), np.ones(3)])
    assert type(found) is np.ndarray
    assert found == 20


def test_a_nan_is_told_of_with_its_partition():
    wrong = parts(X.copy())
    wrong[4][2, 1] = np.nan
    with pytest.warns(dd.NanInPartitionWarning, match=r"Hessian of linear has a nan in .* 4\.$"):
        found = dd.hessian(linear)(np.ones(4), wrong, parts(Y))
    assert np.isnan(found[1]).all()
    with pytest.raises(dd.NanInPartitionError, match=r"^the Hessian of linear has a nan") as caught:
        dd.hessian(linear, check=True)(np.ones(4), wrong, parts(Y))
    assert caught.value.partitions == (4,)


def test_a_hessian_by_complex_or_whole_numbers_is_refused():
    with pytest.raises(TypeError, match="has a complex argument, argument 0, but a Hessian"):
        dd.hessian(lambda z, x: np.sum(np.abs(z * x)))(1.0 + 2.0j, [np.ones(2)])
    with pytest.raises(TypeError, match="Pass a floating-point number"):
        dd.hessian(linear)(np.ones(4, int), parts(X), parts(Y))
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        dd.hessian(linear, other=1)
    with pytest.raises(TypeError, match="takes a function"):
        dd.hessian(3.0)


def test_it_can_be_pickled_and_says_what_it_is():
    import pickle

    again = pickle.loads(pickle.dumps(dd.hessian(linear, mean=True, check=False)))
    assert repr(again).startswith("<map-reduce hessian of <function linear")
    assert np.allclose(again(np.ones(4), [X, X], [Y, Y]), 2 * X.T @ X)


def test_a_penalty_that_cannot_be_sent_is_computed_here(client):
    lock = threading.Lock()

    def penalty(w):
        with lock:
            return np.sum(w**2)

    found = dd.hessian(linear, penalty=penalty)(np.ones(4), parts(X), parts(Y))
    assert found == pytest.approx(2 * X.T @ X + 2 * np.eye(4))
