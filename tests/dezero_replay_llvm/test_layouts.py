"""How arrays lie in memory: which elements meet, how results are laid out, who shares memory.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest

from dezero_replay import compiled

from ..lowering import recorded, results_of
from .machine_code import MACHINES, differing, native, width

machines = pytest.mark.parametrize("machine", MACHINES, ids=width)

SHAPE = (6, 5)


def values(shape=SHAPE, seed=0, dtype=float):
    drawn = np.random.default_rng(seed).normal(size=shape) * 4
    return drawn.astype(dtype)


LAYOUTS = {
    "in C's order": lambda x: x.copy(),
    "in Fortran's order": lambda x: np.asfortranarray(x),
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "columns backwards": lambda x: x[:, ::-1].copy()[:, ::-1],
    "every second row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "every third column": lambda x: np.repeat(x, 3, axis=1)[:, ::3],
    "inside of a larger one": lambda x: np.pad(x, 2)[2:-2, 2:-2],
    "one row for all": lambda x: np.broadcast_to(x[0], x.shape),
    "one column for all": lambda x: np.broadcast_to(x[:, :1], x.shape),
    "one number for all": lambda x: np.broadcast_to(x[0, 0], x.shape),
    "a row": lambda x: x[0].copy(),
    "a column": lambda x: x[:, :1].copy(),
    "a row backwards": lambda x: x[:1, ::-1].copy()[:, ::-1],
    "one number": lambda x: np.array(x[0, 0]),
    "one number of two dimensions": lambda x: x[:1, :1].copy(),
}


def check(function, *calls, machine, parts=1):
    """Compare what machine code gives for some calls with NumPy: bits, layout and memory."""
    program = native(function, *calls[0], machine=machine)
    assert len(program.codes) >= parts, [why for _, why in program.partition.reasons]
    for arrays in calls:
        copies = [x.copy("K") for x in arrays]
        expected = function(*arrays)
        found = program.run(*arrays)
        for x, copy in zip(arrays, copies, strict=True):
            assert not differing(x, copy), "an argument was written"
        assert len(found) == len(expected)
        for number, (a, b) in enumerate(zip(found, expected, strict=True)):
            assert not (text := differing(a, b)), (number, text)
            assert type(a) is type(b)
            assert a.strides == b.strides, number
        for x in (*arrays, *found):
            for y in found:
                assert x is y or not np.shares_memory(x, y) or is_view_of(expected, y, found)


def is_view_of(expected, y, found):
    """Return whether NumPy's result in the same place is a view, too."""
    (number,) = [n for n, x in enumerate(found) if x is y]
    return expected[number].base is not None


def meeting(a, b):
    """Return results of two arrays in which each element has its place."""
    c = a * b + a
    d = np.where(a > b, c, b)
    return [c, d - a, (c > d) & (a < b), np.maximum(a, b) * c, (d * c).T + 1.0]


@machines
@pytest.mark.parametrize("first", LAYOUTS)
def test_arrays_of_two_layouts_meet_element_by_element(first, machine):
    number = list(LAYOUTS).index(first)
    seconds = [list(LAYOUTS)[(number + step) % len(LAYOUTS)] for step in (0, 1, 3, 7)]
    for second in seconds:
        pairs = [
            (LAYOUTS[first](values(seed=n)), LAYOUTS[second](values(seed=9 - n))) for n in (0, 1)
        ]
        check(meeting, *pairs, machine=machine)


@machines
@pytest.mark.parametrize(
    "shape", [(), (1,), (2,), (3,), (1, 1), (7,), (1, 9), (2, 3, 4, 5)], ids=str
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_small_arrays_and_numbers_meet(shape, dtype, machine):
    def function(x, y):
        z = x * y - x
        return [z / y, np.where(z > x, z, y), z + 2.0]

    calls = [
        (np.asarray(values(shape, n, dtype)), np.asarray(values(shape, 5 + n, dtype)))
        for n in (0, 1)
    ]
    check(function, *calls, machine=machine)


@machines
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)], ids=str)
def test_arrays_without_elements_give_results_without_elements(shape, machine):
    def function(x, y):
        return [x + y * 2, (x * y).T + 1, x > y, y.sum(axis=0) + 1.0]

    check(function, (np.zeros(shape), np.ones(shape)), machine=machine, parts=0)


@machines
def test_views_of_views_are_read_where_they_lie(machine):
    def function(x):
        y = x * 2.0
        once = y[1:, ::2]
        twice = once.T[::-1]
        thrice = twice.reshape(3, 5, 1)[:, ::-1]
        return [
            once + 1.0,
            twice * x[1:, ::2].T[::-1],
            thrice - 1.0,
            y[2] + y[:, 0][:5],
            y[-1, -1] + y,
        ]

    check(function, (values(),), (values(seed=1),), machine=machine)


