"""Workers: their memory and plugins; those that die, join and are closed.

Promise: docs/how_to/more_data_than_memory.md
"""

import os
import signal
import sys
import threading
import time
from functools import partial
from types import SimpleNamespace

import dask
import dask.array
import numpy as np
import pytest
from dezero_dask.sums import worker
from dezero_dask.sums.kernels import ValueAndGrad
from distributed import Client

import dezero_core
import dezero_dask as dd

from ..conftest import local_cluster
from .problems import bits, linear, linear_by_hand, made, parts

W = np.array([0.1, -0.2, 0.3, 0.4])
X, Y = made()


@pytest.fixture
def elsewhere(monkeypatch):
    """Let this process be prepared as that of a worker is."""
    monkeypatch.setattr(worker, "_prepared", [])
    monkeypatch.setattr(worker, "_compared", set())
    monkeypatch.setattr(worker, "_kernels", worker.OrderedDict())
    kept = []
    monkeypatch.setattr(worker.memory, "keep", kept.append)
    monkeypatch.delenv("DEZERO_KEEP_HEAP", raising=False)
    return kept


def from_elsewhere(loss, versions=None):
    """Return the calculation of a partition that comes from another process."""
    found = worker.calculation_of(ValueAndGrad(loss, {}), 0, 1, travels=True)
    unpacked, *rest = found.args
    packed, _, ours = unpacked.args
    unpacked = partial(unpacked.func, packed, "another process", versions or ours)
    return partial(found.func, unpacked, *rest)


def double(w, x):
    return np.sum(2 * w * x)


def test_a_process_is_prepared_once_and_keeps_the_last_kernels(elsewhere):
    leaves = [np.array(3.0)]
    for _ in range(3):
        (value, _), rows, *_ = from_elsewhere(double)(leaves, 0, np.ones(2))
        assert (value, rows) == (12, 2)
    assert elsewhere == [256]
    assert len(worker._kernels) == 1
    for factor in range(20):
        from_elsewhere(lambda w, x, factor=factor: np.sum(w * x * factor))(leaves, 0, np.ones(2))
    assert len(worker._kernels) == 8


def test_memory_is_not_kept_where_that_is_switched_off_or_impossible(elsewhere, monkeypatch):
    monkeypatch.setenv("DEZERO_KEEP_HEAP", "0")
    from_elsewhere(double)([np.array(3.0)], 0, np.ones(2))
    assert elsewhere == []

    def refused(mebibytes):
        raise OSError("not glibc")

    monkeypatch.delenv("DEZERO_KEEP_HEAP")
    monkeypatch.setattr(worker, "_prepared", [])
    monkeypatch.setattr(worker.memory, "keep", refused)
    (value, _), *_ = from_elsewhere(double)([np.array(3.0)], 0, np.ones(2))
    assert value == 12


class OfGlibc:
    """A C library that notes that memory is given back."""

    def __init__(self, calls):
        self.malloc_trim = calls.append


@pytest.mark.parametrize(
    ("used", "limit", "calls"), [(51, 100, [0]), (50, 100, []), (51, None, []), (51, 0, [])]
)
def test_a_worker_gives_back_freed_memory_when_it_uses_half_of_its_limit(
    monkeypatch, used, limit, calls
):
    given_back = []
    monkeypatch.setattr(worker.ctypes, "CDLL", lambda name: OfGlibc(given_back))
    monitor = SimpleNamespace(get_process_memory=lambda: used)
    fake = SimpleNamespace(
        memory_manager=SimpleNamespace(memory_limit=limit), monitor=monitor, address="a"
    )
    monkeypatch.setattr(worker, "_worker", lambda: fake)
    calculated = worker.calculation_of(ValueAndGrad(double, {}), 0, 1, travels=False)
    (value, _), *_ = calculated([np.array(3.0)], 0, np.ones(2))
    assert (value, given_back) == (12, calls)


def test_a_worker_without_glibc_gives_nothing_back(monkeypatch):
    monkeypatch.setattr(worker.ctypes, "CDLL", lambda name: object())
    fake = SimpleNamespace(
        memory_manager=SimpleNamespace(memory_limit=1),
        monitor=SimpleNamespace(get_process_memory=lambda: 1),
    )
    monkeypatch.setattr(worker, "_worker", lambda: fake)
    worker._give_back()


def test_the_process_of_the_user_is_left_as_it_is(elsewhere):
    with Client(processes=False, n_workers=1, dashboard_address=":0"):
        assert dd.value_and_grad(linear)(W, parts(X), parts(Y))[0] > 0
    assert elsewhere == []


