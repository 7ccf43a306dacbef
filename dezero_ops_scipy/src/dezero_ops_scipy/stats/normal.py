"""The normal distribution, and those that are made of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special
import scipy.stats
from dezero_ops_math.declaring import Elementwise

from dezero_core.extend import Array, Operand, data_of

from ..arguments import floating
from ..special.error_functions import erf, erfc, erfinv
from ..special.normal_distribution import log_ndtr, ndtr, ndtri
from .declaring import distribution
from .univariate import Continuous

LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)
LOG_TWO = math.log(2.0)
ROOT_HALF = math.sqrt(0.5)


class LogNormalDensity(Elementwise):
    """``-y**2 / 2 - log(2 pi) / 2``: one step in place of three."""

    def forward(self, y: Array) -> Array:
        return -0.5 * (y * y) - LOG_ROOT_TWO_PI

    def backward(self, gy: Array) -> Array:
        return -gy * self.inputs[0].data


class Norm(Continuous):
    """a normal distribution

    Source: NIST DLMF 7.20(iii).

    >>> x = Variable(np.array([-40.0, 1.0]))
    >>> norm.logcdf(x).backward()
    >>> x.grad
    array([40.02496885,  0.28759997])
    """

    def log_density(self, y: Operand) -> Operand:
        return LogNormalDensity()(y)

    def below(self, y: Operand) -> Operand:
        return ndtr(y)

    def log_below(self, y: Operand) -> Operand:
        return log_ndtr(y)

    def log_above(self, y: Operand) -> Operand:
        return log_ndtr(-y)

    def quantile(self, q: Operand) -> Operand:
        return ndtri(q)

    def information(self) -> Operand:
        return LOG_ROOT_TWO_PI + 0.5


class HalfNorm(Continuous):
    """a half-normal distribution, that of the absolute value of a normal number

    Source: NIST DLMF 7.20(iii).

    >>> x = Variable(np.array(30.0))
    >>> halfnorm.logsf(x).backward()
    >>> x.grad
    array(-30.03325967)
    """

    lower = 0.0

    def log_density(self, y: Operand) -> Operand:
        return LogNormalDensity()(y) + LOG_TWO

    def below(self, y: Operand) -> Operand:
        return erf(y * ROOT_HALF)

    def above(self, y: Operand) -> Operand:
        return erfc(y * ROOT_HALF)

    def log_above(self, y: Operand) -> Operand:
        near = data_of(y) < 0.5  # where the logarithm of ndtr is near to that of a half
        far = log_ndtr(-np.where(near, 1.0, y)) + LOG_TWO
        return np.where(near, np.log1p(-self.below(np.where(near, y, 0.0))), far)

    def quantile(self, q: Operand) -> Operand:
        return erfinv(q) / ROOT_HALF

    def information(self) -> Operand:
        return LOG_ROOT_TWO_PI - LOG_TWO + 0.5


class LogNorm(Continuous):
    """a log-normal distribution, that of ``exp(s * z)`` of a normal number `z`

    s: the standard deviation of the logarithm, above 0.
    Source: Johnson, Kotz and Balakrishnan 1994, chapter 14.

    >>> s = Variable(np.array(2.0))
    >>> lognorm.logpdf(np.exp(6.0), s).backward()
    >>> s.grad
    array(4.)
    """

    lower, is_open = 0.0, True

    def log_density(self, y: Operand, s: Operand) -> Operand:
        log_y = np.log(y)
        return LogNormalDensity()(log_y / s) - np.log(s) - log_y

    def below(self, y: Operand, s: Operand) -> Operand:
        return ndtr(np.log(y) / s)

    def above(self, y: Operand, s: Operand) -> Operand:
        return ndtr(-np.log(y) / s)

    def log_below(self, y: Operand, s: Operand) -> Operand:
        return log_ndtr(np.log(y) / s)

    def log_above(self, y: Operand, s: Operand) -> Operand:
        return log_ndtr(-np.log(y) / s)

    def quantile(self, q: Operand, s: Operand) -> Operand:
        return np.exp(s * ndtri(q))

    def information(self, s: Operand) -> Operand:
        return np.log(s) + (LOG_ROOT_TWO_PI + 0.5)


class TruncNorm(Continuous):
    """a normal distribution between two ends

    a, b: the ends, less than all that is between; they are of ``(x - loc) / scale``.
    Source: Johnson, Kotz and Balakrishnan 1994, section 13.10.1.

    >>> a = Variable(np.array(0.0))
    >>> truncnorm.logpdf(1.0, a, np.inf).backward()
    >>> a.grad
    array(0.79788456)
    """

    typical = (0.0, -1.0, 1.0)

    def is_valid(self, a: Array, b: Array) -> Any:
        return a < b

    def ends(self, a: Array, b: Array) -> tuple[Any, Any]:
        return a, b

    def log_density(self, y: Operand, a: Operand, b: Operand) -> Operand:
        return log_between(y, a, b)

    def below(self, y: Operand, a: Operand, b: Operand) -> Operand:
        return ShareBelow()(y, a, b)

    def above(self, y: Operand, a: Operand, b: Operand) -> Operand:
        return ShareBelow()(-y, -b, -a)

    def quantile(self, q: Operand, a: Operand, b: Operand) -> Operand:
        return QuantileBetween()(q, a, b)

    def information(self, a: Operand, b: Operand) -> Operand:
        from_a, from_b = (
            np.where(np.isinf(data_of(z)), 0.0, z) * np.exp(log_between(z, a, b)) for z in (a, b)
        )
        return LOG_ROOT_TWO_PI + 0.5 + LogMass()(a, b) + 0.5 * (from_a - from_b)


class LogMass(Elementwise):
    """The logarithm of the probability of normal numbers between a and b."""

    saves = ("inputs", "outputs")

    def forward(self, a: Array, b: Array) -> Array:
        low, high = np.where(a > 0.0, -b, a), np.where(a > 0.0, -a, b)
        above = scipy.special.log_ndtr(high)
        return above + np.log(-np.expm1(scipy.special.log_ndtr(low) - above))

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        (a, b), y = (each.data for each in self.inputs), self.outputs[0]().data
        by_a, by_b = self.needs_grad
        return (
            -gy * np.exp(-0.5 * (a * a) - LOG_ROOT_TWO_PI - y) if by_a else None,
            gy * np.exp(-0.5 * (b * b) - LOG_ROOT_TWO_PI - y) if by_b else None,
        )


def log_between(y: Operand, a: Operand, b: Operand) -> Operand:
    """Return the logarithm of the density between two ends."""
    return LogNormalDensity().of(y) - LogMass().of(a, b)


class ShareBelow(Elementwise):
    """The probability of what is between a and y, of all that is between a and b."""

    saves = ("inputs", "outputs")

    def forward(self, y: Array, a: Array, b: Array) -> Array:
        with np.errstate(divide="ignore"):  # of y = a
            return np.exp(LogMass().forward(a, y) - LogMass().forward(a, b))

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        (y, a, b), share = (each.data for each in self.inputs), self.outputs[0]().data
        factors = (1.0, -ShareBelow().of(-y, -b, -a), -share)
        return tuple(
            gy * (factor * np.exp(log_between(z, a, b))) if wanted else None
            for wanted, factor, z in zip(self.needs_grad, factors, (y, a, b), strict=True)
        )


class QuantileBetween(Elementwise):
    """``y`` with the share `q` of the probability below it."""

    saves = ("inputs", "outputs")

    def forward(self, q: Array, a: Array, b: Array) -> Array:
        return scipy.stats.truncnorm.ppf(q, a, b).astype(floating(q, a, b))

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        (q, a, b), y = (each.data for each in self.inputs), self.outputs[0]().data
        half = 0.5 * (y * y)
        ratios = (
            (1.0 - q) * np.exp(half - 0.5 * (a * a)),
            q * np.exp(half - 0.5 * (b * b)),
        )
        by_q, *by_ends = self.needs_grad
        return (
            gy * np.exp(-log_between(y, a, b)) if by_q else None,
            *(gy * each if wanted else None for wanted, each in zip(by_ends, ratios, strict=True)),
        )


halfnorm = distribution(HalfNorm, x=(0.4, 2.0))
lognorm = distribution(LogNorm, x=(0.4, 3.0), s=(0.5, 2.0))
norm = distribution(Norm, x=(-2.0, 2.0))
truncnorm = distribution(TruncNorm, x=(-0.6, 0.6), a=(-2.5, -1.5), b=(1.2, 2.0))
