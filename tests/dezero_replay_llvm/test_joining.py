"""Loops that wait for a number, so that an array is gone through once.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest

from .machine_code import MACHINES, native

MACHINE = MACHINES[0]
X = np.random.default_rng(0).normal(size=(6, 10))
Y = np.random.default_rng(1).normal(size=(6, 10))


def nests(function, *arrays):
    """Return the loops of a function that is right."""
    program = native(function, *arrays, machine=MACHINE)
    for found, expected in zip(program.run(*arrays), function(*arrays), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)
    (code,) = program.codes
    return len(code.schedule.nests)


def test_a_loop_waits_for_a_number_and_nothing_is_stored_meanwhile():
    def function(x, y):
        most = np.max(y[:1])
        return [np.sqrt(x * x + 1.0) * most, x - 1.0]

    assert nests(function, X, Y) == 2
    (code,) = native(function, X, Y, machine=MACHINE).codes
    assert code.text
    assert code.scratch_bytes <= 64


def test_a_step_of_adam_is_one_loop_for_each_parameter():
    def function(p, g, m, v, t):
        rate = 0.001 * np.sqrt(1.0 - np.exp(t * -0.001)) / (1.0 - np.exp(t * -0.1))
        m = m + (g - m) * 0.1
        v = v * 0.999 + g * g * 0.001
        return [p - m / (np.sqrt(v) + 1e-8) * rate, m, v]

    rng = np.random.default_rng(0)
    parameters = [rng.uniform(size=(7, 5)) for _ in range(4)]
    assert nests(function, *parameters, np.array(3.0)) == 2


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: [z := x * 2.0 + y, z * np.max(y[:1]), z[::-1] * np.max(x[1:])],
        lambda x, y: [(z := x * 2.0 + y) * np.max(y[:1]), z[2:] * np.max(x[1:]), z.T * 3.0],
        lambda x, y: [z[2:] * np.max(x[1:]), z * np.max(x[1:])] if (z := x - y) is not x else 0,
        lambda x, y: [z := x * 2.0 + y, np.max(z, axis=0) + z, np.min(z - y, axis=1)],
        lambda x, y: [(z := x + y) * np.max(y[:1]), (z - x)[:, :3] * np.max(x[1:])],
        lambda x, y: [(z := x + y) @ y.T + np.max(y[:1]), z * np.max(x[1:]), z + 1.0],
    ],
)
def test_loops_that_cannot_wait_keep_their_order(function):
    nests(function, X, Y)


def test_random_programs_of_two_shapes_are_right():
    rng = np.random.default_rng(5)
    for _ in range(30):
        choices = rng.integers(0, 8, size=25).tolist()
        places = rng.random(size=(25, 2)).tolist()

        def function(x, y, choices=choices, places=places):
            made = [x + y, x - y]
            for kind, (a, b) in zip(choices, places, strict=True):
                u, v = made[int(a * len(made))], made[int(b * len(made))]
                made.append(
                    [
                        lambda u, v: u * 0.5 + v,
                        lambda u, v: np.maximum(u, v),
                        lambda u, v: u - np.max(v) * 0.25,
                        lambda u, v: u[::-1] * 0.5,
                        lambda u, v: u * np.max(v[:2, ::3]),
                        lambda u, v: v - np.max((u * 0.5)[2:, :5] - v[2:, :5]),
                        lambda u, v: v + np.min(u, axis=0),
                        lambda u, v: u - np.max(v, axis=1, keepdims=True),
                    ][kind](u, v)
                )
            return made[12::4]

        nests(function, X, Y)


def test_a_loop_does_not_wait_longer_than_one_that_waits_and_reads_it():
    def function(x, y):
        first = x * 2.0 + 1.0
        turned = first[::-1] * 3.0
        waits = turned * np.max(y[1:3] * np.max(y[:1]))
        last = first * np.max(y[:2] * np.max(waits[:2]))
        return [waits, last]

    nests(function, X, Y)
