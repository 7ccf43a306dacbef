"""A step of Hamiltonian Monte Carlo: 10 leapfrog steps with the gradient of a logistic regression.

There are 1,000 rows of 20 numbers, and a normal prior. Each leapfrog step takes the gradient of the
negative logarithm of the posterior; the result is the new place, the new momentum and the energy.
"""

from __future__ import annotations

import numpy as np
import programs

LEFT_OUT = programs.LEFT_OUT
ROUNDS: dict[str, int] = {}

STEPS, FEW = 10, 2
ROWS, COLUMNS, SIZE_OF_STEP = 1_000, 20, 0.01


def made(lib, steps):
    h = SIZE_OF_STEP

    def move(q, p, x, signs):
        def potential(q):
            return len(signs) * lib.log_loss(x @ q, signs) + 0.5 * q @ q

        slope = lib.value_and_gradients(potential, 1)

        def step(state):
            q, p, _, g = state
            p = p - h / 2.0 * g
            q = q + h * p
            value, g = slope(q)
            return q, p - h / 2.0 * g, value, g

        q, p, value, _ = lib.loop(step, (q, p, *slope(q)), steps)
        return [q, p, value + 0.5 * p @ p]

    return move


def by_hand(steps, q, p, x, signs):
    h = SIZE_OF_STEP

    def slope(q):
        margins = signs * (x @ q)
        value = np.sum(np.logaddexp(0.0, -margins)) + 0.5 * q @ q
        return value, q - (signs / (1.0 + np.exp(margins))) @ x

    value, g = slope(q)
    for _ in range(steps):
        p = p - h / 2.0 * g
        q = q + h * p
        value, g = slope(q)
        p = p - h / 2.0 * g
    return [q, p, value + 0.5 * p @ p]


def data(steps):
    random = np.random.default_rng(0)
    x = random.normal(size=(ROWS, COLUMNS))
    signs = np.where(x @ random.normal(size=COLUMNS) > 0.0, 1.0, -1.0)
    return random.normal(0.0, 0.1, COLUMNS), random.normal(size=COLUMNS), x, signs


def cases(lib):
    return programs.Program(made, by_hand, data, STEPS, FEW).cases(lib)
