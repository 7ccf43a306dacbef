"""Distributions of integers: by their parameters there are derivatives, by the integers none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.special

from dezero_core.extend import Array, Operand

from ..arguments import refuse_derivative
from ..special.beta_functions import betaln
from ..special.entropy import entr, xlog1py, xlogy
from ..special.gamma_functions import gammaln
from ..special.incomplete_beta import betainc, betaincc
from ..special.incomplete_gamma import gammainc, gammaincc
from .declaring import distribution
from .operands import largest
from .univariate import Discrete


class Bernoulli(Discrete):
    """a Bernoulli distribution, that of 1 with probability `p`, and otherwise of 0

    p: the probability, from 0 to 1.
    Source: Johnson, Kemp and Kotz 2005, section 3.2.

    >>> p = Variable(np.array(0.25))
    >>> bernoulli.logpmf(np.array([1, 0, 0]), p).sum().backward()
    >>> p.grad
    array(1.33333333)
    """

    lower, upper = 0.0, 1.0
    typical = (0.0, 0.5)

    def is_valid(self, p: Array) -> Any:
        return (p >= 0.0) & (p <= 1.0)

    def log_mass(self, k: Operand, p: Operand) -> Operand:
        return xlogy(k, p) + xlog1py(1.0 - k, -p)

    def mass(self, k: Operand, p: Operand) -> Operand:
        return k * p + (1.0 - k) * (1.0 - p)

    def below(self, k: Operand, p: Operand) -> Operand:
        return np.where(np.less(k, 1.0), 1.0 - p, 1.0)  # of the shape of both

    def above(self, k: Operand, p: Operand) -> Operand:
        return np.where(np.less(k, 1.0), p, 0.0)

    def information(self, p: Operand) -> Operand:
        return entr(p) + entr(1.0 - p)


class Binom(Discrete):
    """a binomial distribution

    n: how many draws there are; constants.
    p: the probability of each, from 0 to 1.
    Source: Johnson, Kemp and Kotz 2005, sections 3.2 and 3.4.

    >>> p = Variable(np.array(0.25))
    >>> binom.logpmf(3, 10, p).backward()
    >>> p.grad
    array(2.66666667)
    """

    lower = 0.0
    typical = (1.0, 2.0, 0.5)

    def evaluate(
        self, name: str, at: Sequence[Operand], loc: Operand = 0, scale: Operand = 1
    ) -> Operand:
        """Return the result of a method; `n` is no Variable either."""
        refuse_derivative(f"stats.binom.{name}", n=at[-2])
        return super().evaluate(name, at, loc, scale)

    def is_valid(self, n: Array, p: Array) -> Any:
        return (n >= 0.0) & (np.floor(n) == n) & (p >= 0.0) & (p <= 1.0)

    def ends(self, n: Array, p: Array) -> tuple[Any, Any]:
        return 0.0, n

    def last(self, n: Array, p: Array) -> float:
        return largest(n)

    def log_mass(self, k: Operand, n: Operand, p: Operand) -> Operand:
        ways = -scipy.special.betaln(n - k + 1.0, k + 1.0) - np.log(n + 1.0)
        return ways + xlogy(k, p) + xlog1py(n - k, -p)

    def below(self, k: Operand, n: Operand, p: Operand) -> Operand:
        return betaincc(k + 1.0, n - k, p)

    def above(self, k: Operand, n: Operand, p: Operand) -> Operand:
        return betainc(k + 1.0, n - k, p)


class Geom(Discrete):
    """a geometric distribution, that of the number of draws until the first success

    p: the probability of a success, above 0 and at most 1.
    Source: Johnson, Kemp and Kotz 2005, section 5.2.

    >>> p = Variable(np.array(0.25))
    >>> geom.logpmf(3, p).backward()
    >>> p.grad
    array(1.33333333)
    """

    lower = 1.0
    typical = (1.0, 0.5)

    def is_valid(self, p: Array) -> Any:
        return (p > 0.0) & (p <= 1.0)

    def log_mass(self, k: Operand, p: Operand) -> Operand:
        return xlog1py(k - 1.0, -p) + np.log(p)

    def below(self, k: Operand, p: Operand) -> Operand:
        return -np.expm1(xlog1py(k, -p))

    def above(self, k: Operand, p: Operand) -> Operand:
        return np.exp(xlog1py(k, -p))

    def information(self, p: Operand) -> Operand:
        return (entr(p) + entr(1.0 - p)) / p


class NegativeBinomial(Discrete):
    """a negative binomial distribution, that of the number of failures before `n` successes

    n: the number of successes, above 0; it need not be an integer.
    p: the probability of a success, above 0 and at most 1.
    Source: Johnson, Kemp and Kotz 2005, chapter 5; of `cdf` by `n`, NIST DLMF 8.17.1 under the
        integral sign, by a quadrature.

    >>> n = Variable(np.array(2.0))
    >>> nbinom.logpmf(1, n, 0.5).backward()
    >>> n.grad
    array(-0.19314718)
    """

    lower = 0.0
    typical = (1.0, 1.0, 0.5)

    def is_valid(self, n: Array, p: Array) -> Any:
        return (n > 0.0) & (p > 0.0) & (p <= 1.0)

    def last(self, n: Array, p: Array) -> float:
        mean, falls = n * (1.0 - p) / p, -np.log1p(-np.minimum(p, 0.9))
        return largest(mean + 12.0 * np.sqrt(mean / p) + 45.0 / falls)

    def log_mass(self, k: Operand, n: Operand, p: Operand) -> Operand:
        ways = -betaln(n, k + 1.0) - np.log(n + k)
        return ways + xlogy(n, p) + xlog1py(k, -p)

    def below(self, k: Operand, n: Operand, p: Operand) -> Operand:
        return betainc(n, k + 1.0, p)

    def above(self, k: Operand, n: Operand, p: Operand) -> Operand:
        return betaincc(n, k + 1.0, p)


class Poisson(Discrete):
    """a Poisson distribution

    mu: the mean, from 0 on.
    Source: Johnson, Kemp and Kotz 2005, sections 4.2 and 4.4.

    >>> mu = Variable(np.array(2.0))
    >>> poisson.logpmf(np.array([1, 5]), mu).sum().backward()
    >>> mu.grad
    array(1.)
    """

    lower = 0.0

    def is_valid(self, mu: Array) -> Any:
        return mu >= 0.0

    def last(self, mu: Array) -> float:
        return largest(mu + 12.0 * np.sqrt(mu) + 30.0)

    def log_mass(self, k: Operand, mu: Operand) -> Operand:
        return xlogy(k, mu) - gammaln(k + 1.0) - mu

    def below(self, k: Operand, mu: Operand) -> Operand:
        return gammaincc(k + 1.0, mu)

    def above(self, k: Operand, mu: Operand) -> Operand:
        return gammainc(k + 1.0, mu)


bernoulli = distribution(Bernoulli, k=(0, 1), p=(0.2, 0.8))
binom = distribution(Binom, k=(0, 3), n=6, p=(0.2, 0.8))
geom = distribution(Geom, k=(1, 4), p=(0.2, 0.8))
nbinom = distribution(NegativeBinomial, name="nbinom", k=(0, 4), n=(0.8, 3.0), p=(0.2, 0.8))
poisson = distribution(Poisson, k=(0, 4), mu=(0.5, 4.0))
