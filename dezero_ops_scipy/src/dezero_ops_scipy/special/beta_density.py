"""The density of the beta distribution, and its derivatives."""

from __future__ import annotations

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Elementwise

from dezero_core.extend import Array

from ..arguments import doubles, floating, wide
from .beta_functions import BetaByRatio, PolygammaDifference, beta_of_rounded_sum
from .cases import by_cases
from .limits import quietly
from .polygamma_functions import Polygamma
from .rounding import product_error, sum_error
from .stirling import LARGE, log1p_less, log_less_digamma, remainder

Gradients = tuple[Array | None, Array | None, Array | None]


class BetaDensity(Elementwise):
    """``p = x**(a-1) (1-x)**(b-1) / B(a, b)`` to a power: 1, or -1 for an inverse function."""

    saves = ("inputs", "outputs")

    def __init__(self, power: int = 1) -> None:
        self.power = power

    @quietly
    def forward(self, a: Array, b: Array, x: Array) -> Array:
        dtype, (a, b, x) = floating(a, b, x), doubles(a, b, x)
        usual = (np.minimum(a, b) >= 0.5) & (a + b < 34.0) & (x > 0.0) & (x < 1.0)
        p = by_cases(usual, _of_usual, _of_any, a, b, x)
        return (p if self.power == 1 else 1.0 / p).astype(dtype)

    def backward(self, gy: Array) -> Gradients:
        a, b, x = (each.data for each in self.inputs)
        by_a, by_b, by_x = self.needs_grad
        with np.errstate(all="ignore"):
            gp = self.power * gy * self.outputs[0]().data
            return (
                gp * BetaScore(0).of(a, b, x) if by_a else None,
                gp * BetaScore(1).of(a, b, x) if by_b else None,
                gy * BetaDensityByX(self.power).of(a, b, x) if by_x else None,
            )


def _of_usual(a: Array, b: Array, x: Array) -> Array:
    y, power = 1.0 - x, b - 1.0
    lost = (1.0 - y) - x
    corrected = y**power * (1.0 + power * (lost / y))
    total = beta_of_rounded_sum(scipy.special.beta(a, b), a, b)
    return x ** (a - 1.0) * corrected / total


def _of_any(a: Array, b: Array, x: Array) -> Array:
    inside = (x >= 0.0) & (x <= 1.0) & (a >= 0.0) & (b >= 0.0) & (a + b > 0.0)
    p = _by_powers(a, b, x)
    large = (np.minimum(a, b) >= LARGE) & (a + b > 500.0)
    if large.any():
        p = np.where(large, _by_stirling(a, b, x), p)
    return np.where(inside, p, np.nan)


def _by_powers(a: Array, b: Array, x: Array) -> Array:
    y, lost = 1.0 - x, sum_error(1.0, -x)
    corrected = _power(y, b) * np.where(y > 0.0, 1.0 + (b - 1.0) * (lost / y), 1.0)
    return _power(x, a) * corrected / BetaByRatio().forward(a, b, scipy.special.beta(a, b))


def _power(x: Array, a: Array) -> Array:
    """Return ``x**(a - 1)``, where a - 1 is not rounded."""
    return np.where((a < 0.5) & (x > 0.0), x**a / x, x ** (a - 1.0))


def _by_stirling(a: Array, b: Array, x: Array) -> Array:
    """Return the density relative to its maximum, as large powers nearly cancel."""
    y, excess = 1.0 - x, excess_of(a, b, x)
    exponent = remainder(a + b) - remainder(a) - remainder(b)
    for shape, log_x, share in (a, np.log(x), excess / a), (b, np.log1p(-x), -excess / b):
        log_ratio = log_x - np.log(shape / (a + b))
        is_near = np.abs(share) < 0.5
        exponent = exponent + shape * np.where(is_near, log1p_less(share), log_ratio - share)
    p = np.sqrt(a / (a + b) * b / (2.0 * np.pi)) * np.exp(exponent) / (x * y)
    return np.where((x == 0.0) | (y == 0.0), 0.0, p)


