"""Random programs from a small grammar: eagerly, and lowered with and without each pass.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest
from dezero_replay.executors.executors import NumPyExecutor
from dezero_replay.passes import buffers
from dezero_replay.passes.graph import Graph
from dezero_replay.passes.loops import with_loops
from dezero_replay.passes.passes import PASSES, simplified, without_dead

from ..lowering import recorded, results_of, same_bits

SHAPES = [(), (1,), (5,), (70,), (9, 8), (8, 9), (9, 1), (3, 4, 6), (72,)]
DTYPES = [np.float64, np.float64, np.float64, np.float32, np.int64]
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, 5e-324]
UNARY = [np.exp, np.tanh, np.sin, np.negative, np.square, np.abs, np.copy, np.isfinite]
BINARY = [
    *(lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / y),
    *(np.maximum, np.add, np.multiply, lambda x, y: x > y, lambda x, y: np.where(x > 0, x, y)),
]
REDUCING = [
    *(lambda x: x.sum(), lambda x: np.sum(x, axis=-1), lambda x: x.max(axis=0, keepdims=True)),
    *(lambda x: np.mean(x), lambda x: x.mean(axis=0), lambda x: (x > 0).any(axis=-1)),
]
SHAPING = [
    *(lambda x: x.T, lambda x: x.reshape(-1), lambda x: x[::2], lambda x: x[..., 0]),
    *(
        lambda x: x[1:-1],
        lambda x: x[None],
        lambda x: np.swapaxes(x, 0, -1),
        lambda x: x[[0, 1, 1]],
    ),
    *(
        lambda x: x.copy(),
        lambda x: x.astype(np.float32),
        lambda x: np.broadcast_to(x, (2, *x.shape)),
    ),
]
NUMBERS = [2, 2.0, -1, 0.5, 3, 1e-3]


def changed_in_place(x, number, value):
    """Write into an array in one of several ways."""
    y = x + 0.0
    if number % 5 == 0:
        y[0] = 7.0
    elif number % 5 == 1:
        y -= 0.25
        y *= y
    elif number % 5 == 2:
        y[..., -1] += 1.5
    elif number % 5 == 3:
        np.copyto(y, 3.0, where=y > 1.0)
    else:
        np.multiply(y, value, out=y)
    return y


def step(rng, values):
    """Draw a step: a function of the values so far."""
    i, j = (int(n) for n in rng.integers(len(values), size=2))
    kind, number = rng.integers(7), NUMBERS[rng.integers(len(NUMBERS))]
    if kind == 0:
        f = UNARY[rng.integers(len(UNARY))]
        return lambda v: f(v[i])
    if kind in (1, 2):
        f = BINARY[rng.integers(len(BINARY))]
        return lambda v: f(v[i], v[j])
    if kind == 3:
        f = BINARY[rng.integers(3)]
        return (lambda v: f(v[i], number)) if rng.integers(2) else (lambda v: f(number, v[j]))
    if kind == 4:
        f = REDUCING[rng.integers(len(REDUCING))]
        return lambda v: f(v[i])
    if kind == 5:
        f = SHAPING[rng.integers(len(SHAPING))]
        return lambda v: f(v[i])
    return lambda v: changed_in_place(v[i], j, number)


def program_of(seed):
    """Return a random function of two arrays, and such arrays for several calls."""
    rng = np.random.default_rng(seed)
    shape = SHAPES[rng.integers(len(SHAPES))]
    dtype = DTYPES[rng.integers(len(DTYPES))]
    calls = []
    for _ in range(3):
        pair = [rng.normal(size=shape) for _ in range(2)]
        calls.append(tuple(np.asarray(8 * x, dtype) for x in pair))
    steps, values = [], list(calls[0])
    for _ in range(40):
        if len(steps) == 16:
            break
        drawn = step(rng, values)
        try:
            made = drawn(values)
        except (ValueError, IndexError, TypeError, np.exceptions.AxisError):
            continue
        if made.size and made.size < 2_000 and made.ndim < 5:
            steps.append(drawn)
            values.append(made)
    wanted = [int(n) for n in rng.integers(2, len(values), size=3)] if len(values) > 2 else []

    def function(x, y):
        found = [x, y]
        for each in steps:
            found.append(each(found))
        return [found[number] * 1 if found[number] is x else found[number] for number in wanted]

    if dtype is not np.int64:
        special = calls[-1][0].reshape(-1)
        special[: len(SPECIAL)] = SPECIAL[: special.size]
    return function, calls


@pytest.mark.parametrize("seed", range(240))
def test_random_programs_give_eager_bits(seed, monkeypatch):
    if seed % 2:
        monkeypatch.setattr(buffers, "LEAST", 1)
    with np.errstate(all="ignore"):
        function, calls = program_of(seed)
        program = recorded(function, *calls[0])
        tape, inputs = program.tape, [each.value for each in program.inputs]
        graph = without_dead(
            with_loops(Graph(tape.instructions, inputs, program.wanted, {**tape.constants}))
        )
        left_out = PASSES[seed % len(PASSES)]
        for passes in (PASSES, tuple(each for each in PASSES if each is not left_out), ()):
            lowered = NumPyExecutor().lower(simplified(graph, passes))
            kept = []
            for arrays in calls:
                expected = function(*arrays)
                given = [arrays[each.place.key] for each in program.inputs]
                copies = [x.copy() for x in given]
                found = lowered.run(*given)
                kept.append((results_of(program, found, arrays), expected))
                assert same_bits(given, copies), "an input was written"
                assert_memory_is_their_own(found, given)
            for found, expected in kept:  # later runs do not touch them
                assert same_bits(found, expected), lowered.source


def assert_memory_is_their_own(found, given):
    """No result shares memory with a buffer: the memory is an array's that is no view of bytes."""
    for x in found:
        base = x
        while isinstance(getattr(base, "base", None), np.ndarray):
            base = base.base
        assert base.dtype != np.uint8 or any(base is each for each in given)
