"""The Rosenbrock function of the book's step 28: a gradient, and a step of gradient descent.

The descent begins at (0, 2), with the book's rate, on two single numbers.
"""

from __future__ import annotations

import numpy as np

from workloads import Case, Check

LEFT_OUT: dict[str, str] = {}
ROUNDS: dict[str, int] = {}

RATE = 0.001


def rosenbrock(x0, x1):
    return 100 * (x1 - x0**2) ** 2 + (x0 - 1) ** 2


def by_hand(x0, x1):
    rise, run = x1 - x0 * x0, x0 - 1.0
    g1 = 200.0 * rise
    return 100.0 * rise * rise + run * run, [2.0 * run - 2.0 * x0 * g1, g1]


def cases(lib):
    start = [np.array(0.0), np.array(2.0)]
    _, gradients = by_hand(*start)
    yield Case("gradient", lib.gradient(rosenbrock, *start, by_hand=by_hand), gradients)

    step, parameters = lib.descent(rosenbrock, start, RATE, by_hand=by_hand)
    moved = [x - RATE * g for x, g in zip(start, gradients, strict=True)]
    yield Check("first descent step", lambda: step() or parameters(), moved)
    yield Case("descent step", step)
