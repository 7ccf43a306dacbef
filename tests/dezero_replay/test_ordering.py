"""Loops whose way back repeats in another order than that of the engine.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest
from dezero_replay.passes import loops
from dezero_replay.passes.ordering import by_need
from dezero_replay.passes.rounds import every_call
from dezero_tools.functional import grad, value_and_grad

from dezero_core import using_config
from dezero_replay import compiled
from tests.replayed import same

from .random_loops import Program
from .test_loops import is_loop

ROUNDS = 60
F = np.array([[0.5, 0.05], [0.0, 0.45]])
Z = np.random.default_rng(0).normal(size=(ROUNDS, 2))


def loops_in(step):
    """Return the loops that run."""
    return [each.call for each in every_call(step.program.running.instructions) if is_loop(each)]


def smoothed(step, z):
    """Filter, then smooth: the way back has more calls a round for widths than for means."""
    x, width, kept = np.zeros(len(step)), np.eye(len(step)), []
    for row in z:
        before, wide = step @ x, step @ width @ step.T
        x, width = before + wide @ row, wide * 0.5
        kept.append((x, width, before, wide))
    path = [x]
    for t in reversed(range(len(z) - 1)):
        gain = kept[t + 1][3] @ (step @ kept[t][1])
        x = kept[t][0] + gain @ (x - kept[t + 1][2])
        width = kept[t][1] + gain @ (width - kept[t + 1][3]) @ gain.T
        path.append(x)
    return path, np.sum(width)


def loss(step, z):
    path, total = smoothed(step, z)
    return np.sum(path[-1] ** 2) + total


def loss_of_stack(step, z):
    path, total = smoothed(step, z)
    return np.sum(np.stack(path[::-1]) ** 2) + total


@pytest.mark.parametrize("function", [loss, loss_of_stack])
@pytest.mark.parametrize("wide", [1, 5], ids=["of 2 numbers", "of 10 numbers"])
def test_the_way_back_of_two_values_with_unlike_numbers_of_calls_is_in_loops(function, wide):
    calls = [(np.kron(np.eye(wide), F + n / 100), np.tile(Z, wide) / wide) for n in range(4)]
    step = same(value_and_grad(function), calls)
    assert sum(loop.rounds >= ROUNDS - 5 for loop in loops_in(step)) >= 5
    assert len(step.program.running.instructions) < 8 * ROUNDS  # of some 75 a round


def test_random_numbers_are_drawn_in_the_order_of_eager_code_among_ways_back():
    def descent(rng, x, z):
        for _ in range(3):
            one, two = rng.normal(size=(2, 2)), rng.normal(size=(2, 2))
            x = x - 0.01 * grad(loss)(x + 0.01 * two, z) + 0.01 * one
        return x

    same(descent, [(F + n / 100, Z) for n in range(4)], lambda: np.random.default_rng(7))


def test_a_guard_among_ways_back_still_holds():
    def descent(x, z, least):
        for _ in range(3):
            x = x - 0.001 * grad(loss)(x, z)
            x = x + 0.001 if np.sum(x) > least else x - 0.001
        return x

    step = same(descent, [(F, Z, -9.0)] * 4 + [(F, Z, 9.0)] * 3 + [(F, Z, -9.0)] * 3)
    assert len(step.programs) == 2


def test_a_program_without_a_way_back_has_no_other_order():
    step = compiled(lambda x: np.sin(x) * 2.0)
    for _ in range(3):
        step(np.ones(100))
    assert by_need(step.program.usual) is None


@pytest.mark.parametrize("part", range(4))
def test_random_programs_in_that_order_have_the_bits_of_eager_code(part, monkeypatch):
    usual = loops._without_chance

    def always(graph, least):
        return usual(by_need(graph) or graph, least)

    monkeypatch.setattr(loops, "_SHORT", 0)
    monkeypatch.setattr(loops, "_shorter", always)
    for seed in range(5 * part, 5 * part + 5):
        program = Program(seed, False)
        with using_config("warn_of_independence", False):
            same(value_and_grad(program.function(), (0, 1, 2)), map(program.arrays, range(5)))
