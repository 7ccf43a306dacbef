"""The density of the gamma distribution, and its derivatives."""

from __future__ import annotations

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Elementwise

from dezero_core.extend import Array

from ..arguments import doubles, floating, wide
from .cases import by_cases
from .limits import quietly
from .polygamma_functions import Polygamma
from .stirling import LARGE, log1p_less, log_less_digamma, remainder

Gradients = tuple[Array | None, Array | None]


class GammaDensity(Elementwise):
    """``p = x**(a-1) exp(-x) / Gamma(a)`` to a power: 1, or -1 for an inverse function.

    ``dp = p (((a-1)/x - 1) dx + (log(x) - psi(a)) da)``.
    """

    saves = ("inputs", "outputs")

    def __init__(self, power: int = 1) -> None:
        self.power = power

    @quietly
    def forward(self, a: Array, x: Array) -> Array:
        dtype, (a, x) = floating(a, x), doubles(a, x)
        # Where no factor over- or underflows, and a - 1 is not rounded.
        usual = (a >= 0.5) & (a <= 100.0) & (x > 0.0) & (x < 700.0)
        p = by_cases(usual, _of_usual, _of_any, a, x)
        return (p if self.power == 1 else 1.0 / p).astype(dtype)

    def backward(self, gy: Array) -> Gradients:
        a, x = (each.data for each in self.inputs)
        by_a, by_x = self.needs_grad
        p = self.outputs[0]().data
        with np.errstate(all="ignore"):
            return (
                gy * (self.power * p * LogLessDigamma().of(a, x)) if by_a else None,
                gy * GammaDensityByX(self.power).of(a, x) if by_x else None,
            )


def _of_usual(a: Array, x: Array) -> Array:
    return x ** (a - 1.0) * np.exp(-x) * scipy.special.rgamma(a)


def _of_any(a: Array, x: Array) -> Array:
    # By squares of halves, since one factor may overflow or underflow where p does not.
    half = np.exp(-0.5 * x)
    halves = (x ** (0.5 * (a - 1.0)) * half) ** 2
    # Below 1/2, a - 1 would be rounded.
    small = np.where((a < 0.5) & (x > 0.0), x**a / x * half * half, halves)
    small = np.where(x > 2000.0, 0.0, small * scipy.special.rgamma(a))
    # Large terms cancel: so relative to the maximum, with Stirling's series for the rest.
    large = np.exp(a * log1p_less((x - a) / a) - remainder(a))
    large = np.where(x == 0.0, 0.0, np.sqrt(a / (2.0 * np.pi)) / x * large)
    p = np.where(a < 170.0, small, large)
    return np.where((a >= 0.0) & (x >= 0.0), np.where(x == np.inf, 0.0, p), np.nan)


class GammaDensityByX(Elementwise):
    """The derivative of `GammaDensity` by x, with its limits at 0 and infinity."""

    saves = ("inputs", "outputs")

    def __init__(self, power: int) -> None:
        self.power = power

    def forward(self, a: Array, x: Array) -> Array:
        dtype, (a, x) = floating(a, x), wide(a, x)
        with np.errstate(all="ignore"):
            p = GammaDensity(self.power).forward(a, x)
            y = self.power * p * ((a - 1.0 - x) / x)
            if self.power == 1:
                below = np.where(a == 1.0, 0.0, GammaDensity().forward(a - 1.0, x))
                at_0 = np.where(a < 1.0, -np.inf, below) - p  # nan where p is
                y = np.where(x == 0.0, at_0, np.where(x == np.inf, p, y))
        return y.astype(dtype)

    def backward(self, gy: Array) -> Gradients:
        a, x = (each.data for each in self.inputs)
        by_a, by_x = self.needs_grad
        slope = self.power * self.outputs[0]().data
        p = self.power * GammaDensity(self.power).of(a, x)
        with np.errstate(all="ignore"):
            return (
                gy * (slope * LogLessDigamma().of(a, x) + p / x) if by_a else None,
                gy * (slope * ((a - 1.0 - x) / x) - p / x * ((a - 1.0) / x)) if by_x else None,
            )


class LogLessDigamma(Elementwise):
    """``log(x) - digamma(a)``, with all its digits where both terms are large and it is small."""

    def forward(self, a: Array, x: Array) -> Array:
        dtype, (a, x) = floating(a, x), wide(a, x)
        with np.errstate(all="ignore"):
            small = np.log(x) - scipy.special.psi(a)
            excess = (x - a) / a
            log_ratio = np.where(np.abs(excess) > 0.5, np.log(x / a), np.log1p(excess))
            large = log_ratio + log_less_digamma(a)
        return np.where(a < LARGE, small, large).astype(dtype)

    def backward(self, gy: Array) -> Gradients:
        a, x = (each.data for each in self.inputs)
        by_a, by_x = self.needs_grad
        with np.errstate(all="ignore"):
            return -gy * Polygamma(1).of(a) if by_a else None, gy / x if by_x else None
