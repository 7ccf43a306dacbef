"""Squares with the digits that rounding takes from them, and exponentials of squares.

Of a square of 700, half of the last digit is 256 of those of its exponential.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from dezero_ops_math.declaring import Elementwise

from dezero_core.extend import Array

from ..arguments import floating
from .cases import by_cases
from .limits import quietly


def exact_square(z: Array) -> tuple[Array, Array]:
    """Return the rounded ``z**2``, real or complex, and what rounding took from it."""
    z = z * floating(z).type(1.0)
    if not np.iscomplexobj(z):
        return exact_product(z, z)
    (x, of_x), (y, of_y) = (exact_product(part, part) for part in (z.real, z.imag))
    (xy, of_xy), (real, of_real) = exact_product(z.real, z.imag), exact_sum(x, -y)
    return real + 2j * xy, of_real + (of_x - of_y) + 2j * of_xy


def exact_sum(x: Array, y: Array) -> tuple[Array, Array]:
    """Return the rounded sum of two real numbers, and what rounding took; 0 if that is not finite.

    Source: Møller 1965.
    """
    total = x + y
    back = total - x
    lost = (x - (total - back)) + (y - back)
    return total, np.where(np.isfinite(lost), lost, 0.0)


def exact_product(x: Array, y: Array) -> tuple[Array, Array]:
    """Return the same of the product: those of halves of the digits are not rounded.

    Source: Dekker 1971.
    """
    product = x * y
    (x_high, x_low), (y_high, y_low) = _halves(x), _halves(y)
    lost = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    return product, np.where(np.isfinite(lost), lost, 0.0)


def _halves(x: Array) -> tuple[Array, Array]:
    wide = (4097.0 if x.dtype == np.float32 else 134217729.0) * x  # 2**12 + 1, 2**27 + 1
    high = wide - (wide - x)
    return high, x - high


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
