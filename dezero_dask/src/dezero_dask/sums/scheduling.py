"""How a graph is run: by the scheduler that ``dask.compute`` would choose."""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import CancelledError
from contextlib import nullcontext
from importlib import import_module
from operator import call
from threading import Event
from time import monotonic
from typing import Any
from uuid import uuid4

import dask
import numpy as np
from dask.base import get_scheduler
from dask.delayed import Delayed
from dezero_tools.functional.trees import Tree

from dezero_core.extend import shown

from ..errors import ClosedClientError, LostDataError, PausedWorkersError, WorkerPluginError
from .kernels import Kernel
from .parameters import LocalArray
from .partitions import Partitions
from .reduction import PartialSum, combined, tree
from .worker import calculation_of

#: Parameters and functions from this many bytes on are sent to all workers before the step.
_BROADCAST = 10**6
#: If all tasks of a step together have at most so many bytes of parameters and functions, these are
#: part of each task, which then need not fetch them.
_EMBEDDED = 2**21
#: A step that is cancelled is computed again, until this many attempts have failed.
_ATTEMPTS = 4
#: Seconds for which a client gathers messages before it sends them. Dask's default is 10 ms.
_INTERVAL = 0.001
#: A client that was closed is noticed after at most so many seconds.
_GLANCE = 0.25
#: After each so many seconds without a result, we look whether all workers are paused.
_PATIENCE = 10.0
#: The states of a future whose data are on no worker any more.
_GONE = "cancelled", "lost"


