"""Workers whose plugins differ from those of the calling process are named, and work on.

Promise: docs/how_to/more_data_than_memory.md
"""

import numpy as np
import pytest
from distributed import Client

import dezero_dask as dd

from ..conftest import becomes_idle, local_cluster
from .problems import bits, linear, made

W = np.array([0.1, -0.2, 0.3, 0.4])
X, Y = made()


def keep_only(*names):
    import dezero_core

    dezero_core.load_plugins(only=names or None)


def with_core(version):
    """Let a worker have another version of the core; return the one that it had."""
    import dezero_dask.sums.worker

    import dezero_core

    found, dezero_core.__version__ = dezero_core.__version__, version
    dezero_dask.sums.worker._compared.clear()
    return found


def reader():
    """Return a function that reads partitions, so that a task may run on any worker."""
    x, y = X, Y
    return lambda number: (x[number::30], y[number::30])


def test_a_worker_that_joins_later_without_a_plugin_is_named():
    f, read = dd.value_and_grad(linear, partitions=30), reader()
    with local_cluster(1) as cluster, Client(cluster) as client:
        expected = bits(f(W, read))
        (first,) = client.nthreads()
        cluster.scale(2)
        client.wait_for_workers(2)
        (second,) = client.nthreads().keys() - {first}
        client.run(keep_only, "basic", "tools", "dask", workers=[second])
        with pytest.raises(dd.WorkerPluginError, match="does not have the plugin 'math'") as caught:
            f(W, read)
        assert (caught.value.worker, caught.value.plugin) == (second, "math")
        assert becomes_idle(client)
        client.run(keep_only, workers=[second])
        assert bits(f(W, read)) == expected


def test_a_worker_with_another_version_is_named(client):
    f, read = dd.value_and_grad(linear, partitions=30), reader()
    expected = bits(f(W, read))
    one, _ = sorted(client.nthreads())
    here = client.run(with_core, "9.0", workers=[one])[one]
    try:
        with pytest.raises(
            dd.WorkerPluginError, match=r"has dezero-core as 9\.0, and here"
        ) as caught:
            f(W, read)
        assert caught.value.worker == one
        assert (caught.value.expected, caught.value.got) == (here, "9.0")
        assert becomes_idle(client)
    finally:
        client.run(with_core, here, workers=[one])
    assert bits(f(W, read)) == expected
