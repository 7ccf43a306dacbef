"""Chunks are made in the tasks of their partitions, unless others need them as well.

Promise: docs/how_to/more_data_than_memory.md
"""

import operator

import dask
import dask.array as da
import numpy as np
import pytest
from dask.delayed import Delayed
from dezero_dask.sums.partitions import Partitions
from distributed import Client

import dezero_dask as dd

from .problems import bits, linear, made, parts

X, Y = made()
W = np.linspace(-1.0, 1.0, 4)


def keys_left(*data):
    return set(Partitions(data, None).graph)


def files(folder, arrays):
    for number, array in enumerate(arrays):
        np.save(folder / f"{number}.npy", array)
    load = dask.delayed(np.load)
    return [load(folder / f"{number}.npy") for number in range(len(arrays))]


def test_a_chunk_of_one_partition_has_no_task_of_its_own(tmp_path):
    lazy = files(tmp_path, parts(X))
    assert keys_left(lazy) == set()
    chunks = [da.from_delayed(x, part.shape, float) for x, part in zip(lazy, parts(X), strict=True)]
    assert keys_left((da.concatenate(chunks) - 1.0) * 2.0) == set()


def test_a_chunk_that_two_partitions_need_is_made_once(tmp_path):
    (first, *_), calls = files(tmp_path, parts(X)), []
    first = dask.delayed(lambda x: (calls.append(1), x)[1])(first)
    twice = [first + 1.0, first + 2.0]
    assert len(keys_left(twice)) == 2  # with the file that it is read from
    value, _ = dd.value_and_grad(lambda w, x: np.sum(x @ w))(W, twice)
    assert value == pytest.approx(2 * np.sum(parts(X)[0] @ W) + 3 * len(parts(X)[0]) * W.sum())
    assert calls == [1]


def test_an_array_that_is_given_twice_is_made_once(tmp_path):
    calls = []
    counted = dask.delayed(lambda x: (calls.append(1), x)[1])
    x = [counted(part) for part in parts(X)]
    value, _ = dd.value_and_grad(lambda w, x, z: np.sum((x + z) @ w))(W, x, x)
    assert value == pytest.approx(2 * np.sum(X @ W))
    assert len(calls) == len(parts(X))


def test_branches_of_a_chunk_stay_tasks_that_may_run_at_the_same_time(tmp_path):
    one, two = files(tmp_path, [np.ones((2, 4)), np.ones((3, 4))])
    stacked = dask.delayed(np.concatenate)([one, two])
    assert len(keys_left([stacked * 2.0])) >= 2
    value, _ = dd.value_and_grad(lambda w, x: np.sum(x @ w))(W, [stacked * 2.0])
    assert value == pytest.approx(2 * 5 * W.sum())


def test_graphs_of_the_older_form_are_read():
    graph = {("x", 0, 0): (operator.add, "two", 1.0), "two": (np.full, (2, 4), 2.0)}
    x = da.Array(graph, "x", chunks=((2,), (4,)), dtype=float)
    assert keys_left(x) == set()
    lazy = Delayed("x", {"x": (operator.add, "two", 1.0), "two": (np.full, (2, 4), 2.0)})
    for data in (x, [lazy]):
        value, _ = dd.value_and_grad(lambda w, x: np.sum(x @ w))(W, data)
        assert value == pytest.approx(2 * 3 * W.sum())


def test_the_bits_are_those_of_arrays_in_memory(tmp_path, client):
    f, lazy = dd.value_and_grad(linear), files(tmp_path, parts(X))
    assert bits(f(W, lazy, parts(Y))) == bits(f(W, parts(X), parts(Y)))


def test_futures_among_the_tasks_are_used_where_they_are(client):
    held = da.from_array(X, chunks=(10, 4)).persist()
    f, y = dd.value_and_grad(linear), da.from_array(Y, chunks=10)
    expected = bits(f(W, da.from_array(X - 1.0, chunks=(10, 4)), y))
    assert bits(f(W, held - 1.0, y)) == expected


def test_a_file_that_is_missing_is_the_error_of_the_step(tmp_path):
    lazy = files(tmp_path, parts(X))
    (tmp_path / "2.npy").unlink()
    with (
        Client(processes=False, n_workers=1, dashboard_address=":0"),
        pytest.raises(FileNotFoundError, match=r"2\.npy"),
    ):
        dd.value_and_grad(linear)(W, lazy, parts(Y))
