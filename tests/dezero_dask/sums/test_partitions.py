"""Data are given in many ways, and each is the same partitions.

Promise: docs/how_to/more_data_than_memory.md
"""

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client

import dezero_dask as dd

from .problems import Table, bits, linear, linear_by_hand, made, parts

W = np.array([0.1, -0.2, 0.3, 0.4])
X, Y = made()


def expected():
    value, slope = linear_by_hand(W, X, Y)
    return pytest.approx(value), pytest.approx(slope)


def test_dask_arrays_are_chunked_by_rows(anywhere):
    x = da.from_array(X, chunks=((20, 30, 40), (4,)))
    y = da.from_array(Y, chunks=((20, 30, 40),))
    assert dd.value_and_grad(linear)(W, x * 1.0, y + 0.0) == expected()


def test_what_two_arrays_of_dask_share_is_read_once():
    reads = []

    def read(block):
        reads.append(len(block))
        return block

    with dask.config.set(scheduler="synchronous"):
        both = da.from_array(np.column_stack([X, Y]), (30, 5)).map_blocks(read, dtype=float)
        reads.clear()
        found = dd.value_and_grad(linear)(W, both[:, :4], both[:, 4])
    assert found == expected()
    assert reads == [30, 30, 30]


def test_arrays_on_the_cluster_are_used_where_they_are(client):
    x = da.from_array(X, chunks=(30, 4)).persist()
    y = da.from_array(Y, chunks=30).persist()
    f = dd.value_and_grad(linear)
    assert f(W, x, y) == expected()
    assert f(W, x, y * 1.0) == expected()
    both = da.from_array(np.column_stack([X, Y, Y]), chunks=(30, 6)).persist()
    total = dd.value_and_grad(lambda w, x, b, y: linear(w, b[:, :4], y) + 0 * np.sum(x))
    assert total(W, x, both, both[:, 5]) == expected()
    futures = client.scatter(parts(X, 3))
    assert f(W, futures, y) == expected()
    assert f(W, futures, tuple(parts(Y, 3))) == expected()
    lazy = [dask.delayed(part).persist() for part in parts(X, 3)]
    assert f(W, lazy, y) == expected()


def test_lazy_objects_are_computed_in_each_step(anywhere, tmp_path):
    path = str(tmp_path / "{}.npy")
    for number, part in enumerate(parts(X, 3)):
        np.save(path.format(number), part)

    x = [dask.delayed(np.load)(path.format(number)) for number in range(3)]
    f = dd.value_and_grad(linear)
    assert f(W, x, parts(Y, 3)) == expected()
    np.save(path.format(0), np.zeros((30, 4)))
    value, _ = f(W, x, parts(Y, 3))
    assert value == pytest.approx(np.sum(Y[:30] ** 2) + linear_by_hand(W, X[30:], Y[30:])[0])


def test_a_list_may_hold_arrays_of_dask_and_lazy_objects(anywhere):
    x = [X[:30], da.from_array(X[30:60], (10, 2)), dask.delayed(X[60:])]
    assert dd.value_and_grad(linear)(W, x, parts(Y, 3)) == expected()


def test_a_list_may_hold_what_is_no_array_but_has_rows(anywhere):
    x = [Table(part) for part in parts(X, 3)]
    f = dd.value_and_grad(lambda w, x, y: linear(w, x.values, y))
    assert f(W, x, parts(Y, 3)) == expected()


def test_a_function_reads_a_partition_by_its_number(anywhere):
    x, y = X, Y

    def read(number):
        return x[number * 30 : number * 30 + 30]

    def read_both(number):
        rows = slice(number * 30, number * 30 + 30)
        return x[rows], y[rows]

    assert dd.value_and_grad(linear)(W, read, parts(Y, 3)) == expected()
    assert dd.value_and_grad(linear, partitions=3)(W, read_both) == expected()