@machines
def test_results_that_are_views_share_memory_as_numpys_do(machine):
    def function(x, y):
        z = x * y + 1.0
        return [z, z.T, z[::2], z.reshape(-1)[3:], z - 1.0]

    x, y = values(), values(seed=1)
    program = native(function, x, y, machine=machine)
    assert program.codes
    found, expected = program.run(x, y), function(x, y)
    for a, b in zip(found, expected, strict=True):
        assert not differing(a, b)
        assert a.strides == b.strides
    for a, c in zip(found, expected, strict=True):
        for b, d in zip(found, expected, strict=True):
            assert np.shares_memory(a, b) == np.shares_memory(c, d)


@machines
def test_results_that_are_arguments_are_the_arguments(machine):
    def function(x, y):
        z = x * y + y
        return [x, z, y.T, z, x[::2]]

    x, y = values(), values(seed=1)
    program = native(function, x, y, machine=machine)
    assert program.codes
    z, turned, rows = program.run(x, y)  # each value once, and no arguments
    assert not differing(z, x * y + y)
    assert np.shares_memory(turned, y)
    assert np.shares_memory(rows, x)
    step = compiled(function, executor="llvm", wait=True, audit=None)
    for _ in range(3):
        found = step(x, y)
    assert step.stats["replayed"] == 1
    assert found[0] is x
    assert found[1] is found[3]
    assert np.shares_memory(found[2], y)
    assert np.shares_memory(found[4], x)
    for a, b in zip(found, function(x, y), strict=True):
        assert not differing(a, b)


@machines
def test_results_come_in_the_order_in_which_they_are_wanted(machine):
    def function(x):
        a = x + 1.0
        b = a * x
        c = b - a
        return [c, a, b, c]

    check(lambda x: function(x)[:3], (values(),), machine=machine)
    program = recorded(function, values())
    made = native(function, values(), machine=machine)
    found = results_of(program, made.run(values()), [values()])
    for a, b in zip(found, function(values()), strict=True):
        assert not differing(a, b)


@machines
def test_arguments_may_overlap_and_one_may_be_given_twice(machine):
    def function(x, y):
        z = x + y * 2.0
        return [z * x, z - y]

    memory = values((80,))
    program = native(function, values((40,)), values((40,), seed=1), machine=machine)
    for first, second in [
        (slice(0, 40), slice(1, 41)),
        (slice(3, 43), slice(0, 40)),
        (slice(0, 40),) * 2,
    ]:
        x, y = memory[first], memory[second]
        before = memory.copy()
        for a, b in zip(program.run(x, y), function(x, y), strict=True):
            assert not differing(a, b)
        assert not differing(memory, before)
    x = memory[:40]
    for a, b in zip(program.run(x, x), function(x, x), strict=True):
        assert not differing(a, b)


@machines
def test_what_is_written_in_place_is_there_for_what_reads_it_later(machine):
    def function(x, v):
        y = x + 1.0
        y[1] = 7.0
        before = y * 2.0
        y[:, 2] = v
        y[::2, 1:3] = before[::2, :2]
        y[...] = y[::-1]
        y *= 0.5
        y[2:4] += x[:2]
        return [before, y, y[1] - x[0]]

    x, v = values(), values((6,), seed=1)
    check(lambda x, v: function(x, v)[:2], (x, v), (values(seed=2), v + 1), machine=machine)


@machines
def test_memory_of_the_program_is_used_again_only_by_what_comes_later(machine):
    """Chains of sums, of which each needs the last one in memory, of three sizes in turn."""

    def function(x, y):
        kept = []
        for n in range(6):
            z = (x * (n + 1)).max(axis=n % 2, keepdims=True)
            w = (y - z).min(axis=0)
            x = x + w * 0.5
            kept.append(z - w)
        return [*kept, x]

    rng = np.random.default_rng(4)
    check(function, *(tuple(rng.normal(size=(2, 8, 8))) for _ in range(2)), machine=machine)


@machines
def test_views_of_any_strides_are_read_and_results_have_eager_order(machine):
    rng = np.random.default_rng(7)
    for _ in range(12):
        shape = tuple(int(n) for n in rng.integers(1, 5, size=3))
        arrays = []
        for _ in range(2):
            steps = [int(n) for n in rng.choice([1, 2, 3, -1, -2], size=3)]
            whole = rng.normal(size=[n * abs(s) for n, s in zip(shape, steps, strict=True)])
            order = rng.permutation(3)
            whole = np.ascontiguousarray(whole.transpose(order)).transpose(np.argsort(order))
            arrays.append(whole[tuple(slice(None, None, s) for s in steps)])
            assert arrays[-1].shape == shape

        def function(x, y):
            z = x * y
            return [z + x, np.where(z > y, x, z), np.maximum(z, y).swapaxes(0, 2) + 1.0]

        check(function, tuple(arrays), machine=machine)


@machines
def test_a_part_without_elements_is_written_and_a_part_is_summed(machine):
    def function(x):
        y = x * 2.0
        y[:0] = 3.0
        return [y, y[:2].max(), y[::-1].min()]

    check(function, (values((9,)),), machine=machine)
