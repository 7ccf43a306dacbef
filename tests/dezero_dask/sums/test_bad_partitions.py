"""Data that are no partitions are refused, and the message says what to write.

Promise: docs/how_to/more_data_than_memory.md
"""

import warnings

import dask
import dask.array as da
import numpy as np
import pytest

import dezero_dask as dd
from dezero_core import Variable

from .problems import linear, made, parts

W = np.ones(4)
X, Y = made()


@pytest.mark.parametrize(
    ("x", "argument", "message"),
    [
        (X, 1, r"got <class 'numpy.ndarray'>. Cut it: np.array_split\(x, 8\)"),
        (Variable(X), 1, r"Take its array, x.data, and cut it"),
        (3.0, 1, r"got <class 'float'>. Data in partitions are a dask array, a list"),
        (dask.delayed(X), 1, r"Give a list of them, \[x\] if it is the only partition"),
        (da.from_array(X, chunks=(30, 2)), 1, r"along axis 1, .*x.rechunk\({1: -1}\)"),
        (da.ones((3, 2, 2), chunks=1), 1, r"axis 1, .*x.rechunk\({1: -1, 2: -1}\)"),
        (da.ones((), chunks=()), 1, "a dask array without axes"),
        (da.from_array(X, chunks=(30, 4))[da.ones(90, chunks=30) > 0], 1, "compute_chunk_sizes"),
        (da.ones((30, 4), chunks=((10, 0, 20), 4)), 1, "partition 1 .*has no rows"),
        ([X[:30], X[:0], X[30:]], 1, "partition 1 of argument 1 .*has no rows"),
        ([X[0], np.float64(1.0)], 1, r"for partition 1 it has an array of shape \(\)"),
        ([[1.0, 2.0], [3.0]], 1, r"has \[1.0, 2.0\], <class 'list'>.*np.asarray\(x\)"),
        ([Variable(X)], 1, "x.data for a Variable"),
        ([], None, "at least one partition, got 0"),
        (lambda number: X, None, "how many partitions are there"),
    ],
)
def test_what_is_no_partitions_is_refused(x, argument, message):
    with pytest.raises(dd.PartitionError, match=message) as caught:
        dd.value_and_grad(linear)(W, x)
    assert caught.value.argument == argument
    assert isinstance(caught.value, ValueError)


def test_a_future_alone_is_told_to_be_a_list(client):
    with pytest.raises(dd.PartitionError, match=r"Give a list of them, \[x\]"):
        dd.value_and_grad(linear)(W, client.scatter(X))


def test_a_frame_of_dask_is_told_how_to_become_an_array():
    class Frame:
        """Has what a frame of Dask has."""

        shape = (3, 4)

        def to_dask_array(self, lengths):
            pass

    with pytest.raises(dd.PartitionError, match=r"x.to_dask_array\(lengths=True\)"):
        dd.value_and_grad(linear)(W, Frame())


def test_arguments_have_the_same_partitions():
    f = dd.value_and_grad(linear)
    with pytest.raises(dd.PartitionError, match="got 3 in argument 1, 4 in argument 2"):
        f(W, parts(X, 3), parts(Y, 4))
    with pytest.raises(dd.PartitionError, match="3 in argument 2, 2 in partitions="):
        dd.value_and_grad(linear, partitions=2)(W, parts(X, 3), parts(Y, 3))
    x = da.from_array(X, chunks=(30, 4))
    with pytest.raises(dd.PartitionError, match="partition 0 has 30 in argument 1 and 20 in") as c:
        f(W, x, da.from_array(Y, chunks=((20, 40, 30),)))
    assert (c.value.argument, c.value.partition) == (2, 0)


def test_rows_that_are_known_late_are_compared_in_the_task(anywhere):
    f = dd.value_and_grad(linear, partitions=3)
    late = [dask.delayed(part) for part in parts(Y[:60], 3)]
    with pytest.raises(dd.PartitionError, match="30 in argument 1, 20 in argument 2") as caught:
        f(W, parts(X, 3), late)
    assert caught.value.partition in (0, 1, 2)
    assert caught.value.__notes__[0].startswith(f"in partition {caught.value.partition} of 3")


@pytest.mark.parametrize(
    ("late", "message"),
    [
        (X[:0], "has no rows"),
        (3.0, "is <class 'float'> of shape None"),
        (np.float64(3.0), r"of shape \(\)"),
        ((), "an empty tuple"),
        (Variable(X), "Variable"),
        ((X[:0], X), "partition 0 of argument 1 .*has no rows"),
    ],
)
def test_a_partition_that_is_no_array_of_rows_is_found_in_the_task(late, message):
    with pytest.raises(dd.PartitionError, match=message) as caught:
        dd.value_and_grad(lambda w, x: np.sum(w), partitions=1)(W, lambda number: late)
    assert caught.value.argument == 1
    assert caught.value.partition == 0


@pytest.mark.parametrize(
    ("second", "argument", "message"),
    [
        (Y[:20], None, "partition 0 has 90 in argument 1, 20 in argument 2, 90 in argument 3"),
        (Y[:0], 2, "partition 0 of argument 2 of the loss has no rows"),
        (3.0, 2, "argument 2 of the loss is an array with rows .* 0 is <class 'float'>"),
    ],
)
def test_all_arrays_of_a_tuple_have_the_rows_of_the_partition(second, argument, message):
    def loss(w, x, y, z):
        return np.sum(x @ w) + np.sum(y) + np.sum(z)

    for data in ((lambda number: (X, second), [Y]), (lambda number: (X, second, Y),)):
        with pytest.raises(dd.PartitionError, match=message) as caught:
            dd.value_and_grad(loss, partitions=1)(W, *data)
        assert (caught.value.argument, caught.value.partition) == (argument, 0)
    found = dd.value_and_grad(loss, partitions=1)(W, lambda number: (X, Y), [Y])
    assert found[0] == pytest.approx(np.sum(X) + 2 * np.sum(Y))


def test_an_array_of_dask_in_a_list_may_have_unknown_rows():
    x = da.from_array(X, chunks=(30, 4))
    assert dd.value_and_grad(lambda w, x: np.sum(x) * w)(1.0, [x[x[:, 0] > 0]])[0] == (
        pytest.approx(np.sum(X[X[:, 0] > 0]))
    )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (np.ones(4, int), "argument 0, which is of int64 data, a constant. Pass a floating-point"),
        ({"w": W, "b": 3}, r"argument 0\['b'\], which is of int64 data"),
        ({"w": "word"}, "argument 0"),
        ([W, object()], r"argument 0\[1\], which is .*object"),
        (Variable(W), "a Variable, and no graph reaches into other processes"),
        (da.ones(4), "got <class 'dask.array.core.Array'>. Parameters are sent to each task"),
    ],
)
def test_parameters_that_have_no_gradient_are_refused_before_anything_is_sent(params, message):
    read = []
    f = dd.value_and_grad(linear, partitions=1)
    with pytest.raises(TypeError, match=message):
        f(params, read.append)
    assert not read


def test_a_loss_that_is_no_number_is_named_with_its_partition(anywhere):
    with pytest.raises(TypeError, match="rows_of_it must return one number") as caught:
        dd.value_and_grad(rows_of_it)(W, parts(X, 2))
    (note,) = caught.value.__notes__
    assert note.startswith("in partition ")
    assert " of 2, with arrays of shapes (45, 4), on " in note


def rows_of_it(w, x):
    return x @ w


def test_nothing_is_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dd.value_and_grad(linear)(W, parts(X, 2), parts(Y, 2))
