"""Elements at positions that are computed: read, written, and added to.

Promise: docs/how_replay_works.md
"""

import itertools

import numpy as np
import pytest
from dezero_tools.functional import value_and_grad

from dezero_replay import compiled

from .machine_code import FLOATS, MACHINES, differing, kernel, native

X = np.random.default_rng(0).normal(size=(4, 5, 6))
X[1, 2, 3], X[0, 0, 0], X[3, 4, 5] = np.nan, -0.0, np.inf
P, Q = np.array([[0, 3, -1], [2, -4, 2]]), np.array([1, -1, 3])


def agree(function, *arrays, reasons=()):
    """Compare a function that is all machine code with NumPy, to the bit."""

    def also(*arrays):
        return [*function(*arrays), *[x == x for x in arrays]]

    program = native(also, *arrays, machine=MACHINES[0])
    found = [why for _, why in program.partition.reasons]
    assert len(found) == len(reasons)
    assert all(part in why for part, why in zip(reasons, found, strict=True))
    for _ in range(2):
        for found, right in zip(program.run(*arrays), also(*arrays), strict=True):
            assert not differing(found, right)
            assert found.strides == right.strides


READS = {
    "first": lambda x, p, q: [x[p], x[q], x[p + 0] * 2],
    "last": lambda x, p, q: [x[..., p], x[..., 1:, q]],
    "between": lambda x, p, q: [x[1:, q], x[:, q, ::-1], x[::-2, q, 4:1:-2]],
    "several": lambda x, p, q: [x[p, q], x[p, q, q], x[:, p, q], x[q, :, p], x[q[:, None], q]],
    "apart": lambda x, p, q: [x.reshape(2, 4, 3, 5)[:, q, :, q] * 1],
    "take": lambda x, p, q: [np.take(x, p, 1), np.take(x, p, 0), np.take(x, q, axis=-1)],
    "take along": lambda x, p, q: [
        np.take_along_axis(x, p[None, :1, :].swapaxes(1, 2), 1),
        np.take_along_axis(x[0, 0], q, 0),
        np.take_along_axis(x, q[None, None], -1),
    ],
}


@pytest.mark.parametrize("how", READS)
@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype(np.int64), np.dtype(np.int8)], ids=str)
def test_elements_are_read_at_positions(how, dtype):
    with np.errstate(invalid="ignore"):
        x = (X * 10).astype(dtype)
    for given in (x, x[::-1], np.asfortranarray(x), np.repeat(x, 2, 2)[..., ::-2]):
        agree(READS[how], given, P, Q)
    agree(READS[how], x, P.astype(np.int32), np.asfortranarray(Q)[::-1])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.int8], ids=str)
def test_positions_have_any_width(dtype):
    positions = np.array([3, 0, 2, 2]).astype(dtype)
    agree(lambda x, p: [x[p], x[:, p], np.take(x, p, 1)], X, positions)


def test_positions_in_a_flattened_array_are_as_in_numpy():
    def function(x, p, q):
        return [np.take(x, p), np.take_along_axis(x[1], q, None), np.take(x, p * -1)]

    agree(function, X, P, Q)
    agree(lambda x, p: [x * 2, np.take(x.T * 2, p)], X, P, reasons=["in some cases alone"])


def test_listed_positions_are_as_in_numpy():
    agree(lambda x: [x[[0, -1, 2]], x[:, [1, 1]], np.take(x, [3, 0], axis=1), x[[0], [1]]], X)


def test_empty_positions_and_empty_arrays_are_as_in_numpy():
    nothing = np.zeros((2, 0), np.int64)

    def read(x, p):
        return [x[p] + 0, x[:, p] * 2, np.take(x, p, axis=2) + 1]

    def write(x, p):
        y, z = x * 2, x + 1
        y[p] = 3.0
        np.add.at(z, p, 1.0)
        return [y, z]

    agree(read, X, nothing)
    agree(write, X, nothing)
    agree(lambda x, p: [x[p], x[p] + 1], np.zeros((3, 0)), np.array([0, 2]))


WRITES = {
    "a number": lambda x, p, q, v: (p, 7.0),
    "rows": lambda x, p, q, v: (q, v[0]),
    "broadcast": lambda x, p, q, v: (p, v[0, 0]),
    "columns": lambda x, p, q, v: ((slice(None), q), v[0, :3]),
    "behind an ellipsis": lambda x, p, q, v: ((Ellipsis, q), v[0, 0, :3]),
    "backwards": lambda x, p, q, v: ((slice(None, None, -1), q), -v[0, :3]),
    "several": lambda x, p, q, v: ((p, q), v[0, 0]),
    "all": lambda x, p, q, v: ((p, q, q), v[0, 0, 0]),
}


@pytest.mark.parametrize("what", WRITES)
@pytest.mark.parametrize("adds", [False, True])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_elements_are_written_and_added_to_at_positions(what, adds, dtype):
    def function(x, p, q, v):
        y = x * 2
        index, value = WRITES[what](x, p, q, v)
        if adds:
            np.add.at(y, index, value)
        else:
            y[index] = value
        return [y, y + 1]

    agree(
        function, X.astype(dtype), P, Q, np.random.default_rng(1).normal(size=X.shape).astype(dtype)
    )


