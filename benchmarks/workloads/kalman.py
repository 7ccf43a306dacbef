"""The likelihood of a Kalman filter, and its gradient: 4 states, 500 steps.

The state is a place and a velocity in the plane; the places are seen, with noise. The value is the
logarithm of the likelihood of what is seen. Its gradients are those by the matrix of the transition
and by the covariances of both noises. In each step, the covariance of the innovation, 2 x 2, is
inverted. The program by hand goes back through the steps with what it kept of each.
"""

from __future__ import annotations

import functools

import numpy as np
import programs

LEFT_OUT = programs.LEFT_OUT
ROUNDS: dict[str, int] = {}

STEPS, FEW = 500, 4

OBSERVE = np.eye(4)[:2]
START, SPREAD = np.zeros(4), np.eye(4)


def likelihood(lib, steps, transition, process, noise, seen):
    linalg = lib.xp.linalg
    observe, start = lib.constant(OBSERVE), (lib.constant(START), lib.constant(SPREAD))

    def step(state, y):
        x, p, total = state
        x = transition @ x
        p = transition @ p @ transition.T + process
        innovation = y - observe @ x
        s = observe @ p @ observe.T + noise
        inverse = linalg.inv(s)
        gain = p @ observe.T @ inverse
        total = total + innovation @ inverse @ innovation + linalg.slogdet(s)[1]
        return x + gain @ innovation, p - gain @ observe @ p, total

    *_, total = lib.loop(step, (*start, 0.0), steps, seen)
    return -0.5 * (total + steps * len(OBSERVE) * np.log(2.0 * np.pi))


def by_hand(steps, transition, process, noise, seen):
    x, p, total, kept = START, SPREAD, 0.0, []
    for y in seen:
        x1 = transition @ x
        p1 = transition @ p @ transition.T + process
        v = y - OBSERVE @ x1
        s = OBSERVE @ p1 @ OBSERVE.T + noise
        w = np.linalg.inv(s)
        k = p1 @ OBSERVE.T @ w
        kept.append((x, p, p1, v, w, k))
        total += v @ w @ v + np.linalg.slogdet(s)[1]
        x, p = x1 + k @ v, p1 - k @ OBSERVE @ p1

    gx, gp = np.zeros_like(START), np.zeros_like(SPREAD)
    g_transition, g_process, g_noise = map(np.zeros_like, (transition, process, noise))
    for x, p, p1, v, w, k in reversed(kept):
        gp1 = gp - OBSERVE.T @ k.T @ gp
        gk = np.outer(gx, v) - gp @ p1.T @ OBSERVE.T
        gv = k.T @ gx - 0.5 * (w + w.T) @ v
        gw = OBSERVE @ p1.T @ gk - 0.5 * np.outer(v, v)
        gs = -0.5 * w.T - w.T @ gw @ w.T
        gp1 += gk @ w.T @ OBSERVE + OBSERVE.T @ gs @ OBSERVE
        gx1 = gx - OBSERVE.T @ gv
        g_noise += gs
        g_process += gp1
        g_transition += gp1 @ transition @ p.T + gp1.T @ transition @ p + np.outer(gx1, x)
        gp = transition.T @ gp1 @ transition
        gx = transition.T @ gx1
    value = -0.5 * (total + steps * len(OBSERVE) * np.log(2.0 * np.pi))
    return [value, g_transition, g_process, g_noise]


def data(steps):
    random = np.random.default_rng(0)
    transition = np.eye(4)
    transition[0, 2] = transition[1, 3] = 0.1
    seen = 0.1 * np.cumsum(random.normal(size=(steps, 2)), axis=0)
    return transition, 0.01 * np.eye(4), 0.1 * np.eye(2), seen


def made(lib, steps):
    return lib.value_and_gradients(functools.partial(likelihood, lib, steps), 3)


def cases(lib):
    return programs.Program(made, by_hand, data, STEPS, FEW).cases(lib)
