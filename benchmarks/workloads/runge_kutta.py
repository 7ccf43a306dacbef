"""A neural ordinary differential equation by Runge and Kutta's method: 200 steps, and its gradient.

The slope is a network, 2 to 50 to 2, with one tanh. There are 20 rows. The value is the mean square
of the distance from given ends; its gradients are those by the weights and biases of the network.
"""

from __future__ import annotations

import functools

import numpy as np
import programs

LEFT_OUT = programs.LEFT_OUT
ROUNDS: dict[str, int] = {}

STEPS, FEW = 200, 3
ROWS, HIDDEN = 20, 50


def distance(lib, steps, weight1, bias1, weight2, bias2, start, end):
    h = 1.0 / steps

    def slope(y):
        return lib.xp.tanh(y @ weight1 + bias1) @ weight2 + bias2

    def step(y):
        k1 = slope(y)
        k2 = slope(y + h / 2.0 * k1)
        k3 = slope(y + h / 2.0 * k2)
        k4 = slope(y + h * k3)
        return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    y = lib.loop(step, start, steps)
    return lib.xp.mean((y - end) ** 2)


def by_hand(steps, weight1, bias1, weight2, bias2, start, end):
    h, y, kept = 1.0 / steps, start, []
    for _ in range(steps):
        k, stages = np.zeros_like(y), []
        for part in (0.0, h / 2.0, h / 2.0, h):
            at = y + part * k
            hidden = np.tanh(at @ weight1 + bias1)
            k = hidden @ weight2 + bias2
            stages.append((at, hidden, k))
        kept.append([(at, hidden) for at, hidden, _ in stages])
        k1, k2, k3, k4 = (k for *_, k in stages)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    gradients = [np.zeros_like(each) for each in (weight1, bias1, weight2, bias2)]
    g = 2.0 / y.size * (y - end)
    for stages in reversed(kept):
        before, back, following = g, np.zeros_like(g), 0.0
        for (at, hidden), share, part in zip(
            reversed(stages), (1.0, 2.0, 2.0, 1.0), (h, h / 2.0, h / 2.0, 0.0), strict=True
        ):
            gk = h * share / 6.0 * before + following * back
            ghidden = gk @ weight2.T * (1.0 - hidden * hidden)
            back, following = ghidden @ weight1.T, part
            g = g + back
            found = at.T @ ghidden, ghidden.sum(axis=0), hidden.T @ gk, gk.sum(axis=0)
            for total, each in zip(gradients, found, strict=True):
                total += each
    return [np.mean((y - end) ** 2), *gradients]


def data(steps):
    random = np.random.default_rng(0)
    weights = random.normal(0.0, 0.5, (2, HIDDEN)), random.normal(0.0, 0.1, (HIDDEN, 2))
    biases = random.normal(0.0, 0.1, HIDDEN), random.normal(0.0, 0.1, 2)
    return weights[0], biases[0], weights[1], biases[1], *random.normal(size=(2, ROWS, 2))


def made(lib, steps):
    return lib.value_and_gradients(functools.partial(distance, lib, steps), 4)


def cases(lib):
    return programs.Program(made, by_hand, data, STEPS, FEW).cases(lib)