def test_data_are_prepared_once_for_the_same_objects(client):
    x, y = parts(X, 3), parts(Y, 3)
    f = dd.value_and_grad(linear)
    first = f(W, x, y)
    sent = set(f._runner._placed.values())
    assert len(sent) == 6
    assert bits(f(W, x, y)) == bits(first)
    assert set(f._runner._placed.values()) == sent
    assert f(W, list(x), list(y)) == expected()  # another list of the same arrays

    assert f(W, x, y) == expected()
    x[0] = np.zeros((30, 4))
    value, _ = f(W, x, y)
    assert value == pytest.approx(np.sum(Y[:30] ** 2) + linear_by_hand(W, X[30:], Y[30:])[0])
    assert f(W, parts(X, 3), y) == expected()


def test_other_data_are_other_partitions():
    f = dd.value_and_grad(lambda w, x: np.sum(w * x), partitions=2)
    assert f(1.0, da.ones(4, chunks=2))[0] == 4
    assert f(1.0, 2.0 * da.ones(4, chunks=2))[0] == 8
    assert f(1.0, lambda number: np.ones(3))[0] == 6
    assert f(1.0, lambda number: np.full(3, 2.0))[0] == 12


def test_data_are_sent_to_the_cluster_that_is_the_default_one(client):
    x, y = parts(X, 3), parts(Y, 3)
    f = dd.value_and_grad(linear)
    assert f(W, x, y) == expected()
    with Client(processes=False, n_workers=1, dashboard_address=":0") as other:
        assert f(W, x, y) == expected()
        assert {future.client for future in f._runner._placed.values()} == {other}
    with client.as_current():
        assert f(W, x, y) == expected()


def test_tasks_of_one_array_become_one_task_for_each_chunk():
    x = (da.from_array(X, chunks=(30, 4)) + 1.0) * 2.0 / 2.0 - 1.0
    f = dd.value_and_grad(linear)
    assert f(W, x, parts(Y, 3)) == expected()
    assert len(x.__dask_graph__()) >= 15
    assert len(f._runner.partitions.graph) <= 9


def test_the_order_of_a_draw_changes_no_bit():
    x = [np.array([value]) for value in (0.1, 0.2, 0.3, 0.4)]
    f = dd.value_and_grad(lambda w, x: np.sum(w * x))
    assert (0.1 + 0.2) + 0.3 != (0.3 + 0.2) + 0.1
    orders = [(0, 1, 2), (2, 1, 0), (1, 0, 2)]
    assert len({bits(f.draw(3, Chosen(*order))(1.0, x))[0] for order in orders}) == 1


def test_another_number_of_arguments_is_other_data():
    f = dd.value_and_grad(lambda w, *data: sum(np.sum(x) for x in data) * w)
    x = [np.ones(2), np.ones(3)]
    assert f(1.0, x)[0] == 5
    assert f(1.0, x, x)[0] == 10
    assert f(1.0, x)[0] == 5


def test_all_arrays_of_a_partition_are_sent_to_one_worker(client):
    x, y = parts(X, 4), parts(Y, 4)
    f = dd.value_and_grad(linear)
    f(W, x, y)
    placed = f._runner._placed
    held = {
        held: worker
        for worker, keys in client.has_what().items()
        for held, future in placed.items()
        if future.key in keys
    }
    workers = [[held[piece] for piece in pieces] for pieces in f._runner.partitions.pieces]
    assert all(first == second for first, second in workers)
    assert len({first for first, _ in workers}) == 2


def test_arrays_that_are_sent_arrive_in_aligned_memory(client):
    f = dd.value_and_grad(linear)
    f(W, parts(X, 4), parts(Y, 4))
    futures = list(f._runner._placed.values())
    assert all(client.gather(client.map(lambda x: x.flags.aligned, futures)))
    assert all(client.gather(client.map(lambda x: type(x) is np.ndarray, futures)))


