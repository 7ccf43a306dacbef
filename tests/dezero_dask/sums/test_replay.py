"""Partitions are replayed, and give what they give without.

Promise: docs/how_to/more_data_than_memory.md
"""

import sys
import warnings

import dask
import numpy as np
import pytest
from dezero_dask.pickling import dumps
from dezero_dask.sums.kernels import Grad, ValueAndGrad

import dezero_dask as dd

from .problems import bits, logistic, made, parts

PARAMS = {"w": np.array([0.1, -0.2, 0.3, 0.4]), "b": 0.5}
X, Y = made()


def test_partitions_of_one_shape_are_recorded_twice_and_then_replayed():
    f = dd.value_and_grad(logistic)
    with dask.config.set(scheduler="synchronous"):
        f(PARAMS, parts(X), parts(Y))
    stats = f._kernel._derivative.stats
    assert (stats["recorded"], stats["eager"]) == (2, 0)
    assert stats["replayed"] + stats["audits"] >= 7


@pytest.mark.parametrize("make", [dd.value_and_grad, dd.grad])
def test_bits_are_those_without_replay(make, anywhere):
    f, eager = make(logistic), make(logistic, replay=False)
    for _ in range(3):
        assert bits(f(PARAMS, parts(X), parts(Y))) == bits(eager(PARAMS, parts(X), parts(Y)))


def test_the_gradient_alone_shares_the_programs_of_the_value_with_it():
    """A process keeps programs with the pickle of their kernel."""
    assert dumps(Grad(logistic, {})) == dumps(ValueAndGrad(logistic, {}))


def test_a_loss_that_cannot_be_replayed_is_not_warned_of():
    seen = []

    def loss(w, x):
        seen.append(float(np.sum(x)))
        return np.sum(w * x)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = dd.value_and_grad(loss)
        for _ in range(6):
            assert f(2.0, parts(X))[0] == pytest.approx(2 * X.sum())


def test_nothing_is_replayed_where_replay_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "dezero_replay", None)
    f = dd.value_and_grad(logistic)
    eager = dd.value_and_grad(logistic, replay=False)
    assert bits(f(PARAMS, parts(X), parts(Y))) == bits(eager(PARAMS, parts(X), parts(Y)))
    assert not hasattr(f._kernel._derivative, "stats")
