"""Futures among the data belong to the cluster that runs the step, and are still there.

Promise: docs/how_to/more_data_than_memory.md
"""

import time

import dask
import dask.array as da
import numpy as np
import pytest
from dezero_dask.sums import jacobians, scheduling
from distributed import Client

import dezero_dask as dd

from .problems import linear, linear_by_hand, made, parts

W = np.array([0.1, -0.2, 0.3, 0.4])
X, Y = made()
EXPECTED = linear_by_hand(W, X, Y)[0]

HOLDERS = {
    "themselves": lambda futures: futures,
    "arguments of delayed calls": lambda futures: [dask.delayed(np.copy)(x) for x in futures],
    "lists in such arguments": lambda futures: [dask.delayed(np.concatenate)([x]) for x in futures],
    "names of such arguments": lambda futures: [dask.delayed(np.array)(object=x) for x in futures],
    "dicts in such arguments": lambda futures: [
        dask.delayed(lambda found: found["x"])({"x": x}) for x in futures
    ],
    "chunks of an array": lambda futures: da.concatenate(
        [da.from_delayed(dask.delayed(x), (30, 4), dtype=float) for x in futures]
    ),
}


@pytest.fixture(params=HOLDERS)
def holder(request):
    """Ways to make data of futures."""
    return HOLDERS[request.param]


def test_futures_of_another_open_cluster_are_named_before_anything_is_computed(
    client, holder, monkeypatch
):
    f = dd.value_and_grad(linear)
    with Client(processes=False, n_workers=1, dashboard_address=":0") as other:
        x = holder(other.scatter(parts(X, 3), hash=False))
        assert f(W, x, parts(Y, 3))[0] == pytest.approx(EXPECTED)
        for module in (scheduling, jacobians):
            monkeypatch.setattr(module, "computed", None)
        with client.as_current(), pytest.raises(dd.ClosedClientError, match="not the default one"):
            f(W, x, parts(Y, 3))
        with client.as_current(), pytest.raises(dd.ClosedClientError, match="not the default one"):
            dd.jacobian(lambda w, x: x @ w)(W, x)
        monkeypatch.undo()
        assert f(W, x, parts(Y, 3))[0] == pytest.approx(EXPECTED)


def test_futures_of_another_client_of_the_same_cluster_are_taken(client, cluster, holder):
    x = holder(client.scatter(parts(X, 3), hash=False))
    with Client(cluster):
        assert dd.value_and_grad(linear)(W, x, parts(Y, 3))[0] == pytest.approx(EXPECTED)


def test_futures_that_were_cancelled_are_told_wherever_they_are(client, holder):
    futures = client.scatter(parts(X, 3), hash=False)
    x = holder(futures)
    futures[1].cancel()
    while futures[1].status != "cancelled":
        time.sleep(0.01)
    with pytest.raises(dd.LostDataError, match="among the data are gone") as caught:
        dd.value_and_grad(linear)(W, x, parts(Y, 3))
    assert caught.value.partitions in ((), (1,))
