"""The derivatives of Gamma, of 1 / Gamma and of quotients, also at their zeros."""

from __future__ import annotations

from functools import partial
from math import comb
from typing import Any

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Elementwise

from dezero_core.extend import Array

from ..arguments import floating, wide
from .bell_polynomials import bell_polynomial
from .beta_functions import PolygammaDifference, gamma_ratio
from .cases import by_cases
from .limits import quietly
from .polygamma_functions import psi_of
from .rounding import sum_error


class GammaDerivative(Elementwise):
    """The derivative of Gamma of an order; its own is that of the next."""

    def __init__(self, order: int) -> None:
        self.order = order

    @quietly
    def forward(self, z: Array) -> Array:
        return scipy.special.gamma(z) * _bell(z, self.order)

    def backward(self, gy: Array) -> Array:
        return gy * GammaDerivative(self.order + 1).of(self.inputs[0].data)


class RgammaDerivative(Elementwise):
    """The derivative of 1 / Gamma of an order; its own is that of the next.

    Next to the zeros, where psi has poles, ``1 / Gamma(z) = Gamma(1 - z) sin(pi z) / pi`` is
    differentiated by Leibniz's rule.
    """

    def __init__(self, order: int) -> None:
        self.order = order

    @quietly
    def forward(self, z: Array) -> Array:
        # Of order 1, terms do not cancel next to the zero at 0.
        lowest = 1e-300 if self.order == 1 and not np.iscomplexobj(z) else 0.25
        usual = np.greater(np.real(z), lowest) & (z != np.inf)
        return by_cases(usual, self._usual, self._careful, z)

    def _usual(self, z: Array) -> Array:
        slope = -scipy.special.psi(z) if self.order == 1 else _bell(z, self.order, -1.0)
        return slope / scipy.special.gamma(z)  # faster than rgamma

    def _careful(self, z: Array) -> Array:
        is_near = _is_near_pole(z)
        away, near = np.where(is_near, 1.0, z), np.where(is_near, z, 0.0)
        y = scipy.special.rgamma(away) * _bell(away, self.order, -1.0)
        y = np.where(away == np.inf, 0.0, y)
        return np.where(is_near, self._near(near), y).astype(floating(z))

    def _near(self, z: Array) -> Array:
        nearest = np.round(np.real(z))
        angle = np.pi * (z - nearest)
        waves = np.sin(angle) / np.pi, np.cos(angle)
        total, end = 0.0, 1.0 - z
        for n in range(self.order + 1):
            wave = waves[n % 2] * (-(np.pi**2)) ** (n // 2)
            rest = self.order - n
            total = total + comb(self.order, n) * (-1.0) ** rest * _bell(end, rest) * wave
        sign = 1.0 - 2.0 * np.mod(nearest, 2.0)
        rounded = sum_error(1.0, -z) * psi_of(0, end)
        return sign * scipy.special.gamma(end) * (1.0 + rounded) * total

    def backward(self, gy: Array) -> Array:
        return gy * RgammaDerivative(self.order + 1).of(self.inputs[0].data)


def _is_near_pole(z: Array) -> Array:
    return _distance(z) < 0.25


def _distance(z: Array) -> Array:
    """Return how far the nearest pole of Gamma is: 0, -1, -2, ..."""
    return np.abs(z - np.minimum(np.round(np.real(z)), 0.0))


def _bell(z: Array, order: int, sign: float = 1.0) -> Any:
    """Return the derivative of Gamma or, of sign -1, of 1 / Gamma, over the value."""
    if order == 1:
        return sign * psi_of(0, z)
    return bell_polynomial(lambda n, _: sign * psi_of(n - 1, z), order)


class PochDerivative(Elementwise):
    """The derivative of `poch`, of order `by_z` by z and `by_m` by m.

    At a zero, where `z` is a pole of Gamma and ``z + m`` is none, ``Gamma(z + m)`` times
    ``1 / Gamma(z)`` is differentiated by Leibniz's rule; elsewhere the exponential of a logarithm.
    """

    def __init__(self, by_z: int, by_m: int) -> None:
        self.by_z, self.by_m = by_z, by_m

    def forward(self, z: Array, m: Array) -> Array:
        dtype, (z, m) = floating(z, m), wide(z, m)
        with np.errstate(all="ignore"):
            # Much nearer to a pole than z + m.
            at_zero = _is_near_pole(z) & (4.0 * _distance(z) < _distance(z + m)) & (self.by_z > 0)
            ratio = bell_polynomial(partial(_slope_of_poch, z, m), self.by_z, self.by_m)
            y = gamma_ratio(z, m) * ratio
            if at_zero.any():
                y = np.where(at_zero, self._at_zero(z, m), y)
        return y.astype(dtype)

    def _at_zero(self, z: Array, m: Array) -> Array:
        total, end = 0.0, z + m
        for n in range(self.by_z + 1):
            slope = _bell(end, self.by_z - n + self.by_m)
            total = total + comb(self.by_z, n) * slope * RgammaDerivative(n).forward(z)
        return scipy.special.gamma(end) * (1.0 + sum_error(z, m) * psi_of(0, end)) * total

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        z, m = (x.data for x in self.inputs)
        of_z, of_m = self.needs_grad
        return (
            gy * PochDerivative(self.by_z + 1, self.by_m).of(z, m) if of_z else None,
            gy * PochDerivative(self.by_z, self.by_m + 1).of(z, m) if of_m else None,
        )


def _slope_of_poch(z: Array, m: Array, by_z: int, by_m: int) -> Array:
    """Return the derivative of ``log(poch(z, m))`` of these orders."""
    return psi_of(by_z + by_m - 1, z + m) if by_m else PolygammaDifference(by_z - 1).forward(z, m)
