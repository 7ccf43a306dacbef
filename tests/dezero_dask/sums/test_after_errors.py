"""After an error no task is left on the cluster, and the next step is right.

Promise: docs/how_to/more_data_than_memory.md
"""

import threading

import dask.array as da
import numpy as np
import pytest

import dezero_dask as dd

from ..conftest import becomes_idle
from .problems import bits, linear, made, parts

W = np.ones(4)
X, Y = made()
LOCK = threading.Lock()


def with_a_nan():
    x, y = parts(X.copy()), parts(Y)
    x[4][0, 0] = np.nan
    return x, y


def late(number):
    return np.ones((3, 4)), np.ones(2 if number == 1 else 3)


MISUSES = {
    "mismatched chunks": (
        lambda f: f(linear)(W, parts(X, 3), parts(Y, 4)),
        (dd.PartitionError, "got 3 in argument 1, 4 in argument 2"),
    ),
    "mismatched rows": (
        lambda f: f(linear)(W, da.from_array(X, (30, 4)), parts(Y[:60], 3)),
        (dd.PartitionError, "partition 0 has 30 in argument 1 and 20 in argument 2"),
    ),
    "rows that differ in a task": (
        lambda f: f(linear, partitions=3)(W, late),
        (dd.PartitionError, "partition 1 has 3 in argument 1, 2 in argument 2"),
    ),
    "an empty partition": (
        lambda f: f(linear)(W, [X, X[:0]], [Y, Y[:0]]),
        (dd.PartitionError, "partition 1 of argument 1 of the loss has no rows"),
    ),
    "chunks of unknown rows": (
        lambda f: f(linear)(W, da.from_array(X)[da.ones(90) > 0], [Y]),
        (dd.PartitionError, "chunks of unknown numbers of rows"),
    ),
    "a loss of several numbers": (
        lambda f: f(lambda w, x: x @ w)(W, parts(X)),
        (TypeError, "<lambda> must return one number"),
    ),
    "a loss of none": (
        lambda f: f(lambda w, x: None)(W, parts(X)),
        (TypeError, "<lambda> must return one number"),
    ),
    "a complex loss": (
        lambda f: f(lambda w, x: 1j * np.sum(x @ w))(W, parts(X)),
        (TypeError, "<lambda> must return one number, .* Make the number real"),
    ),
    "whole numbers": (
        lambda f: f(linear)(np.ones(4, int), parts(X), parts(Y)),
        (TypeError, "linear is differentiated by argument 0, which is of int64 data"),
    ),
    "a lambda with a lock": (
        lambda f: f(lambda w, x, lock=LOCK: np.sum(x @ w))(W, parts(X)),
        (dd.UnpicklableFunctionError, "<lambda> is sent to .* it holds lock, which cannot"),
    ),
    "a nan": (
        lambda f: f(linear, check=True)(W, *with_a_nan()),
        (dd.NanInPartitionError, "has a nan in .*partition 4"),
    ),
    "a penalty of several numbers": (
        lambda f: f(linear, penalty=abs)(W, parts(X), parts(Y)),
        (TypeError, "abs must return one number"),
    ),
}


@pytest.mark.parametrize("make", [dd.value_and_grad, dd.grad, dd.hessian])
@pytest.mark.parametrize("misuse", MISUSES)
def test_the_next_step_is_right_after(misuse, make, client):
    data = parts(X), parts(Y)
    f = make(linear)
    expected = bits(f(W, *data))
    wrong, (kind, message) = MISUSES[misuse]
    with pytest.raises(kind, match=message):
        wrong(make)
    assert becomes_idle(client)
    assert bits(f(W, *data)) == expected