class Runner:
    """Runs steps on the partitions of data, and has put the data where they are needed."""

    def __init__(self, partitions: Partitions) -> None:
        self.partitions = partitions
        self._client: Any = None
        self._placed: dict[LocalArray, Any] = {}

    def reduced(
        self,
        kernel: Kernel,
        form: Tree,
        leaves: list[Any],
        numbers: list[int],
        progress: bool = False,
        compared: int | None = None,
    ) -> PartialSum:
        """Return the sum of what a kernel gives for some partitions.

        The loss is compared with the sum over its halves in the partition that is named `compared`.

        Data that were sent from this process are sent again if the worker that had them is gone.
        """
        attempt, client = 1, None
        while True:
            try:
                graph, keys, client = self.graph(kernel, form, leaves, numbers, compared)
                add = task(combined, is_here(get_scheduler(cls=Delayed)))
                added, root = tree(keys, f"dezero-sum-{uuid4().hex}", add)
                return PartialSum(*computed(graph | added, root, client, progress))
            except Exception as error:
                require_open(client)  # if it is closed meanwhile, Dask raises various errors
                if not isinstance(error, CancelledError):
                    raise
                self._require_data(error)
                if attempt == _ATTEMPTS:
                    raise LostDataError(
                        f"a step was cancelled {_ATTEMPTS} times: workers that had its data are "
                        "gone, most often because their memory was full, see the log of the "
                        "cluster. Or the data are futures of another cluster.",
                        partitions=tuple(numbers),
                    ) from error
                attempt += 1

    def graph(
        self,
        kernel: Kernel,
        form: Tree,
        leaves: list[Any],
        numbers: list[int],
        compared: int | None = None,
    ) -> tuple[dict[Any, Any], list[Any], Any]:
        """Return the graph of a step, the keys of its partitions, and the client, if any.

        Keys are new in each step, so that a cluster never gives the result of an earlier one.
        """
        schedule = get_scheduler(cls=Delayed)
        owner = getattr(schedule, "__self__", None)
        client = owner if hasattr(owner, "scatter") else None
        require_open(client)
        self._require_client(client)
        here = is_here(schedule)
        graph = dict(self.partitions.graph)
        name = f"dezero-partition-{uuid4().hex}"
        calculation = calculation_of(kernel, form, self.partitions.count, not here, compared)
        start, given = task(calculation, here), leaves
        if not here:
            calls, (reads, packed) = start
            packed = _sent(packed, len(packed), len(numbers), f"{name}-function", graph, client)
            start = calls, (reads, packed)
            size = sum(leaf.nbytes for leaf in leaves)
            given = _sent(leaves, size, len(numbers), f"{name}-parameters", graph, client)
        placed = self._placed_by(client)
        for number in numbers:
            pieces = (
                placed.get(piece, piece) if isinstance(piece, LocalArray) else piece
                for piece in self.partitions.pieces[number]
            )
            # An np.intp, since Dask would take an int for a possible key of the graph.
            graph[name, number] = (*start, given, np.intp(number), *pieces)
        return graph, [(name, number) for number in numbers], client

    def _placed_by(self, client: Any) -> dict[LocalArray, Any]:
        """Send arrays to workers, unless they are there; return the future of each.

        All arrays of a partition go to one worker, and neighbours together.
        """
        if client is not self._client:
            self._client, self._placed = client, {}
        if client is None:
            return {}
        self._placed = {array: x for array, x in self._placed.items() if x.status not in _GONE}
        pieces = self.partitions.pieces
        waiting = [
            (n, array)
            for n, of_one in enumerate(pieces)
            for array in of_one
            if isinstance(array, LocalArray) and array not in self._placed
        ]
        if waiting:
            try:
                self._send(client, waiting, len(pieces))
            finally:  # if it was closed meanwhile, Dask raises an AttributeError
                require_open(client)
        return self._placed

    def _send(self, client: Any, waiting: list[tuple[int, LocalArray]], count: int) -> None:
        client.wait_for_workers(1)
        threads = client.nthreads()
        workers = [worker for worker in sorted(threads) for _ in range(threads[worker])]
        sent: dict[str, list[LocalArray]] = {}
        for n, array in waiting:
            sent.setdefault(workers[n * len(workers) // count], []).append(array)
        for worker, several in sent.items():
            futures = client.scatter(several, workers=[worker], hash=False)
            self._placed.update(zip(several, futures, strict=True))

    def _require_client(self, client: Any) -> None:
        """Raise if the data are futures, and there is no client that could use them."""
        for owner in {future.client for _, future in self.partitions.futures}:
            if client is None or owner.status != "running" or not same_cluster(owner, client):
                raise ClosedClientError(
                    "the data are futures, and their client is closed or not the default one. "
                    "Make new ones, or write `with client.as_current():`."
                )

    def _require_data(self, error: BaseException) -> None:
        """Raise if data that only the cluster had are gone."""
        gone = [n for n, future in self.partitions.futures if future.status in _GONE]
        known = tuple(sorted({n for n in gone if n is not None}))
        if gone:
            which = f" of the partitions {', '.join(map(str, known))}" if known else ""
            raise LostDataError(
                f"futures{which} among the data are gone: the worker that had them is gone, or the "
                "futures were cancelled. Make the futures again.",
                partitions=known,
            ) from error


def computed(graph: dict[Any, Any], key: Any, client: Any, progress: bool) -> Any:
    """Return the result of a key of a graph, with a progress bar if that is asked for."""
    lazy = Delayed(key, graph)
    if client is None:
        from dask.diagnostics import ProgressBar

        with ProgressBar() if progress else nullcontext():
            return dask.compute(lazy, traverse=False)[0]
    # The message that releases the result of one step would hold up the next step.
    client.scheduler_comm.interval = _INTERVAL
    future = client.compute(lazy)
    try:
        if progress:
            from distributed import progress as show

            show(future)
        return _awaited(future, client)
    except ImportError as error:
        if (error.name or "").startswith("dezero_dask"):
            raise _absent(client, error) from error
        raise
    finally:
        if client.status == "running":
            future.cancel()  # nobody waits for it any more


def _awaited(future: Any, client: Any) -> Any:
    """Return the result of a future, unless nothing will ever compute it.

    A worker whose memory is nearly full is paused until some of it is free again. If all workers
    are paused by the results that they hold, that never ends, and only their logs tell of it.
    """
    before: set[str] = set()
    ended = Event()  # future.result(timeout=...) may lose a result that comes at that moment
    future.add_done_callback(lambda _: ended.set())
    looked = monotonic()
    while not (ended.wait(_GLANCE) or future.done() or client.status != "running"):
        if monotonic() - looked < _PATIENCE:
            continue
        looked = monotonic()
        workers = client.scheduler_info(n_workers=-1)["workers"]
        paused = {name for name, facts in workers.items() if facts["status"] == "paused"}
        if paused and paused == set(workers) == before:
            raise PausedWorkersError(
                f"all workers are paused, since their memory is nearly full: "
                f"{', '.join(sorted(paused))}. Make partitions smaller, or give workers more "
                "memory. Workers on this machine also import what a script imports at its top.",
                workers=tuple(sorted(paused)),
            )
        before = paused
    return future.result()


def _absent(client: Any, error: ImportError) -> WorkerPluginError:
    """Return the error for workers that cannot import this package, with their names."""
    found = client.run(import_module, "dezero_dask.sums.worker", on_error="return")
    without = sorted(name for name, got in found.items() if isinstance(got, BaseException))
    version = sys.modules["dezero_dask"].__version__
    cause = shown(str(error))
    return WorkerPluginError(
        f"worker {', '.join(without)} cannot import dezero_dask ({cause}), and here it is "
        f"{version}. Install dezero-dask and the plugins of this process on all workers.",
        worker=", ".join(without),
        plugin="dezero-dask",
        expected=version,
        got=None,
    )


def _sent(x: Any, size: int, tasks: int, key: str, graph: dict[Any, Any], client: Any) -> Any:
    """Return the form in which tasks get an object that all need: itself, its key, or a future."""
    if size * tasks <= _EMBEDDED:
        return x
    if client is not None and size >= _BROADCAST:
        (future,) = client.scatter([x], broadcast=True, hash=False)
        return future
    graph[key] = x
    return key


def task(function: Any, here: bool) -> tuple[Any, ...]:
    """Return the beginning of a task that calls a function of this package.

    In a task for other processes the function is bytes, which are unpickled when the task runs. So
    a worker without the package raises an error. It would die of a message that it cannot unpickle.
    """
    return (function,) if here else (call, (pickle.loads, pickle.dumps(function)))


def same_cluster(one: Any, other: Any) -> bool:
    """Return whether two clients that are open have the same scheduler."""
    if one is other:
        return True
    return bool(one.scheduler_info(n_workers=0)["id"] == other.scheduler_info(n_workers=0)["id"])


def is_here(schedule: Any) -> bool:
    """Return whether a scheduler runs all tasks in this process."""
    return schedule in (dask.threaded.get, dask.local.get_sync)


def require_open(client: Any) -> None:
    """Raise if a client is closed."""
    if client is not None and client.status != "running":
        raise ClosedClientError(
            f"the client that runs the step is {client.status}. Make a new one, or leave it out "
            "of dask.config to compute in this process."
        )
