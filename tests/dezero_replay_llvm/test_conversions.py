"""Empty arrays, copies in another shape, updates in place, and floats that become whole numbers.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest

from dezero_replay import compiled

from .machine_code import FLOATS, MACHINES, differing, kernel, native, width

machines = pytest.mark.parametrize("machine", MACHINES, ids=width)


def agree(function, *arrays, machine=MACHINES[0]):
    """Compare a function that is all machine code with NumPy, to the bit."""
    program = native(function, *arrays, machine=machine)
    assert program.partition.reasons == []
    for _ in range(2):
        with np.errstate(all="ignore"):
            pairs = zip(program.run(*arrays), function(*arrays), strict=True)
        assert [differing(*pair) for pair in pairs if differing(*pair)] == []


@machines
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_floats_become_whole_numbers_as_in_numpy(dtype, machine):
    x = np.array([0.0, -0.0, 0.99, -0.99, 2.5, -2.5, 2.0**62, -(2.0**63), 1e-300] * 4, dtype)

    def function(x):
        y = x.astype(np.int64)
        return [y, y * 3 + 1]

    for given in (x, x[::-1], x[::5], x[:1], x.reshape(6, 6).T, x.reshape(6, 6)[:, ::-2]):
        run = kernel(function, given, machine=machine)
        for found, right in zip(run(given), function(given), strict=True):
            assert not differing(found, right)
        assert run.status == 0


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e19, -1e19])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_numpy_warns_of_what_is_no_whole_number(number, dtype):
    x = np.linspace(-9, 9, 37).astype(dtype)
    step = compiled(lambda x: (x * 2).astype(np.int64) + 1, executor="llvm", wait=True)
    for place in (0, 0, 0, 1, 17, 36):
        x[place] = number
        with pytest.warns(RuntimeWarning, match="invalid value"):
            found = step(x)
        with np.errstate(all="ignore"):
            assert not differing(found, (x * 2).astype(np.int64) + 1)
        x[place] = 0
        assert not differing(step(x), (x * 2).astype(np.int64) + 1)


def test_a_constant_that_is_no_whole_number_is_numpys_to_warn_of():
    def function(x):
        return x.astype(np.int64) * 2 + np.full(2, np.inf).astype(np.int64)

    step = compiled(function, executor="llvm", wait=True)
    for _ in range(4):
        with pytest.warns(RuntimeWarning, match="invalid value"):
            found = step(np.ones(2))
        with np.errstate(all="ignore"):
            assert not differing(found, function(np.ones(2)))


EMPTY = {
    "elementwise": lambda x, y: [np.exp(x) * 2, x + 1, np.where(y > 0, y, 0)],
    "sums": lambda x, y: [x.sum(), x.sum(1), x.sum(0), y.prod(0), (x > 0).all(), (y > 0).any(0)],
    "largest": lambda x, y: [x.max(initial=3.0) + x.sum(), x.max(axis=0), y.min(axis=1)],
    "products": lambda x, y: [y @ x, x @ y, x @ x.T, np.outer(x[0], y.T[0]), np.inner(y, x.T)],
    "views": lambda x, y: [x.T + 1, x.reshape(-1) * 2, y[::-1, 1:] * 2, x[:2].reshape(0, 7) + 1],
    "of several": lambda x, y: [np.concatenate([x, x]) * 1, np.pad(x, 1), np.roll(y, 1, 0)],
}


@pytest.mark.parametrize("what", EMPTY)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_empty_arrays_are_as_in_numpy(what, dtype):
    function, arrays = EMPTY[what], (np.zeros((4, 0), dtype), np.zeros((0, 4), dtype))
    step = compiled(function, executor="llvm", wait=True)
    for _ in range(4):
        for found, right in zip(step(*arrays), function(*arrays), strict=True):
            assert not differing(found, right)
    assert "native: " in step.explain()
    assert "since" not in step.explain()


def test_writes_of_nothing_change_nothing():
    def function(x, y):
        z, w = x.copy(), y * 2
        z[0] = 1.0
        w[3:3] = 9.0
        return z, w + 1

    agree(function, np.zeros((4, 0)), np.ones(5))


RESHAPES = [
    lambda x: [x.reshape(-1) == 2, np.reshape(x, (5, 2, 6)) > 1, np.ravel(x)],
    lambda x: [x[:, ::-1].reshape(10, 6), np.ravel(x[::2, 1:]), x[1:, 2:].reshape(-1)],
    lambda x: [x[::-1].reshape(3, 20), x[::2, None, 3].reshape(3), np.ravel(x[2]), x[:2].T.ravel()],
    lambda x: [x.swapaxes(0, 1).reshape(12, 5, 1), x[:0].reshape(0, 4), x[2:3].T.ravel()],
    lambda x: [np.broadcast_to(x[0], (4, 10)).reshape(-1), np.reshape(x, (60, 1)).T.ravel()],
]


@pytest.mark.parametrize("function", RESHAPES)
@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype(np.int64), np.dtype(bool)], ids=str)
def test_arrays_are_copied_in_another_shape(function, dtype):
    x = (np.random.default_rng(0).normal(size=(6, 10)) * 3).astype(dtype)
    for given in (x, np.asfortranarray(x), x[::-1], x[::-1, ::-1], np.repeat(x, 2, 1)[:, ::2]):
        agree(function, given)


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_copies_in_another_order_have_their_order(order):
    def function(x):
        y = x * 1.0
        z = np.reshape(y[:, ::-1], (10, 6), "C" if order == "K" else order)
        return [np.ravel(y.T, order), np.ravel(y, order), np.ravel(y[:, ::-1], order), z]

    x = np.arange(60.0).reshape(6, 10)
    program = native(function, x, machine=MACHINES[0])
    for found, right in zip(program.run(x), function(x), strict=True):
        assert not differing(found, right)
        assert found.strides == right.strides


def test_copies_in_another_shape_in_loops_are_no_views():
    def f(x):
        for _ in range(40):
            y = x.T.reshape(-1)
            y[0] = 7.0
            x = x + y.reshape(x.shape) * 0.25
        return x

    step = compiled(f, executor="llvm", wait=True)
    for n in range(1, 5):
        x = np.random.default_rng(n).normal(size=(3, 4))
        assert not differing(step(x), f(x))


def test_updates_in_place_that_broadcast_or_convert_are_as_in_numpy():
    def function(x, i):
        y, z, n = x * 2.0, x.T * 1.0, i + 1
        y += x[0]
        y -= 3
        z *= y.T[:, ::-1].T
        z /= x[:, :1]
        n += i > 2
        n -= n[::-1]
        return [y, z, n]

    x = np.array([[1.0, -0.0, np.nan], [np.inf, 2.0, -3.0], [0.5, 0.25, 8.0]])
    for given in (x, x[::-1], x.T.copy()):
        agree(function, given, np.array([1, 2, 4]))
        agree(function, given.astype(np.float32), np.array([1, 2, 4], np.int32))
