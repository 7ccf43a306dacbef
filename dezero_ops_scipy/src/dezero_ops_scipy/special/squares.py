"""Exponentials of squares, with all digits.

Of a square of 700, half of the last digit is 256 of those of its exponential.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from dezero_ops_math.declaring import Elementwise

from dezero_core.extend import Array

from .cases import by_cases
from .limits import quietly
from .rounding import exact_square


def exp_of_square(factor: float, z: Array) -> Array:
    """Return ``exp(factor * z**2)`` with all digits, for powers of 2 and their negatives."""
    if z.dtype.kind == "c":
        return _exactly(factor, z)
    # Of an exponent up to 2, rounding takes less than 2 of the last digits of the exponential.
    near = np.abs(z) < math.sqrt(2.0 / abs(factor))
    return by_cases(near, lambda z: np.exp(factor * (z * z)), partial(_exactly, factor), z)


@quietly
def _exactly(factor: float, z: Array) -> Array:
    square, lost = exact_square(z)
    return np.exp(factor * square) * (1.0 + factor * lost)


class Gaussian(Elementwise):
    """``y = exp(-f z**2)`` with f a power of 2, and dy = -2 f z y dz."""

    saves = ("inputs", "outputs")

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def forward(self, z: Array) -> Array:
        return exp_of_square(-self.factor, z)

    def backward(self, gy: Array) -> Array:
        z = self.inputs[0].data
        if z.dtype.kind != "c":
            z = np.clip(z, -1e4, 1e4)  # beyond, y is 0, and so is this times it, also for inf
        return gy * (z * (-2.0 * self.factor * self.outputs[0]().data))