def test_arrays_that_are_not_aligned_are_copied_for_the_loss():
    raw = np.zeros(8 * 4 + 4, np.uint8)
    x = raw[4:].view(np.float64)
    x[:] = 1.0
    assert not x.flags.aligned
    seen = []

    def loss(w, x):
        seen.append(x.flags.aligned)
        return np.sum(w * x)

    with dask.config.set(scheduler="synchronous"):
        f = dd.value_and_grad(loss, replay=False, check=False)
        assert f(1.0, [x])[0] == 4
        assert f(1.0, [dask.delayed(lambda: x)()])[0] == 4
    assert seen == [True, True]


def test_one_partition_is_computed_alone(anywhere):
    x, y = parts(X, 3), parts(Y, 3)
    f = dd.value_and_grad(linear, penalty=lambda w: np.sum(w**2))
    value, slope = linear_by_hand(W, X[30:60], Y[30:60])
    assert f.partition(1)(W, x, y) == (pytest.approx(value), pytest.approx(slope))
    g = dd.grad(lambda w, x, y: linear(w, x, y) / len(x), mean=True)
    assert g.partition(1)(W, x, y) == pytest.approx(slope / 30)
    assert f.partition(np.int64(1))(W, x, y)[0] == pytest.approx(value)
    for number in (-1, 3):
        with pytest.raises(IndexError, match="there are partitions 0 to 2"):
            f.partition(number)(W, x, y)
    for number in (1.0, "1"):
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            f.partition(number)(W, x, y)


def test_draws_have_the_whole_as_their_mean():
    x, y = np.split(X, [10, 15, 60]), np.split(Y, [10, 15, 60])
    penalty = {"penalty": lambda w: np.sum(w**2)}
    mean = dd.value_and_grad(lambda w, x, y: linear(w, x, y) / len(x), mean=True, **penalty)
    for f in (dd.value_and_grad(linear, **penalty), mean):
        whole, slope = f(W, x, y)
        every = [Chosen(one, other) for one in range(4) for other in range(one + 1, 4)]
        drawn = [f.draw(2, rng)(W, x, y) for rng in every]
        assert np.mean([value for value, _ in drawn]) == pytest.approx(whole)
        assert np.mean([slope for _, slope in drawn], axis=0) == pytest.approx(slope)
        assert f.draw(4, np.random.default_rng(0))(W, x, y)[0] == pytest.approx(whole)
    with pytest.raises(ValueError, match="from 1 to 4 of 4 partitions are drawn, got 5"):
        f.draw(5, np.random.default_rng(0))(W, x, y)
    with pytest.raises(TypeError, match="'float' object cannot be interpreted as an integer"):
        f.draw(2.0, np.random.default_rng(0))(W, x, y)


class Chosen:
    """A generator of random numbers that chooses what it is told to."""

    def __init__(self, *numbers):
        self.numbers = np.array(numbers)

    def choice(self, count, n, replace):
        assert len(self.numbers) == n
        assert not replace
        return self.numbers[::-1]


def test_a_draw_is_another_one_in_each_call():
    x = [np.full(1, 10.0**number) for number in range(8)]
    rng = np.random.default_rng(0)
    f = dd.value_and_grad(lambda w, x: np.sum(w * x)).draw(1, rng)
    found = {float(f(1.0, x)[0]) for _ in range(20)}
    assert len(found) > 3
    assert found <= {8 * 10.0**number for number in range(8)}


def test_rows_that_nothing_tells_are_counted_once():
    reads = []

    def read(number):
        reads.append(number)
        return np.full(number + 1, 2.0)

    with dask.config.set(scheduler="synchronous"):
        f = dd.value_and_grad(lambda w, x: np.mean(w * x), mean=True, partitions=4, replay=False)
        drawn = f.draw(1, Chosen(3))
        assert drawn(1.0, read)[0] == pytest.approx(2.0 * 4 * 4 / 10)
        assert sorted(reads) == [0, 1, 2, 3, 3]
        assert drawn(1.0, read)[0] == pytest.approx(2.0 * 4 * 4 / 10)
        assert sorted(reads) == [0, 1, 2, 3, 3, 3]
