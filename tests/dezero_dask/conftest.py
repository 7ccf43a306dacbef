"""A cluster of two worker processes, with one thread each, for all tests of a run."""

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import dask
import pytest
from distributed import Client, LocalCluster


def local_cluster(workers, **options):
    """Return a cluster on this machine."""
    return LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0", **options)


def becomes_idle(client):
    """Return whether the workers have no task any more, or soon have none."""
    for _ in range(100):
        if not any(client.processing().values()):
            return True
        time.sleep(0.05)
    return False


@pytest.fixture(scope="session")
def cluster():
    with local_cluster(2) as found:
        yield found


@pytest.fixture
def client(cluster):
    """The default client of a test; another test may have killed a worker."""
    with Client(cluster) as found:
        found.wait_for_workers(2)
        yield found


@pytest.fixture(scope="session")
def pool():
    """The processes of Dask's own scheduler, which would start new ones in each step."""
    with ProcessPoolExecutor(1, get_context("spawn")) as found:
        yield found


@pytest.fixture(params=["synchronous", "threads", "processes", "client"])
def anywhere(request):
    """Each of the ways in which Dask runs a graph."""
    if request.param == "client":
        request.getfixturevalue("client")
        yield
    elif request.param == "processes":
        with dask.config.set(scheduler="processes", pool=request.getfixturevalue("pool")):
            yield
    else:
        with dask.config.set(scheduler=request.param):
            yield