def test_of_equal_positions_the_last_is_written_and_all_are_added():
    p = np.array([2, 0, 2, 2, -3, 0])

    def function(x, p, v):
        y, z, n = x + 0.0, x + 0.0, p * 0
        y[p] = v
        np.add.at(z, p, v)
        np.add.at(n, p, 1)
        return [y, z, n]

    agree(function, np.zeros(5), p, np.arange(6.0) + 0.1)
    reasons = ["in another order"] * 3
    agree(function, np.zeros(5), p[::-1], np.arange(6.0) + 0.1, reasons=reasons)


@pytest.mark.parametrize("place", [(0, 0), (1, 2)])
@pytest.mark.parametrize("position", [4, -5, 2**40, -(2**62)])
@pytest.mark.parametrize("how", ["read", "write", "add"])
def test_positions_outside_raise_numpys_error(how, position, place):
    def function(x, p):
        y = x * 2
        if how == "read":
            return y[p] + 1
        if how == "write":
            y[p] = 1.0
        else:
            np.add.at(y, p, 1.0)
        return y

    step = compiled(function, executor="llvm", wait=True)
    for _ in range(4):
        step(X, P)
    p = P.copy()
    p[place] = position
    with pytest.raises(IndexError, match="out of bounds"):
        step(X, p)
    assert not differing(step(X, P), function(X, P))


def test_code_by_itself_reads_and_writes_nothing_outside():
    def function(x, p):
        y = x * 1.0
        y[p] = 5.0
        return [x[p], y]

    run = kernel(function, X[0, 0], np.array([1, 2]), machine=MACHINES[0])
    run(X[0, 0], np.array([1, -6]))
    assert run.status == 0
    for position in (6, -7, 2**62, -(2**63)):
        run(X[0, 0], np.array([1, position]))
        assert run.status


def test_an_array_is_read_at_positions_before_it_is_written_in_place():
    def function(x, p):
        u = x - x.sum()
        y = x * 2.0
        taken = y[p]
        y[...] = u
        y[p] = taken + y
        return [u, taken, y]

    for order in itertools.permutations(range(4)):
        agree(function, np.array([1.0, 2.0, -3.0, 0.5]), np.array(order))


def looped(x, p):
    for _ in range(40):
        y = x[p] * 0.5
        np.add.at(y, p, x)
        x = np.take_along_axis(y, p, 0) - x
    return [x]


def looped_with_writes(x, p):
    kept = []
    for _ in range(40):
        y = x * 0.5
        y[p[:2]] = x[1:3]
        x = y[p] - x
        kept.append(x[1])
    return [x, *kept]


@pytest.mark.parametrize("function", [looped, looped_with_writes])
def test_positions_in_loops_are_right(function):
    step = compiled(function, executor="llvm", wait=True)
    for n in range(6):
        rng = np.random.default_rng(n)
        given = rng.normal(size=6), rng.integers(-6, 6, 6)
        for found, right in zip(step(*given), function(*given), strict=True):
            assert not differing(found, right)
    assert "native: " in step.explain()
    assert "since" not in step.explain()
    if function is looped:
        assert "for i in range(40)" in str(step.program)


def test_gradients_of_what_is_looked_up_are_numpys():
    def loss(table, p):
        return np.sum(np.take(table, p, axis=0) ** 2 * np.arange(6.0))

    slope = value_and_grad(lambda table: loss(table, P))
    step = compiled(slope, executor="llvm", wait=True)
    for n in range(1, 5):
        table = np.random.default_rng(n).normal(size=(4, 6))
        for found, right in zip(step(table), slope(table), strict=True):
            np.testing.assert_allclose(found, right, rtol=1e-13)
    assert "native: " in step.explain()


def added(x, p, v):
    np.add.at(x, p, v)
    return x


def written(x, p, v):
    x[p] = v
    return x


REFUSED = {
    "of more than 8,192 elements": lambda x, p: np.take(x * 1, np.concatenate([p] * 50), axis=0),
    "where a mask is true": lambda x, p: x[x > 0] * 1,
    "positions of several kinds": lambda x, p: x[p, 0] * 1,
    "in a special way": lambda x, p: np.take(x, p, axis=0, mode="wrap"),
    "adds numbers of another dtype": lambda x, p: added(x * 1, p, x[0].astype(np.float32)),
    "in another order in memory": lambda x, p: written(x * 1, p.T, x[0]),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_positions_in_other_ways_are_numpys(reason):
    def function(x, p):
        return [REFUSED[reason](x, p), x * 2, p + 1]

    program = native(function, X, P, machine=MACHINES[0])
    assert any(reason in why for _, why in program.partition.reasons)
    for found, right in zip(program.run(X, P), function(X, P), strict=True):
        assert not differing(found, right)


def test_numpy_raises_the_error_where_a_program_also_draws():
    rng = np.random.default_rng(0)

    def function(x, p):
        return x[p] * 0 + x[p] + rng.normal() * 0

    step = compiled(function, executor="llvm", wait=True)
    x = np.ones(6)
    for _ in range(4):
        assert not differing(step(x, P), function(x, P))
    with pytest.raises(IndexError, match="out of bounds"):
        step(x, P + 9)
