"""Loops whose bodies are cut into functions, since they have many steps.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest

from dezero_replay import compiled
from dezero_replay_llvm import loop_plans

from .machine_code import FLOATS, MACHINES, differing, kernel, native, width

machines = pytest.mark.parametrize("machine", MACHINES, ids=width)
dtypes = pytest.mark.parametrize("dtype", FLOATS, ids=str)


@pytest.fixture
def short(monkeypatch):
    """Let each function have seven steps at most."""
    monkeypatch.setattr(loop_plans, "LARGEST", 7)


def chain(x, w):
    """Compute with values of some steps before, and with booleans."""
    kept = [x]
    for n in range(12):
        kept.append(kept[-1] * w + kept[n // 2])
        kept.append(np.where(kept[-1] > kept[n], -kept[-1], kept[0] * 0.5))
    return [kept[-1], kept[5], kept[-1] + kept[9] * kept[2]]


@pytest.mark.usefixtures("short")
@machines
@dtypes
@pytest.mark.parametrize("shape", [(), (1,), (3,), (67,), (5, 9), (70_001,)], ids=str)
def test_a_long_body_has_the_bits_of_numpy(shape, dtype, machine):
    x = np.linspace(-1.0, 1.0, int(np.prod(shape))).reshape(shape).astype(dtype)
    w = np.full(shape, 0.75, dtype)
    for other in (w, np.asarray(w.ravel()[0])):
        run = kernel(chain, x, other, machine=machine)
        assert " @kernel_0_2(" in run.code.text
        for found, expected in zip(run(x, other), chain(x, other), strict=True):
            assert differing(found, expected) == ""


@pytest.mark.usefixtures("short")
@machines
@pytest.mark.parametrize("shape", [(67,), (9, 21), (4, 5, 6), (300, 301)], ids=str)
def test_reductions_in_a_long_body_are_those_of_a_short_one(shape, machine, monkeypatch):
    x = np.random.default_rng(0).normal(size=shape)
    w = np.random.default_rng(1).normal(size=shape[-1])

    def function(x, w):
        *_, last = chain(x, w)
        every = [np.sum(last), np.max(last), np.sum(x * last), np.min(last, axis=0)]
        along = [np.sum(last, axis=-1), np.any(last > 1.0, axis=-1), np.max(last, axis=-1)]
        return [*every, *along, np.sum(last, axis=0), last]

    program = native(function, x, w, machine=machine)
    cut = program.run(x, w)
    assert " @kernel_0_2(" in program.codes[0].text
    monkeypatch.undo()
    whole = native(function, x, w, machine=machine).run(x, w)
    for found, expected in zip(cut, whole, strict=True):
        assert differing(found, expected) == ""


@pytest.mark.usefixtures("short")
def test_threads_share_a_long_body():
    x = np.random.default_rng(0).normal(size=(40, 5_000))

    def function(x):
        *_, last = chain(x, 0.5)
        return np.sum(last), last

    results = []
    for threads in (1, 2, 3):
        step = compiled(function, executor="llvm", wait=True, audit=None, threads=threads)
        for _ in range(3):
            found = step(x)
        assert "native: " in step.explain()
        results.append(found)
    for total, last in results[1:]:
        assert total == results[0][0]
        assert differing(last, results[0][1]) == ""


@pytest.mark.parametrize("shape", [(), (3,)])
def test_a_program_of_thousands_of_calls_is_one_region(shape):
    def long(x, w):
        for _ in range(2_500):
            x = x * w + w
        return x

    x, w = np.full(shape, 1.25), np.full(shape, 0.75)
    step = compiled(long, strict=True, executor="llvm", wait=True)
    for _ in range(3):
        found = step(x, w)
    assert step.stats["replayed"] == 1
    assert np.array_equal(found, long(x, w))
    assert step.explain().count("native: 5,000 calls") == 1


@pytest.mark.usefixtures("without_loops")
@machines
def test_the_frame_of_a_long_body_has_room_for_what_is_alive_alone(machine):
    def long(x, w):
        for _ in range(2_500):
            x = x * w + w
        return x

    run = kernel(long, np.ones(100), np.ones(100), machine=machine)
    assert run.code.text
    assert run.code.scratch_bytes <= 64 * 4
