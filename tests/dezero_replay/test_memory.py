"""How much memory recordings, audits and many calls take.

Promise: docs/how_to/make_it_faster.md
"""

import gc
import tracemalloc
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Parameter, Variable
from dezero_replay import ReplayWarning, compilation, compiled
from tests.memory import alone, peak
from tests.replayed import bits

LONG = 1000


def of_arrays(x):
    for _ in range(LONG):
        x = np.tanh(x) * 0.5
    return x


def of_numbers(x):
    for _ in range(LONG):
        x = x * 0.5 + 1.0
    return x


def of_two_arrays(x):
    y = x
    for _ in range(LONG):
        y = y * x + x
    return y


def in_place(x):
    y = np.zeros(4)
    for _ in range(LONG):
        y *= 0.5
        y += x
    return y


def of_variables(x):
    y = Variable(x)
    for _ in range(LONG):
        y = np.tanh(y) * 0.5
    return y


def a_long_gradient(x):
    y = x = Variable(x)
    for _ in range(LONG // 2):
        y = np.tanh(y) * 0.5
    np.sum(y).backward()
    return x.grad


@pytest.mark.parametrize(
    ("function", "x", "most"),
    [
        (of_arrays, np.ones(4), 128),
        (of_numbers, np.array(1.0), 128),
        (of_two_arrays, np.ones(4), 128),
        (in_place, np.ones(4), 128),
        (of_variables, np.ones(4), 1024),
        (a_long_gradient, np.ones(4), 1024),
    ],
)
def test_a_recording_takes_few_bytes_an_instruction_while_it_runs_and_fewer_later(
    function, x, most
):
    """A graph holds what it is recorded with; a recording itself has rows of numbers alone."""
    peaks, kept, instructions = alone(recorded, function, x)
    assert instructions >= 2 * LONG
    assert min(peaks) <= most * instructions
    assert min(kept) <= 128 * instructions


def recorded(function, x):
    """Return the peaks of three recordings over eager code, what each keeps, and its length."""
    expected = function(x)
    _, eager = peak(function, x)
    peaks, kept = [], []
    for _ in range(3):  # what is imported or cached for the first time is no part of a recording
        gc.collect()
        step = compiled(function)
        result, highest = peak(step, x)
        assert bits(result) == bits(expected)
        assert step.stats["recorded"] == 1
        (key,) = step.keys
        (program,) = key.single
        instructions = len(program.tape.instructions)
        peaks.append(highest - eager)
        del step, key, program
        gc.collect()
        tracemalloc.start()
        step = compiled(function)
        step(x)
        gc.collect()
        kept.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
    return peaks, kept, instructions


random = np.random.default_rng(0)
LARGE = random.normal(size=200_000)
BATCH = random.normal(size=(2000, 100))
W = Parameter(random.normal(size=(100, 100)) / 10.0)


def a_chain(x):
    y = x
    for _ in range(10):
        y = np.tanh(y * 0.5 + x)
    return np.sum(y)


def calls_without_buffers(x):
    for _ in range(10):
        x = np.sort(np.where(x > 0.5, x, x * 0.5))
    return np.sum(x)


def a_gradient(x):
    y = x = Variable(x)
    for _ in range(10):
        y = np.tanh(y * 0.5 + x)
    np.sum(y).backward()
    return x.grad


def a_step_of_a_network(x):
    h = x
    for _ in range(3):
        h = np.tanh(h @ W)
    loss = np.mean((h - 1.0) ** 2)
    W.cleargrad()
    loss.backward()
    W.data -= 0.1 * W.grad
    return loss


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (a_chain, LARGE),
        (calls_without_buffers, LARGE),
        (a_gradient, LARGE),
        (a_step_of_a_network, BATCH),
    ],
)
def test_an_audited_call_takes_at_most_2_2_times_the_memory_of_an_eager_one(function, x):
    audited, eager, _ = peaks_of_audits(function, x)
    assert eager > 3 * x.nbytes * 0.99
    assert audited <= 2.2 * eager


def peaks_of_audits(function, x, **options):
    """Return the highest peak of three audits, that of an eager call, and the compiled function."""
    function(x)
    _, eager = peak(function, x)
    step = compiled(function, audit=1, **options)
    for _ in range(2):
        step(x)
    audited = [peak(step, x)[1] for _ in range(3)]  # the first one makes what the program keeps
    assert step.stats["audits"] == 3
    return max(audited), eager, step


def test_memory_stays_flat_over_calls_with_changing_numbers():
    assert alone(grown_by_numbers) < 20_000


def grown_by_numbers():
    step = compiled(lambda x, n: x * n)
    x = np.ones(3)
    for n in range(100):
        step(x, n / 7)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for n in range(10_000):
        step(x, n / 11)
    return tracemalloc.get_traced_memory()[0] - before


ARGUMENTS = {
    "string": str,
    "number": lambda n: n / 7,
    "key": lambda n: {str(n): 1.0},
    "object": lambda n: SimpleNamespace(n=n),
}


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_memory_stays_flat_over_eager_calls_with_changing_arguments(kind, monkeypatch):
    monkeypatch.setattr(compilation, "_KEYS", 10)
    assert alone(grown_by_arguments, kind) < 200_000


def grown_by_arguments(kind):
    argument, step = ARGUMENTS[kind], compiled(lambda x, n: x * len(x.tolist()))
    x = np.ones(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReplayWarning)
        for n in range(300):
            step(x, argument(n))
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for n in range(300, 3300):
            step(x, argument(n))
    return tracemalloc.get_traced_memory()[0] - before