def test_memory_is_kept_on_workers_up_to_a_64th_of_their_limit(client):
    dd.value_and_grad(linear)(W, parts(X), parts(Y))

    def prepared():
        import dezero_dask.sums.worker

        return dezero_dask.sums.worker._prepared

    assert list(client.run(prepared).values()) == [[True], [True]]

    def kept():
        import dezero_dask.sums.worker as module

        seen, keep = [], module.memory.keep
        module.memory.keep = seen.append
        module._prepared.clear()
        module._prepare()
        module.memory.keep = keep
        return seen

    limits = {w["memory_limit"] for w in client.scheduler_info()["workers"].values()}
    (limit,) = limits
    assert list(client.submit(kept, pure=False).result()) == [min(2047, limit // 2**26)]


def test_a_worker_without_a_plugin_is_named(client):
    def without(name):
        import dezero_core

        dezero_core.load_plugins(only=("math", "tools", "dask"))

    def with_all():
        import dezero_core

        dezero_core.load_plugins()

    one, _ = sorted(client.nthreads())
    client.run(without, "basic", workers=[one])
    try:
        with pytest.raises(dd.WorkerPluginError, match="does not have the plugin 'basic'") as c:
            dd.value_and_grad(linear)(W, parts(X), parts(Y))
        assert c.value.worker == one
        assert c.value.plugin == "basic"
        assert c.value.expected == "dezero-ops-basic 0.1.0"
        assert c.value.got is None
        assert "Install it there" in str(c.value)
    finally:
        client.run(with_all, workers=[one])
    assert dd.value_and_grad(linear)(W, parts(X), parts(Y))[0] > 0


def test_a_plugin_of_another_version_and_one_that_was_registered_by_hand(elsewhere, registered):
    def calculate(*versions):
        return from_elsewhere(double, versions)([np.array(3.0)], 0, np.ones(2))

    with pytest.raises(dd.WorkerPluginError, match=r"here it is dezero-ops-math 9.0") as caught:
        calculate(*worker.versions()[:-1], ("math", "dezero-ops-math 9.0"))
    assert f"process {os.getpid()} has the plugin 'math' as dezero-ops-math 0.1.0" in str(
        caught.value
    )
    assert (caught.value.expected, caught.value.got) == (
        "dezero-ops-math 9.0",
        "dezero-ops-math 0.1.0",
    )

    with pytest.raises(dd.WorkerPluginError, match=r"has dezero-core as 0.1.0, and here it is 9.0"):
        calculate(("dezero-core", "9.0"))
    with pytest.raises(dd.WorkerPluginError, match=r"it was registered by hand.*Register it there"):
        calculate(("mine", None))


def test_plugins_are_compared_again_only_after_they_have_changed(elsewhere, monkeypatch):
    asked = []

    def counted(versions=worker.versions):
        asked.append(1)
        return versions()

    step = from_elsewhere(double)
    monkeypatch.setattr(worker, "versions", counted)
    for _ in range(3):
        step([np.array(3.0)], 0, np.ones(2))
    assert len(asked) == 1
    monkeypatch.setattr(worker, "CHANGES", [worker.CHANGES[0] + 1])
    step([np.array(3.0)], 0, np.ones(2))
    assert len(asked) == 2


def test_plugins_that_register_operations_are_compared_with_their_versions():
    versions = dict(worker.versions())
    assert versions["basic"] == f"dezero-ops-basic {dezero_core.__version__}"
    assert versions["dezero-core"] == dezero_core.__version__
    assert versions["dezero-dask"] == dd.__version__
    assert "replay" not in versions  # its results are the same


def test_a_worker_that_cannot_import_the_package_is_named_and_lives_on():
    def hide():
        for name in [name for name in sys.modules if name.startswith("dezero_dask")]:
            sys.modules[name] = None
        sys.modules["dezero_dask.sums.worker"] = None

    with local_cluster(1) as cluster, Client(cluster) as client:
        (name,) = client.nthreads()
        client.run(hide)
        f = dd.value_and_grad(linear)
        for progress in (False, True):
            f = dd.value_and_grad(linear, progress=progress)
            with pytest.raises(dd.WorkerPluginError, match="cannot import dezero_dask") as caught:
                f(W, parts(X), parts(Y))
            assert caught.value.worker == name
            assert caught.value.plugin == "dezero-dask"
        assert client.submit(sum, [1, 2]).result() == 3
        assert list(client.nthreads()) == [name]


def test_another_import_error_of_a_task_is_left_as_it_is(client):
    def loss(w, x):
        import no_such_module

        return no_such_module.loss(w, x)

    with pytest.raises(ModuleNotFoundError, match="no_such_module") as caught:
        dd.value_and_grad(loss)(1.0, [np.ones(2)])
    assert caught.value.__notes__[0].startswith("in partition 0 of 1, with arrays of shapes (2,)")


def test_a_worker_that_dies_in_a_step_changes_no_bit(client, tmp_path):
    marker = str(tmp_path / "died")

    first, x, y = X[30, 0], X, Y

    def dies_once(w, x, y):
        if x[0, 0] == first and not os.path.exists(marker):
            with open(marker, "w"):
                pass
            os.kill(os.getpid(), signal.SIGKILL)
        return np.sum((x @ w - y) ** 2)

    def read(number):
        rows = slice(number * 10, number * 10 + 10)
        return x[rows], y[rows]

    with dask.config.set(scheduler="synchronous"):
        expected = bits(dd.value_and_grad(linear)(W, parts(X), parts(Y)))
    sent = dd.value_and_grad(dies_once, replay=False)
    assert bits(sent(W, parts(X), parts(Y))) == expected
    assert os.path.exists(marker)
    client.wait_for_workers(2)
    os.remove(marker)
    assert bits(dd.value_and_grad(dies_once, partitions=9, replay=False)(W, read)) == expected
    assert os.path.exists(marker)


def test_arrays_are_sent_again_if_a_worker_has_died_between_two_steps(client):
    f = dd.value_and_grad(linear)
    x, y = parts(X), parts(Y)
    expected = bits(f(W, x, y))
    pids = client.run(os.getpid)
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    assert bits(f(W, x, y)) == expected
    client.wait_for_workers(2)
    assert bits(f(W, x, y)) == expected


def test_a_step_is_given_up_if_workers_die_again_and_again(client, monkeypatch):
    from concurrent.futures import CancelledError

    from dezero_dask.sums import scheduling

    tried = []

    def cancelled(*args):
        tried.append(args)
        raise CancelledError

    monkeypatch.setattr(scheduling, "computed", cancelled)
    with pytest.raises(dd.LostDataError, match="a step was cancelled 4 times") as caught:
        dd.value_and_grad(linear)(W, parts(X), parts(Y))
    assert caught.value.partitions == tuple(range(9))
    assert len(tried) == 4


def test_data_that_only_the_cluster_had_are_missed(client):
    futures = client.scatter(parts(X), hash=False)
    f = dd.value_and_grad(linear)
    assert f(W, futures, parts(Y))[0] > 0
    futures[4].cancel()
    while futures[4].status != "cancelled":
        time.sleep(0.01)
    with pytest.raises(dd.LostDataError, match="futures of the partitions 4 among") as caught:
        f(W, futures, parts(Y))
    assert caught.value.partitions == (4,)
    lazy = dask.array.from_array(X, chunks=(10, 4)).persist()
    client.cancel(lazy)
    with pytest.raises(dd.LostDataError, match=r"futures of the partitions 0, 1, 2, .* gone"):
        f(W, lazy, parts(Y))
    lazy = lazy + 1.0
    with pytest.raises(dd.LostDataError, match="futures among the data are gone"):
        f(W, lazy, parts(Y))


def test_a_worker_may_join_later():
    f = dd.value_and_grad(linear)
    with local_cluster(1) as cluster, Client(cluster) as client:
        expected = bits(f(W, parts(X), parts(Y)))
        cluster.scale(2)
        client.wait_for_workers(2)
        assert bits(f(W, parts(X), parts(Y))) == expected
        workers = {w for w, keys in client.has_what().items() if keys}
        assert len(workers) == 2


class ClosingClient(Client):
    """Is closed while arrays are sent by it."""

    def wait_for_workers(self, *args, **kwargs):
        super().wait_for_workers(*args, **kwargs)
        self.close()


def test_a_client_that_is_closed_while_data_are_sent_is_named():
    is_named = pytest.raises(dd.ClosedClientError, match="the client that runs the step is clos")
    with local_cluster(1) as cluster:
        client = ClosingClient(cluster, set_as_default=False)
        with dask.config.set(scheduler=client.get), is_named:
            dd.value_and_grad(linear)(W, parts(X), parts(Y))


def test_a_closed_client_is_named():
    with local_cluster(1) as cluster:
        client = Client(cluster)
        futures = client.scatter(parts(X))
        f = dd.value_and_grad(linear)
        assert f(W, futures, parts(Y))[0] > 0

        def slow(w, x, y):
            time.sleep(0.3)
            return np.sum((x @ w - y) ** 2)

        threading.Timer(0.2, client.close).start()
        with pytest.raises(dd.ClosedClientError, match="the client that runs the step is clos"):
            dd.value_and_grad(slow)(W, parts(X), parts(Y))
        with pytest.raises(dd.ClosedClientError, match="the data are futures, and their client"):
            f(W, futures, parts(Y))
        with dask.config.set(scheduler=client), pytest.raises(dd.ClosedClientError):
            f(W, parts(X), parts(Y))
        value, _ = f(W, parts(X), parts(Y))  # as dask.compute: in this process
        assert value == pytest.approx(linear_by_hand(W, X, Y)[0])
