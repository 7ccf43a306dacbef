"""The likelihood of a Gaussian process with 500 points, and its gradient.

The kernel is that of squared distances, with noise. The value is the negative logarithm of the
likelihood, by Cholesky's factor; its gradients are those by the logarithms of the length, of the
scale and of the noise. A library solves with the factor as its users do: JAX and PyTorch have a
function for triangular matrices, and NumPy has not.
"""

from __future__ import annotations

import functools

import numpy as np
import programs

LEFT_OUT = programs.LEFT_OUT
ROUNDS: dict[str, int] = {}

POINTS, FEW = 500, 20


def likelihood(lib, log_length, log_scale, log_noise, x, y, eye):
    xp = lib.xp
    z = x / xp.exp(log_length)
    squares = xp.sum(z * z, axis=1)
    distances = squares[:, np.newaxis] + squares - 2.0 * z @ z.T
    kernel = xp.exp(2.0 * log_scale) * xp.exp(-0.5 * distances) + xp.exp(2.0 * log_noise) * eye
    factor = xp.linalg.cholesky(kernel)
    whitened = lib.solve_lower(factor, y)
    logarithms = xp.sum(xp.log(xp.diagonal(factor)))
    return 0.5 * whitened @ whitened + logarithms + 0.5 * len(y) * np.log(2.0 * np.pi)


def by_hand(points, log_length, log_scale, log_noise, x, y, eye):
    z = x / np.exp(log_length)
    squares = np.sum(z * z, axis=1)
    distances = squares[:, np.newaxis] + squares - 2.0 * z @ z.T
    smooth, noise = np.exp(2.0 * log_scale - 0.5 * distances), np.exp(2.0 * log_noise)
    inverse_factor = np.linalg.inv(np.linalg.cholesky(smooth + noise * eye))
    inverse = inverse_factor.T @ inverse_factor
    solved = inverse @ y
    value = 0.5 * y @ solved - np.sum(np.log(np.diagonal(inverse_factor)))
    value += 0.5 * points * np.log(2.0 * np.pi)
    g = 0.5 * (inverse - np.outer(solved, solved))
    g_noise, g = 2.0 * noise * np.trace(g), g * smooth
    return [value, np.sum(g * distances), 2.0 * np.sum(g), g_noise]


def data(points):
    random = np.random.default_rng(0)
    x = random.uniform(0.0, 10.0, (points, 3))
    y = np.sin(x[:, 0]) + 0.1 * random.normal(size=points)
    return np.array(0.1), np.array(0.2), np.array(-1.0), x, y, np.eye(points)


def made(lib, points):
    return lib.value_and_gradients(functools.partial(likelihood, lib), 3)


def cases(lib):
    return programs.Program(made, by_hand, data, POINTS, FEW).cases(lib)