def excess_of(a: Array, b: Array, x: Array) -> Array:
    """Return ``x b - (1 - x) a``, which is 0 at the mean, with all its digits."""
    y, lost = 1.0 - x, sum_error(1.0, -x)
    rounded = product_error(x, b) - product_error(y, a) - lost * a
    return (x * b - y * a) + np.where(np.isfinite(rounded), rounded, 0.0)


class BetaDensityByX(Elementwise):
    """The derivative of `BetaDensity` by x, with its limits at 0 and 1."""

    saves = ("inputs", "outputs")

    def __init__(self, power: int) -> None:
        self.power = power

    def forward(self, a: Array, b: Array, x: Array) -> Array:
        dtype, (a, b, x) = floating(a, b, x), wide(a, b, x)
        with np.errstate(all="ignore"):
            y = 1.0 - x
            ratio = -excess_of(a - 1.0, b - 1.0, x) / (x * y)
            slope = self.power * BetaDensity(self.power).forward(a, b, x) * ratio
            if self.power == 1:
                at_0 = np.where(a == 1.0, 1.0 - b, (a - 1.0) * x ** (a - 2.0))
                at_1 = np.where(b == 1.0, a - 1.0, (1.0 - b) * y ** (b - 2.0))
                limit = np.where(x == 0.0, at_0, at_1) / scipy.special.beta(a, b)
                limit = np.where((a >= 0.0) & (b >= 0.0), limit, np.nan)
                slope = np.where((x == 0.0) | (x == 1.0), limit, slope)
        return slope.astype(dtype)

    def backward(self, gy: Array) -> Gradients:
        a, b, x = (each.data for each in self.inputs)
        by_a, by_b, by_x = self.needs_grad
        slope = self.power * self.outputs[0]().data
        p, y = self.power * BetaDensity(self.power).of(a, b, x), 1.0 - x
        with np.errstate(all="ignore"):
            left, right = (a - 1.0) / x, (b - 1.0) / y
            return (
                gy * (slope * BetaScore(0).of(a, b, x) + p / x) if by_a else None,
                gy * (slope * BetaScore(1).of(a, b, x) - p / y) if by_b else None,
                gy * (slope * (left - right) - p * (left / x + right / y)) if by_x else None,
            )


class BetaScore(Elementwise):
    """The derivative of log(p) by a or b: ``log(x) + psi(a + b) - psi(a)``, and of 1 - x and b."""

    def __init__(self, argument: int) -> None:
        self.argument = argument

    def forward(self, a: Array, b: Array, x: Array) -> Array:
        dtype, (a, b, x) = floating(a, b, x), wide(a, b, x)
        with np.errstate(all="ignore"):
            excess = excess_of(a, b, x)
            if self.argument:
                return score(b, a, np.log1p(-x), -excess).astype(dtype)
            return score(a, b, np.log(x), excess).astype(dtype)

    def backward(self, gy: Array) -> Gradients:
        a, b, x = (each.data for each in self.inputs)
        by_a, by_b, by_x = self.needs_grad
        mixed = Polygamma(1).of(a + b)
        own = PolygammaDifference(1).of(*((b, a) if self.argument else (a, b)))
        with np.errstate(all="ignore"):
            return (
                gy * (mixed if self.argument else own) if by_a else None,
                gy * (own if self.argument else mixed) if by_b else None,
                gy / (x - self.argument) if by_x else None,
            )


def score(a: Array, b: Array, log_x: Array, excess: Array) -> Array:
    """Return ``log(x) + psi(a + b) - psi(a)``, where both terms may be large and it is small."""
    direct = log_x + PolygammaDifference(0).forward(a, b)
    share = excess / a
    log_ratio = np.where(np.abs(share) < 0.5, np.log1p(share), log_x + np.log((a + b) / a))
    less = np.where(a < LARGE, np.log(a) - scipy.special.psi(a), log_less_digamma(a))
    return np.where(b < LARGE, direct, log_ratio + less - log_less_digamma(a + b))
