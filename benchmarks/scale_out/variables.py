"""Variables over Dask's arrays beside map-reduce, by threads.

The loss is elementwise, with one sum at its end; the chunks are the partitions. A step of Variables
makes its graph anew, and computes the loss and the gradient together. The process keeps what it
frees, by `dezero_tools.memory.keep`, as its page advises for arrays of this size.
"""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
from dezero_dask.arrays.array_type import without_computing

from dezero_core import Variable
from dezero_dask import compute, value_and_grad
from dezero_replay import compiled
from dezero_tools import functional, memory

from . import problems
from .timing import in_turn, rows_for
from .values import MAP_REDUCE, VARIABLES, Values, require_equal

SECONDS = 0.05
COLUMNS, CHUNKS, VALUES = 20, 16, 7
ROWS_TO_CALIBRATE = 20_000
KEPT = 1024
"""Mebibytes of freed memory."""


def elementwise(w: Any, x: Any) -> Any:
    """Return the sum of an elementwise function."""
    return np.sum(np.log1p(np.exp(-w * x)) + np.tanh(x + w))


def elementwise_by_hand(w: Any, x: Any) -> tuple[Any, Any]:
    """Return the sum and its gradient by `w`."""
    e, t = np.exp(-w * x), np.tanh(x + w)
    return np.sum(np.log1p(e) + t), np.sum(-x * e / (1.0 + e) + 1.0 - t * t, axis=0)


def measure() -> Values:
    """Return the times of a step."""
    w, found = np.linspace(-1.0, 1.0, COLUMNS), Values()
    memory.keep(KEPT)
    replayed = compiled(functional.value_and_grad(elementwise))

    def step_of(rows: int) -> Any:
        x = problems.rows_of(0, rows, COLUMNS)
        return lambda: replayed(w, x)

    rows = rows_for(SECONDS, step_of, ROWS_TO_CALIBRATE)
    whole = problems.rows_of(0, rows * CHUNKS, COLUMNS)
    x = da.from_array(whole, chunks=(rows, COLUMNS))
    f = value_and_grad(elementwise)

    def by_variables() -> Any:
        v = Variable(w)
        with without_computing():
            loss = elementwise(v, x)
            loss.backward()
        return compute(loss, v)

    steps = {MAP_REDUCE: lambda: f(w, x), VARIABLES: by_variables}
    for step in steps.values():
        require_equal(step(), elementwise_by_hand(w, whole))
    found.add_times(f"{CHUNKS} chunks", in_turn(VALUES, steps))
    return found
