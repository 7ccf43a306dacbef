"""Distributions of positive numbers with formulas of elementary functions."""

from __future__ import annotations

import numpy as np

from dezero_core.extend import Operand

from ..special.entropy import xlogy
from .declaring import distribution
from .univariate import Continuous


class Expon(Continuous):
    """an exponential distribution

    Source: Johnson, Kotz and Balakrishnan 1994, chapter 19.

    >>> scale = Variable(np.array(2.0))
    >>> expon.logpdf(np.array([0.5, 3.0]), scale=scale).sum().backward()
    >>> scale.grad
    array(-0.125)
    """

    lower = 0.0

    def log_density(self, y: Operand) -> Operand:
        return -y

    def below(self, y: Operand) -> Operand:
        return -np.expm1(-y)

    def above(self, y: Operand) -> Operand:
        return np.exp(-y)

    def log_above(self, y: Operand) -> Operand:
        return -y

    def quantile(self, q: Operand) -> Operand:
        return -np.log1p(-q)

    def information(self) -> Operand:
        return 1.0


class Pareto(Continuous):
    """a Pareto distribution

    b: the shape, above 0.
    Source: Johnson, Kotz and Balakrishnan 1994, chapter 20.

    >>> b = Variable(np.array(2.0))
    >>> pareto.logpdf(np.exp(1.0), b).backward()
    >>> b.grad
    array(-0.5)
    """

    lower = 1.0
    typical = (2.0, 1.0)

    def log_density(self, y: Operand, b: Operand) -> Operand:
        return np.log(b) - (b + 1.0) * np.log(y)

    def below(self, y: Operand, b: Operand) -> Operand:
        return -np.expm1(-b * np.log(y))

    def above(self, y: Operand, b: Operand) -> Operand:
        return np.exp(-b * np.log(y))

    def log_above(self, y: Operand, b: Operand) -> Operand:
        return -b * np.log(y)

    def quantile(self, q: Operand, b: Operand) -> Operand:
        return np.exp(-np.log1p(-q) / b)

    def information(self, b: Operand) -> Operand:
        return 1.0 + 1.0 / b - np.log(b)


class WeibullMin(Continuous):
    """a Weibull distribution

    c: the shape, above 0.
    Source: Johnson, Kotz and Balakrishnan 1994, chapter 21.

    >>> c = Variable(np.array(2.0))
    >>> weibull_min.logpdf(1.0, c).backward()
    >>> c.grad
    array(0.5)
    """

    lower = 0.0

    def log_density(self, y: Operand, c: Operand) -> Operand:
        return np.log(c) + xlogy(c - 1.0, y) - y**c

    def density(self, y: Operand, c: Operand) -> Operand:
        return c * y ** (c - 1.0) * np.exp(-(y**c))

    def below(self, y: Operand, c: Operand) -> Operand:
        return -np.expm1(-(y**c))

    def above(self, y: Operand, c: Operand) -> Operand:
        return np.exp(-(y**c))

    def log_above(self, y: Operand, c: Operand) -> Operand:
        return -(y**c)

    def quantile(self, q: Operand, c: Operand) -> Operand:
        return (-np.log1p(-q)) ** (1.0 / c)

    def information(self, c: Operand) -> Operand:
        return 1.0 + np.euler_gamma * (1.0 - 1.0 / c) - np.log(c)


expon = distribution(Expon, x=(0.4, 3.0))
pareto = distribution(Pareto, x=(1.6, 4.0), b=(0.8, 3.0))
weibull_min = distribution(WeibullMin, name="weibull_min", x=(0.4, 2.0), c=(0.8, 3.0))
