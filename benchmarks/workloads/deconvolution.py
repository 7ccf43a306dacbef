"""A picture of 256 x 256 that is blurred: how well one fits it, with its total variation.

The blur is a product in the frequencies of `rfft2`. The value is half the square of the distance
from the blurred picture, plus a multiple of the total variation, smoothed; its gradient is that by
the picture.
"""

from __future__ import annotations

import functools

import numpy as np
import programs

LEFT_OUT = programs.LEFT_OUT
ROUNDS: dict[str, int] = {}

SIZE, FEW = 256, 16
WEIGHT, SMOOTH = 0.01, 1e-6


def misfit(lib, picture, seen, transfer):
    xp = lib.xp
    blurred = xp.fft.irfft2(xp.fft.rfft2(picture) * transfer, picture.shape)
    corner = picture[:-1, :-1]
    down, right = picture[1:, :-1] - corner, picture[:-1, 1:] - corner
    variation = xp.sum(xp.sqrt(down * down + right * right + SMOOTH))
    return 0.5 * xp.sum((blurred - seen) ** 2) + WEIGHT * variation


def by_hand(size, picture, seen, transfer):
    def through(image, frequencies):
        return np.fft.irfft2(np.fft.rfft2(image) * frequencies, image.shape)

    difference = through(picture, transfer) - seen
    corner = picture[:-1, :-1]
    down, right = picture[1:, :-1] - corner, picture[:-1, 1:] - corner
    lengths = np.sqrt(down * down + right * right + SMOOTH)
    value = 0.5 * np.sum(difference * difference) + WEIGHT * np.sum(lengths)
    gradient = through(difference, transfer.conj())
    down, right = WEIGHT * down / lengths, WEIGHT * right / lengths
    gradient[1:, :-1] += down
    gradient[:-1, 1:] += right
    gradient[:-1, :-1] -= down + right
    return [value, gradient]


def data(size):
    picture, seen = np.random.default_rng(0).uniform(size=(2, size, size))
    places = np.arange(size) - size // 2
    kernel = np.exp(-(places[:, np.newaxis] ** 2 + places**2) / 8.0)
    return picture, seen, np.fft.rfft2(np.fft.ifftshift(kernel / kernel.sum()))


def made(lib, size):
    return lib.value_and_gradients(functools.partial(misfit, lib), 1)


def cases(lib):
    return programs.Program(made, by_hand, data, SIZE, FEW).cases(lib)
