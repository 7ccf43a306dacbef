"""Map-reduce on one and on two worker processes, beside NumPy by hand in ``client.map``.

The inputs of the network are on the workers, each partition on one of them; both compute with the
same. There is one cluster of one worker and one of two, which take turns. The work is that of the
partitions one after another in this process.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

from dezero_dask import value_and_grad
from dezero_replay import compiled
from dezero_tools import functional

from . import one_process, problems
from .timing import in_turn
from .values import BY_HAND, MAP_REDUCE, REPLAYED, Values, require_equal

WORKERS = (1, 2)
PARTITIONS, TINY, VALUES = 16, 256, 7


@contextmanager
def cluster(workers: int, **options: Any) -> Iterator[Client]:
    """Start worker processes with one thread each, and give their client."""
    options = {"threads_per_worker": 1, "dashboard_address": ":0", **options}
    with (
        LocalCluster(n_workers=workers, **options) as found,
        Client(found, set_as_default=False) as client,
    ):
        client.wait_for_workers(workers)
        yield client


def placed(client: Client, rows: int) -> tuple[list[Any], list[Any]]:
    """Return the inputs and the labels as futures: the first partitions on the first worker."""
    workers = sorted(client.scheduler_info()["workers"])
    x, y = [], []
    for number in range(PARTITIONS):
        where = {"workers": [workers[number * len(workers) // PARTITIONS]], "pure": False}
        x.append(client.submit(problems.rows_of, number, rows, **where))
        y.append(client.submit(problems.labels_of, number, rows, **where))
    for future in (*x, *y):
        client.submit(np.shape, future, pure=False).result()
    return x, y


def steps_on(client: Client, rows: int) -> dict[str, Any]:
    """Return the steps that are compared."""
    params, (x, y) = problems.network_params(), placed(client, rows)
    f = value_and_grad(problems.network)

    def map_reduce() -> Any:
        with client.as_current():
            return f(params, x, y)

    def by_hand() -> Any:
        partials = client.map(problems.network_by_hand, [params] * len(x), x, y, pure=False)
        return problems.added(client.gather(partials))

    return {MAP_REDUCE: map_reduce, BY_HAND: by_hand}


def tiny_on(client: Client, partitions: int) -> dict[str, Any]:
    """Return a step of partitions that hardly compute."""
    (step,) = one_process.tiny_step(partitions).values()

    def tiny() -> Any:
        with client.as_current():
            return step()

    return {MAP_REDUCE: tiny}


def measure() -> Values:
    """Return the times of a step."""
    found, rows = Values(), one_process.rows_of_a_partition()
    params, numbers = problems.network_params(), range(PARTITIONS)
    x, y = one_process.data_of(PARTITIONS, rows)
    expected = problems.added([problems.network_by_hand(params, x[n], y[n]) for n in numbers])
    here = compiled(functional.value_and_grad(problems.network))
    with cluster(WORKERS[0]) as one, cluster(WORKERS[1]) as two:
        clients = dict(zip(WORKERS, (one, two), strict=True))
        steps: dict[Any, Any] = {
            ("", REPLAYED): one_process.one_after_another(here, params, x, y),
        }
        for workers, client in clients.items():
            for who, step in steps_on(client, rows).items():
                require_equal(step(), expected)
                steps[workers, who] = step
        times = in_turn(VALUES, steps)
        work = times.pop(("", REPLAYED))
        for (workers, who), seconds in times.items():
            found.add_times(name(workers), {who: seconds, REPLAYED: work})
        for partitions in (1, TINY):
            step = tiny_on(two, partitions)
            found.add_times(f"{partitions} tiny, {WORKERS[1]} workers", in_turn(VALUES, step))
    return found


def name(workers: int) -> str:
    """Return the name of the figure."""
    return f"{PARTITIONS} partitions, {workers} worker{'s' * (workers > 1)}"
