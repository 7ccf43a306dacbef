"""Progress is shown as users of Dask know it.

Promise: docs/how_to/more_data_than_memory.md
"""

import time

import numpy as np
import pytest
from dezero_dask.sums import scheduling
from distributed import Client
from distributed.core import Status

import dezero_dask as dd

from ..conftest import local_cluster
from .problems import linear, linear_by_hand, made, parts

W = np.ones(4)
X, Y = made()


def test_a_progress_bar_is_shown_on_request(anywhere, capfd):
    f = dd.value_and_grad(linear, progress=True)
    value, _ = f(W, parts(X), parts(Y))
    assert value == pytest.approx(linear_by_hand(W, X, Y)[0])
    assert "100% Completed" in capfd.readouterr().out
    dd.value_and_grad(linear)(W, parts(X), parts(Y))
    assert "Completed" not in capfd.readouterr().out


def test_an_error_ends_the_progress_bar(client, capfd):
    def loss(w, x):
        raise ZeroDivisionError("as I like it")

    with pytest.raises(ZeroDivisionError, match="as I like it"):
        dd.value_and_grad(loss, progress=True)(W, parts(X))


def pause(dask_worker):
    dask_worker.status = Status.paused


def test_a_step_that_paused_workers_would_never_end_is_an_error_that_names_them(monkeypatch):
    monkeypatch.setattr(scheduling, "_PATIENCE", 0.2)
    with local_cluster(1, memory_limit=0) as cluster, Client(cluster) as client:
        f, data = dd.value_and_grad(linear), (parts(X), parts(Y))
        f(W, *data)
        (worker,) = client.run(pause)
        with pytest.raises(dd.PausedWorkersError, match=f"paused.*{worker}") as caught:
            f(W, *data)
    assert caught.value.workers == (worker,)


def slow(w, x):
    time.sleep(0.5)
    if x[0] < 0:
        raise TimeoutError("of the loss")
    return np.sum(w * x)


@pytest.mark.parametrize("patience", [0.2, 60.0])  # the workers are looked at, and are not
def test_a_step_may_take_long_and_a_loss_may_raise_what_it_wants(patience, client, monkeypatch):
    monkeypatch.setattr(scheduling, "_GLANCE", 0.1)
    monkeypatch.setattr(scheduling, "_PATIENCE", patience)
    assert dd.value_and_grad(slow)(2.0, [np.ones(1)])[0] == 2.0
    with pytest.raises(TimeoutError, match="of the loss"):
        dd.value_and_grad(slow)(2.0, [-np.ones(1)])
