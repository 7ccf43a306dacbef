"""A penalty depends on the parameters alone, and is added once.

Promise: docs/how_to/more_data_than_memory.md
"""

import numpy as np
import pytest

import dezero_dask as dd

from .problems import logistic, logistic_by_hand, made, parts

PARAMS = {"w": np.array([0.1, -0.2, 0.3, 0.4]), "b": 0.5}
X, Y = made()


def ridge(params):
    return 3.0 * np.sum(params["w"] ** 2)


def test_a_penalty_is_added_once_however_many_partitions_there_are(anywhere):
    value, slopes = logistic_by_hand(PARAMS, X, Y)
    f = dd.value_and_grad(logistic, penalty=ridge)
    for n in (1, 5):
        found, gradient = f(PARAMS, parts(X, n), parts(Y, n))
        assert found == pytest.approx(value + 3 * np.sum(PARAMS["w"] ** 2))
        assert gradient["w"] == pytest.approx(slopes["w"] + 6 * PARAMS["w"])
        assert gradient["b"] == pytest.approx(slopes["b"])


def test_a_penalty_is_added_after_the_mean():
    value, slopes = logistic_by_hand(PARAMS, X, Y)
    f = dd.value_and_grad(lambda p, x, y: logistic(p, x, y) / len(x), mean=True, penalty=ridge)
    found, gradient = f(PARAMS, parts(X), parts(Y))
    assert found == pytest.approx(value / 90 + 3 * np.sum(PARAMS["w"] ** 2))
    assert gradient["w"] == pytest.approx(slopes["w"] / 90 + 6 * PARAMS["w"])


def test_the_product_with_the_hessian_has_that_of_the_penalty():
    vector = {"w": np.arange(4.0), "b": 1.0}
    plain = dd.hvp(logistic)(PARAMS, parts(X), parts(Y), vector)
    found = dd.hvp(logistic, penalty=ridge)(PARAMS, parts(X), parts(Y), vector)
    assert found["w"] - plain["w"] == pytest.approx(6 * np.arange(4.0))
    assert found["b"] == plain["b"]


def test_a_penalty_that_cannot_be_sent_is_computed_here(client):
    import threading

    lock = threading.Lock()

    def penalty(params):
        with lock:
            return ridge(params)

    value, _ = dd.value_and_grad(logistic, penalty=penalty)(PARAMS, parts(X), parts(Y))
    assert value == pytest.approx(logistic_by_hand(PARAMS, X, Y)[0] + ridge(PARAMS))


def test_a_parameter_of_the_penalty_alone_is_not_warned_of():
    f = dd.value_and_grad(lambda p, x: np.sum(p["w"] * x), penalty=lambda p: p["b"] ** 2)
    value, gradient = f({"w": 2.0, "b": 3.0}, [np.ones(2)])
    assert (value, gradient) == (13, {"w": 2, "b": 6})
