"""The heat equation on a grid of 256 x 256, 200 steps: by slices, and by `np.roll`.

A step adds the differences from the four neighbours to each point. By slices, the edge of the grid
is kept; by `np.roll`, the grid has no edge. The value is the mean square of the distance from a
given end; its gradient is that by the start. Nothing has to be kept for it, since a step is linear.
"""

from __future__ import annotations

import functools

import numpy as np
import programs

LEFT_OUT = programs.LEFT_OUT
ROUNDS: dict[str, int] = {}

STEPS, FEW = 200, 3
GRID, RATE = 256, 0.2


def by_slices(u):
    return u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]


def by_roll(xp, u):
    return xp.roll(u, 1, 0) + xp.roll(u, -1, 0) + xp.roll(u, 1, 1) + xp.roll(u, -1, 1) - 4.0 * u


def slices(lib):
    """Return a step."""
    return lambda u: u + lib.pad(RATE * by_slices(u), 1)


def roll(lib):
    return lambda u: u + RATE * by_roll(lib.xp, u)


def distance(lib, step, steps, u, end):
    u = lib.loop(step, u, steps)
    return lib.xp.mean((u - end) ** 2)


def slices_transposed(g):
    """Return the product of the transposed matrix of `by_slices` with the inside of a grid."""
    inside, product = g[1:-1, 1:-1], np.zeros_like(g)
    product[2:, 1:-1] += inside
    product[:-2, 1:-1] += inside
    product[1:-1, 2:] += inside
    product[1:-1, :-2] += inside
    product[1:-1, 1:-1] -= 4.0 * inside
    return product


def by_hand(differences, transposed, steps, u, end):
    """Return the value and the gradient. The matrix of `np.roll` is its own transposed one."""
    for _ in range(steps):
        u = u + RATE * differences(u)
    value, g = np.mean((u - end) ** 2), 2.0 / u.size * (u - end)
    for _ in range(steps):
        g = g + RATE * transposed(g)
    return [value, g]


def data(steps):
    return list(np.random.default_rng(0).normal(size=(2, GRID, GRID)))


WAYS = {
    "slices": (slices, lambda u: np.pad(by_slices(u), 1), slices_transposed),
    "roll": (roll, *[functools.partial(by_roll, np)] * 2),
}


def cases(lib):
    for name, (way, *derived) in WAYS.items():

        def made(lib, steps, way=way):
            f = functools.partial(distance, lib, way(lib), steps)
            return lib.value_and_gradients(f, 1)

        hand = functools.partial(by_hand, *derived)
        yield from programs.Program(made, hand, data, STEPS, FEW, name).cases(lib)
