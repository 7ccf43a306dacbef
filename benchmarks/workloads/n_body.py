"""Bodies that attract each other, all pairs: 100 bodies, 100 steps of the leapfrog method.

The distances are softened. The value is the sum of the squares of all places and velocities at the
end; its gradients are those by the places and velocities at the start.
"""

from __future__ import annotations

import functools

import numpy as np
import programs

LEFT_OUT = programs.LEFT_OUT
ROUNDS: dict[str, int] = {}

STEPS, FEW = 100, 3
BODIES, SOFTENING, DT = 100, 0.01, 0.001


def acceleration(xp, x, mass):
    d = x[np.newaxis, :, :] - x[:, np.newaxis, :]
    squares = xp.sum(d * d, axis=2) + SOFTENING
    return xp.sum(d * (mass * squares**-1.5)[:, :, np.newaxis], axis=1)


def spread(lib, steps, x, v, mass):
    xp = lib.xp

    def step(state):
        x, v, a = state
        v = v + DT / 2.0 * a
        x = x + DT * v
        a = acceleration(xp, x, mass)
        return x, v + DT / 2.0 * a, a

    x, v, _ = lib.loop(step, (x, v, acceleration(xp, x, mass)), steps)
    return xp.sum(x * x) + xp.sum(v * v)


def acceleration_back(x, mass, g):
    """Return the gradient by the places, where `g` is that of the accelerations."""
    d = x - x[:, np.newaxis]
    squares = np.sum(d * d, axis=2) + SOFTENING
    weights = mass * squares**-1.5
    g_squares = -1.5 * weights / squares * np.sum(g[:, np.newaxis] * d, axis=2)
    gd = weights[:, :, np.newaxis] * g[:, np.newaxis] + 2.0 * g_squares[:, :, np.newaxis] * d
    return gd.sum(axis=0) - gd.sum(axis=1)


def by_hand(steps, x, v, mass):
    kept, a = [x], acceleration(np, x, mass)
    for _ in range(steps):
        v = v + DT / 2.0 * a
        x = x + DT * v
        a = acceleration(np, x, mass)
        v = v + DT / 2.0 * a
        kept.append(x)
    value, gx, gv, ga = np.sum(x * x) + np.sum(v * v), 2.0 * x, 2.0 * v, np.zeros_like(x)
    for x in reversed(kept[1:]):
        gx = gx + acceleration_back(x, mass, ga + DT / 2.0 * gv)
        gv = gv + DT * gx
        ga = DT / 2.0 * gv
    return [value, gx + acceleration_back(kept[0], mass, ga), gv]


def data(steps):
    random = np.random.default_rng(0)
    x, v = random.normal(size=(2, BODIES, 3))
    return x, 0.1 * v, random.uniform(0.5, 1.5, BODIES)


def made(lib, steps):
    return lib.value_and_gradients(functools.partial(spread, lib, steps), 2)


def cases(lib):
    return programs.Program(made, by_hand, data, STEPS, FEW).cases(lib)
