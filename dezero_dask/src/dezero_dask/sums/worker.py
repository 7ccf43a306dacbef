"""The tasks of a step, and how the process of a worker is prepared for them."""

from __future__ import annotations

import ctypes
import os
import pickle
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any
from uuid import uuid4

import cloudpickle
import numpy as np
from dezero_tools.functional.trees import Tree

import dezero_core
import dezero_tools
from dezero_core.extend import CHANGES, attempt, cause_of
from dezero_tools import memory

from ..errors import TaskError, WorkerPluginError
from ..pickling import dumps, unpicklable
from .kernels import Kernel

#: Of this process; a fork has the same one, and another process id.
_TOKEN = uuid4().hex
#: Kernels that a process keeps, with the programs that were recorded for them.
_KEPT = 8

_lock = threading.Lock()
_kernels: OrderedDict[bytes, tuple[Kernel, Tree]] = OrderedDict()
_compared: set[Any] = set()
_prepared: list[bool] = []

Versions = tuple[tuple[str, str | None], ...]


def calculation_of(
    kernel: Kernel, form: Tree, total: int, travels: bool, compared: int | None = None
) -> Callable[..., Any]:
    """Return the function of the tasks of a step: ``f(leaves, number, *pieces)``.

    `form` is that of the parameters, and `total` the number of partitions; in the one that is
    `compared`, the loss is compared with the sum over its halves. If the function `travels` to
    other processes, it is pickled here, as it is now: a number that it reads from outside may
    change from step to step.
    """
    if not travels:
        return partial(_calculated, lambda: (kernel, form), total, compared)
    try:
        packed = dumps((kernel, form))
    except Exception as error:
        raise unpicklable([kernel.function, *kernel.loaders.values()], error) from error
    return partial(_calculated, partial(_unpacked, packed, _home(), versions()), total, compared)


def _calculated(
    opened: Callable[[], tuple[Kernel, Tree]],
    total: int,
    compared: int | None,
    leaves: list[Any],
    number: int,
    *pieces: Any,
) -> Any:
    """Return the result of a kernel for a partition, from the data that it does not read itself."""
    given: list[Any] = []
    number = int(number)
    try:
        kernel, form = opened()
        found = kernel(form, leaves, number, pieces, given, number == compared)
        _give_back()
        return found
    except Exception as error:
        shapes = ", ".join(str(np.shape(x)) for x in given)
        shapes = f", with arrays of shapes {shapes}," if given else ""
        note = f"in partition {number} of {total}{shapes} on {worker_name()}"
        if attempt(partial(_arrives, error)):
            attempt(partial(error.add_note, note))  # its class may refuse notes
            raise
        failure = TaskError(
            f"{cause_of(error, with_place=False)} That was {note}. The error itself cannot be "
            "pickled.",
            kind=type(error).__name__,
            partition=number,
        )
    raise failure  # here it has no context: an error may be pickled together with that


def _unpacked(packed: bytes, home: tuple[str, int], expected: Versions) -> tuple[Kernel, Tree]:
    """Return a kernel and the form of the parameters, in a process that is prepared.

    Raise if this process has not the plugins of the one that made the step.
    """
    if home != _home():
        _prepare()
        _compare(expected)
    with _lock:
        if packed not in _kernels:
            _kernels[packed] = pickle.loads(packed)
            while len(_kernels) > _KEPT:
                _kernels.popitem(last=False)
        _kernels.move_to_end(packed)
        return _kernels[packed]


def _arrives(error: Exception) -> bool:
    """Return whether an error can be pickled, and read again as one of its class."""
    return type(pickle.loads(cloudpickle.dumps(error))) is type(error)


def worker_name() -> str:
    """Return how messages name the place where a task runs."""
    worker = _worker()
    return f"worker {worker.address}" if worker else f"process {os.getpid()}"


def versions() -> Versions:
    """Return the versions of what calculates here: names, and versions if they are known."""
    packages = [
        ("dezero-core", dezero_core.__version__),
        ("dezero-tools", dezero_tools.__version__),
        ("dezero-dask", sys.modules["dezero_dask"].__version__),
    ]
    loaded = [
        (plugin.name, f"{plugin.distribution} {plugin.version}" if plugin.distribution else None)
        for plugin in dezero_core.plugins()
        if plugin.state == "loaded" and plugin.operations
    ]
    return (*packages, *sorted(loaded))


def _home() -> tuple[str, int]:
    return _TOKEN, os.getpid()


def _worker() -> Any:
    """Return the worker of distributed that this task runs on, None if there is none."""
    if "distributed.worker" not in sys.modules:
        return None
    from distributed import get_worker

    with suppress(ValueError):
        return get_worker()
    return None


def _prepare() -> None:
    """Let the C library keep freed memory, once in a process.

    The nanny of a worker sets an environment variable that makes glibc give memory back early, and
    then the core's own setting has no effect. Arrays of more than a 64th of the worker's limit are
    given back: each thread keeps what it frees, also those of what reads the data, and a worker
    pauses beyond 80 % of its limit.
    """
    with _lock:
        if _prepared:
            return
        _prepared.append(True)
        if os.environ.get("DEZERO_KEEP_HEAP") == "0":
            return
        manager = getattr(_worker(), "memory_manager", None)
        limit = getattr(manager, "memory_limit", None) or 2**34
        with suppress(OSError):  # not glibc
            memory.keep(min(2047, limit // 2**26))


def _give_back() -> None:
    """Give all freed memory back to the system, where a worker uses half of its limit.

    Each thread may keep as much as `_prepare` says, also those of what reads the data. Together it
    is more than the limit at which a worker pauses, and one that is paused frees nothing.
    """
    worker = _worker()
    limit = getattr(getattr(worker, "memory_manager", None), "memory_limit", None)
    if limit and worker.monitor.get_process_memory() > limit / 2:
        with suppress(OSError, TypeError, AttributeError):  # not glibc
            ctypes.CDLL(None).malloc_trim(0)


def _compare(expected: Versions) -> None:
    """Raise if this process calculates with other plugins than the one that made a step."""
    if (expected, CHANGES[0]) in _compared:
        return
    got = dict(versions())
    for name, version in expected:
        if got.get(name, "") != version:
            raise _differs(name, version, got)
    _compared.add((expected, CHANGES[0]))


def _differs(name: str, expected: str | None, got: dict[str, str | None]) -> WorkerPluginError:
    where = worker_name()
    what = name if name.startswith("dezero-") else f"the plugin {name!r}"
    here = f"here it is {expected}" if expected else "here it was registered by hand"
    if name in got:
        there = f"has {what} as {got[name] or 'registered by hand'}"
        advice = "Install the same version on both sides."
    else:
        causes = {plugin.name: plugin.cause for plugin in dezero_core.plugins()}
        cause = f" ({causes[name]})" if causes.get(name) else ""
        there = f"does not have {what}{cause}"
        register = "Register it there, by `client.run(register, ...)`."
        advice = "Install it there." if expected else register
    worker = _worker()
    return WorkerPluginError(
        f"{where} {there}, and {here}: results would differ. {advice}",
        worker=worker.address if worker else where,
        plugin=name,
        expected=expected,
        got=got.get(name),
    )
