"""Map-reduce in this process, by threads, and by one call of a single partition.

The work is that of the partitions one after another, by the same program: the gradient of a
network with one hidden layer, replayed. Tiny partitions have two rows.
"""

from __future__ import annotations

from typing import Any

from dezero_dask import value_and_grad
from dezero_replay import compiled
from dezero_tools import functional

from . import problems
from .timing import in_turn, rows_for
from .values import MAP_REDUCE, PLAIN, REPLAYED, Values, require_equal

SECONDS = 0.05
PARTITIONS, TINY, VALUES = 16, 256, 7
ROWS_TO_CALIBRATE = 10_000


def data_of(partitions: int, rows: int) -> tuple[list[Any], list[Any]]:
    """Return the inputs and the labels of partitions."""
    numbers = range(partitions)
    return (
        [problems.rows_of(n, rows) for n in numbers],
        [problems.labels_of(n, rows) for n in numbers],
    )


def rows_of_a_partition() -> int:
    """Return how many rows take `SECONDS`."""
    step, params = compiled(functional.value_and_grad(problems.network)), problems.network_params()

    def step_of(rows: int) -> Any:
        (x,), (y,) = data_of(1, rows)
        return lambda: step(params, x, y)

    return rows_for(SECONDS, step_of, ROWS_TO_CALIBRATE)


def one_after_another(step: Any, params: Any, x: list[Any], y: list[Any]) -> Any:
    """Return a function that computes all partitions, and adds nothing."""
    return lambda: [step(params, *each) for each in zip(x, y, strict=True)]


def measure() -> Values:
    """Return the times of a step."""
    params, found = problems.network_params(), Values()
    x, y = data_of(PARTITIONS, rows_of_a_partition())
    expected = problems.added(one_after_another(problems.network_by_hand, params, x, y)())
    plain = functional.value_and_grad(problems.network)
    replayed = compiled(plain)
    many, single = value_and_grad(problems.network), value_and_grad(problems.network)
    require_equal(many(params, x, y), expected)
    steps = {
        MAP_REDUCE: lambda: many(params, x, y),
        REPLAYED: one_after_another(replayed, params, x, y),
    }
    found.add_times(f"{PARTITIONS} partitions", in_turn(VALUES, steps))
    x, y = x[:1], y[:1]
    steps = {
        MAP_REDUCE: lambda: single(params, x, y),
        PLAIN: lambda: plain(params, x[0], y[0]),
        REPLAYED: lambda: replayed(params, x[0], y[0]),
    }
    found.add_times("1 partition", in_turn(VALUES, steps))
    for partitions in (1, TINY):
        found.add_times(f"{partitions} tiny", in_turn(VALUES, tiny_step(partitions)))
    return found


def tiny_step(partitions: int) -> dict[str, Any]:
    """Return a step of partitions that hardly compute."""
    tiny, params = value_and_grad(problems.network), problems.network_params()
    x, y = data_of(partitions, 2)
    return {MAP_REDUCE: lambda: tiny(params, x, y)}
