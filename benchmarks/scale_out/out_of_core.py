"""Logistic regression with data that are larger than the memory of the workers.

The data are four times the memory limits of all workers together: files of .npy that are read by a
function or as a dask array, and a zarr array. The memory is the highest resident set of a worker
beyond the one after its imports, in chunks for each thread.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import memory
import numpy as np
import zarr
from distributed import Client

from dezero_dask import value_and_grad

from . import problems
from .timing import seconds_of
from .values import MAP_REDUCE, Values, require_equal
from .workers import cluster

COLUMNS = 20
LIMIT = 400 * 2**20
"""Bytes of memory for each thread. The imports take some 150 MiB."""

TIMES_THE_LIMIT = 4
CHUNK = 32 * 2**20
"""Bytes of the inputs and labels of one partition."""

CLUSTERS = {"2 workers": (2, 1), "2 threads": (1, 2)}
"""Names of clusters: workers, and threads of each."""

STEPS = 2
ROWS = CHUNK // (8 * (COLUMNS + 1))
PARTITIONS = TIMES_THE_LIMIT * 2 * LIMIT // CHUNK


def read(folder: Path, number: int) -> tuple[Any, Any]:
    """Return a partition out of its two files."""
    return np.load(folder / f"x{number}.npy"), np.load(folder / f"y{number}.npy")


def write(folder: Path, w: Any) -> tuple[Any, Any]:
    """Write the data as .npy and as zarr, and return the loss and the gradient by hand at `w`."""
    n = PARTITIONS * ROWS
    group = zarr.open_group(folder / "zarr", mode="w")
    as_they_are: dict[str, Any] = {"dtype": float, "compressors": None}
    x = group.create_array("x", shape=(n, COLUMNS), chunks=(ROWS, COLUMNS), **as_they_are)
    y = group.create_array("y", shape=(n,), chunks=(ROWS,), **as_they_are)
    partials = []
    for number in range(PARTITIONS):
        here = slice(number * ROWS, (number + 1) * ROWS)
        part, labels = problems.rows_of(number, ROWS, COLUMNS), problems.labels_of(number, ROWS)
        np.save(folder / f"x{number}.npy", part)
        np.save(folder / f"y{number}.npy", labels)
        x[here], y[here] = part, labels
        partials.append(problems.logistic_by_hand(w, part, labels))
    return problems.added(partials)


def by_function(folder: Path, w: Any) -> Callable[[], Any]:
    """Return a step that reads the files by a function."""
    f = value_and_grad(problems.logistic, partitions=PARTITIONS)
    read_one = partial(read, folder)
    return lambda: f(w, read_one)


def by_files(folder: Path, w: Any) -> Callable[[], Any]:
    """Return a step whose data are dask arrays of the files."""
    load, numbers = dask.delayed(np.load), range(PARTITIONS)
    x, y = (
        da.concatenate(
            [da.from_delayed(load(folder / f"{name}{n}.npy"), shape, float) for n in numbers]
        )
        for name, shape in (("x", (ROWS, COLUMNS)), ("y", (ROWS,)))
    )
    f = value_and_grad(problems.logistic)
    return lambda: f(w, x, y)


def by_zarr(folder: Path, w: Any) -> Callable[[], Any]:
    """Return a step whose data are dask arrays of the zarr arrays."""
    x, y = (da.from_zarr(folder / "zarr", component=name) for name in ("x", "y"))
    f = value_and_grad(problems.logistic)
    return lambda: f(w, x, y)


WAYS = {".npy, by a function": by_function, ".npy, dask array": by_files, "zarr": by_zarr}


def start_counting() -> int:
    """Begin to look for the peak of this process, and return its memory. Runs on a worker."""
    import dask.array

    # What is imported is no part of the figure, also where that is done late.
    dask.array.from_zarr(zarr.ones((2, 2))).compute(scheduler="synchronous")
    tiny = value_and_grad(problems.logistic)
    with dask.config.set(scheduler="synchronous"):
        for _ in range(3):
            tiny(np.zeros(COLUMNS), [np.ones((2, COLUMNS))], [np.ones(2)])
    memory.give_back()
    memory.CLEAR.write_text("5")  # reset the peak to the memory of now
    return memory.resident()


def peaks(client: Client, step: Callable[[], Any]) -> tuple[Any, float, int]:
    """Return the result of a step, its time, and the highest memory of a worker beyond imports."""
    results: list[Any] = []
    before = client.run(start_counting)
    with client.as_current():
        seconds = min(seconds_of(lambda: results.append(step())) for _ in range(STEPS))
    after = client.run(memory.peak)
    return results[-1], seconds, max(after[worker] - before[worker] for worker in before)


def measure() -> Values:
    """Return the times of a step and the peaks of memory."""
    w, found = np.linspace(-1.0, 1.0, COLUMNS), Values()
    with tempfile.TemporaryDirectory() as name:
        expected = write(Path(name), w)
        for title, (workers, threads) in CLUSTERS.items():
            for way, step_of in WAYS.items():
                limits = {"threads_per_worker": threads, "memory_limit": LIMIT * threads}
                with cluster(workers, **limits) as client:
                    got, seconds, peak = peaks(client, step_of(Path(name), w))
                require_equal(got, expected)
                found.add(f"{way}, {title}", MAP_REDUCE, seconds, "second")
                chunks = peak / CHUNK / threads
                found.add(f"peak, {way}, {title}", MAP_REDUCE, chunks, "1")
    return found
