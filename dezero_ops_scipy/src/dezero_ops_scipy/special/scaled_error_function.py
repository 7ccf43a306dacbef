"""Derivatives of erfcx, by which those of wofz, dawsn and log_ndtr are computed as well.

``e[n]``, the derivative of order n, is ``2 z e[n-1] + 2 (n - 1) e[n-2]``, of which no right digit
is left where z is large. But on the right of the imaginary axis no other solution of this
recurrence falls as fast, and the ratio of two of its elements is a continued fraction. On the axis
itself that does not converge: so it is computed at ``z + 2``, and from there a Taylor series, in
which little cancels, leads back.

Source: Gautschi 1970; NIST DLMF 7.9 and 7.18.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Elementwise

from dezero_core.extend import Array

from .cases import by_cases
from .limits import finite, quietly
from .squares import exp_of_square

ROOT_HALF, TWO_BY_ROOT_PI = math.sqrt(0.5), 2.0 / math.sqrt(math.pi)
SHIFT, TERMS = 2.0, 60


def falling_ratios(z: Array, order: int) -> Iterator[tuple[int, Array]]:
    """Yield n and ``-e[n+1] / e[n]``, from an n far above `order` to n = 0."""
    ratio: Any = 0.0
    for n in range(order + TERMS - 1, -1, -1):
        ratio = 2.0 * (n + 1) / (2.0 * z + ratio)
        yield n, ratio


def right_derivative(order: int, z: Array) -> Array:
    """Return ``e[order]`` for numbers whose real part is not negative."""
    z = z + SHIFT
    series, product = 1.0, TWO_BY_ROOT_PI
    for n, ratio in falling_ratios(z, order):
        if n >= order:
            series = 1.0 + SHIFT / (n - order + 1) * ratio * series
        else:
            product = -product * ratio
    return product * series / (2.0 * z + ratio)


def moment_ratio(k: int, x: Array) -> Array:
    """Return the quotient of the moments `k` and `k` - 1 of ``exp(x u - u**2 / 2)`` over u > 0.

    For x up to 0, it is that of two derivatives, each of them by the series.
    """
    z = SHIFT - ROOT_HALF * x
    upper = lower = 1.0
    for n, ratio in falling_ratios(z, k):  # pragma: no branch (it is left by the break)
        if n >= k:
            upper = 1.0 + SHIFT / (n - k + 1) * ratio * upper
        lower = 1.0 + SHIFT / (n - k + 2) * ratio * lower
        if n == k - 1:
            break
    return ROOT_HALF * ratio * upper / lower


@quietly
def exp_of_inverse(erfc: Array, y: Array) -> Array:
    """Return ``exp(y**2)`` of a y from 0 on, given ``erfc(y)``; inf where y is.

    From 1 on it is the quotient of erfcx and erfc: a last digit of y can be hundreds of those of
    the power.
    """
    return by_cases(y < 1.0, lambda _, y: np.exp(y * y), _exp_by_quotient, erfc, y)


def _exp_by_quotient(erfc: Array, y: Array) -> Array:
    return np.where(y == np.inf, np.inf, scipy.special.erfcx(y) / erfc)


class ErfcxDerivative(Elementwise):
    """``e[n]``, real or complex, and de[n] = e[n+1] dz."""

    def __init__(self, order: int) -> None:
        self.order = order

    @quietly
    def forward(self, z: Array) -> Array:
        # On the left, erfcx(z) = 2 exp(z**2) - erfcx(-z).
        is_left = np.real(z) < 0.0
        left = np.where(is_left, z, 0.0)
        y = right_derivative(self.order, np.where(is_left, -z, z))
        mirrored = 2.0 * _of_exp_of_square(self.order, left) - (-1.0) ** self.order * y
        return np.where(is_left, mirrored, y)

    def backward(self, gy: Array) -> Array:
        with np.errstate(all="ignore"):
            return gy * ErfcxDerivative(self.order + 1).of(self.inputs[0].data)


def _of_exp_of_square(order: int, z: Array) -> Array:
    """Return the derivative of ``exp(z**2)`` of an order; z is not on the right."""
    before: Any = 0.0
    factor: Any = 1.0
    for n in range(order):
        before, factor = factor, 2.0 * z * factor + 2.0 * n * before
    return factor * exp_of_square(1.0, z)


class DawsonDerivative(Elementwise):
    """The derivative of Dawson's integral of an order; its own is that of the next.

    Near 0, where not much cancels, it is ``-2 z d[n-1] - 2 (n - 1) d[n-2]``.
    """

    def __init__(self, order: int) -> None:
        self.order = order

    @quietly
    def forward(self, z: Array) -> Array:
        is_near = np.abs(z) < 1.0
        near, far = np.where(is_near, z, 0.0), np.where(is_near, 2.0, z)
        return np.where(is_near, self._near(near), self._far(far))

    def _near(self, z: Array) -> Array:
        before, d = scipy.special.dawsn(z), 1.0 - 2.0 * z * scipy.special.dawsn(z)
        for n in range(1, self.order):
            before, d = d, -2.0 * z * d - 2.0 * n * before
        return d

    def _far(self, z: Array) -> Array:
        """Above the real axis, d[0] is ``1j sqrt(pi) / 2`` times exp(-z**2) - erfcx(-1j z)."""
        factor = 1j ** (self.order + 1) / TWO_BY_ROOT_PI
        if not np.iscomplexobj(z):  # and the real part of the difference is 0
            others = right_derivative(self.order, -1j * finite(z))
            return ((-1.0) ** (self.order + 1) * factor * others).real
        sign = np.where(z.imag < 0.0, -1.0, 1.0)
        u = sign * 1j * z
        others = (-1.0) ** self.order * right_derivative(self.order, -u)
        return sign ** (self.order + 1) * factor * (_of_exp_of_square(self.order, u) - others)

    def backward(self, gy: Array) -> Array:
        with np.errstate(all="ignore"):
            return gy * DawsonDerivative(self.order + 1).of(self.inputs[0].data)
