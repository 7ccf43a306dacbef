"""Distributions of a place and a width alone, with formulas of elementary functions."""

from __future__ import annotations

import math

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Elementwise

from dezero_core.extend import Array, Operand, data_of

from ..special.elementary import expit, log_expit, logit
from .declaring import distribution
from .univariate import Continuous

LOG_TWO = math.log(2.0)


class Cauchy(Continuous):
    """a Cauchy distribution

    Source: Johnson, Kotz and Balakrishnan 1994, chapter 16.

    >>> x = Variable(np.array([-1e9, 1.0]))
    >>> cauchy.cdf(x).backward()
    >>> x.grad
    array([3.18309886e-19, 1.59154943e-01])
    """

    def log_density(self, y: Operand) -> Operand:
        return -np.log1p(y * y) - math.log(math.pi)

    def below(self, y: Operand) -> Operand:
        return np.arctan2(1.0, -y) / math.pi

    def quantile(self, q: Operand) -> Operand:
        # Far out by the smaller probability, which has all digits there, and near 0 by its distance
        # from 1/2.
        at = data_of(q)
        far, sign = np.abs(at - 0.5) > 0.25, np.sign(at - 0.5)
        smaller = np.where(at < 0.5, q, 1.0 - q)
        near = np.tan(math.pi * np.where(far, 0.0, q - 0.5))
        return np.where(far, sign / np.tan(math.pi * np.where(far, smaller, 0.25)), near)

    def information(self) -> Operand:
        return math.log(4.0 * math.pi)


#: Below this number no probability of `Gumbel` is a number above 0, and the slope of none is.
RARE = -80.0


class Gumbel(Continuous):
    """a Gumbel distribution of the largest of many numbers

    Source: Johnson, Kotz and Balakrishnan 1995, chapter 22.

    >>> x = Variable(np.array(0.0))
    >>> gumbel_r.logcdf(x).backward()
    >>> x.grad
    array(1.)
    """

    def log_density(self, y: Operand) -> Operand:
        return -y - np.exp(-y)

    def density(self, y: Operand) -> Operand:
        y = np.maximum(y, RARE)
        return np.exp(-y - np.exp(-y))

    def below(self, y: Operand) -> Operand:
        return np.exp(-np.exp(-np.maximum(y, RARE)))

    def above(self, y: Operand) -> Operand:
        return -np.expm1(-np.exp(-np.maximum(y, RARE)))

    def log_below(self, y: Operand) -> Operand:
        return -np.exp(-y)

    def quantile(self, q: Operand) -> Operand:
        return -np.log(-np.log(q))

    def information(self) -> Operand:
        return 1.0 + np.euler_gamma


class Laplace(Continuous):
    """a Laplace distribution

    Source: Johnson, Kotz and Balakrishnan 1995, chapter 24.

    >>> loc = Variable(np.array(1.0))
    >>> laplace.logpdf(np.array([0.0, 3.0, 4.0]), loc).sum().backward()
    >>> loc.grad
    array(1.)
    """

    def log_density(self, y: Operand) -> Operand:
        return -np.abs(y) - LOG_TWO

    def below(self, y: Operand) -> Operand:
        negative = data_of(y) < 0.0
        tail = 0.5 * np.exp(np.where(negative, y, 0.0))
        return np.where(negative, tail, 1.0 - 0.5 * np.exp(-np.where(negative, 0.0, y)))

    def log_below(self, y: Operand) -> Operand:
        negative = data_of(y) < 0.0
        above = 0.5 * np.exp(-np.where(negative, 0.0, y))
        return np.where(negative, y - LOG_TWO, np.log1p(-above))

    def log_above(self, y: Operand) -> Operand:
        return self.log_below(-y)

    def quantile(self, q: Operand) -> Operand:
        low = data_of(q) < 0.5
        return np.where(
            low, np.log(2.0 * np.where(low, q, 0.5)), -np.log(2.0 - 2.0 * np.where(low, 0.5, q))
        )

    def information(self) -> Operand:
        return 1.0 + LOG_TWO


class LogisticLogDensity(Elementwise):
    """``-2 log(2 cosh(y / 2))``, and its derivative -tanh(y / 2): a difference of two expits."""

    def forward(self, y: Array) -> Array:
        return scipy.special.log_expit(y) + scipy.special.log_expit(-y)

    def backward(self, gy: Array) -> Array:
        return -gy * np.tanh(0.5 * self.inputs[0].data)


class Logistic(Continuous):
    """a logistic distribution

    Source: Johnson, Kotz and Balakrishnan 1995, chapter 23.

    >>> x = Variable(np.array([-800.0, 0.0]))
    >>> logistic.logcdf(x).backward()
    >>> x.grad
    array([1. , 0.5])
    """

    def log_density(self, y: Operand) -> Operand:
        return LogisticLogDensity()(y)

    def below(self, y: Operand) -> Operand:
        return expit(y)

    def log_below(self, y: Operand) -> Operand:
        return log_expit(y)

    def log_above(self, y: Operand) -> Operand:
        return log_expit(-y)

    def quantile(self, q: Operand) -> Operand:
        return logit(q)

    def information(self) -> Operand:
        return 2.0


class Uniform(Continuous):
    """a uniform distribution from `loc` to ``loc + scale``

    Source: Johnson, Kotz and Balakrishnan 1995, chapter 26.

    >>> scale = Variable(np.array(4.0))
    >>> uniform.logpdf(np.array([1.0, 3.0]), 0.0, scale).sum().backward()
    >>> scale.grad
    array(-0.5)
    """

    lower, upper = 0.0, 1.0
    typical = (0.5,)

    def log_density(self, y: Operand) -> Operand:
        return 0.0 * y

    def below(self, y: Operand) -> Operand:
        return +y

    def above(self, y: Operand) -> Operand:
        return 1.0 - y

    def quantile(self, q: Operand) -> Operand:
        return +q

    def information(self) -> Operand:
        return 0.0


cauchy = distribution(Cauchy, x=(-3.0, 3.0))
gumbel_r = distribution(Gumbel, name="gumbel_r", x=(-1.0, 3.0))
laplace = distribution(Laplace, x=(0.4, 3.0))
logistic = distribution(Logistic, x=(-3.0, 3.0))
uniform = distribution(Uniform, x=(0.3, 0.6))
