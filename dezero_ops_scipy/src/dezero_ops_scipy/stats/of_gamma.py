"""The gamma distribution, and those that are made of it."""

from __future__ import annotations

import math

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Elementwise

from dezero_core.extend import Array, Operand

from ..special.entropy import QuotientOrZero
from ..special.gamma_density import GammaDensity, LogLessDigamma
from ..special.gamma_functions import gammaln
from ..special.incomplete_gamma import gammainc, gammaincc, gammainccinv, gammaincinv
from ..special.polygamma_functions import psi
from .declaring import distribution
from .univariate import Continuous


class LogGammaDensity(Elementwise):
    """``f = (a - 1) log(y) - y - log(Gamma(a))``; df = ((a-1)/y - 1) dy + (log(y) - psi(a)) da."""

    def forward(self, a: Array, y: Array) -> Array:
        return scipy.special.xlogy(a - 1.0, y) - y - scipy.special.gammaln(a)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, y = (each.data for each in self.inputs)
        by_a, by_y = self.needs_grad
        return (
            gy * LogLessDigamma().of(a, y) if by_a else None,
            gy * (QuotientOrZero().of(a - 1.0, y) - 1.0) if by_y else None,
        )


class Gamma(Continuous):
    """a gamma distribution

    a: the shape, above 0.
    Source: NIST DLMF 8.24(ii); by `a`, 8.2.4 under the integral sign, by a quadrature.

    >>> a = Variable(np.array(1.0))
    >>> gamma.logpdf(np.exp(-np.euler_gamma), a).backward()
    >>> abs(a.grad) < 1e-15
    np.True_
    """

    lower = 0.0

    def log_density(self, y: Operand, a: Operand) -> Operand:
        return LogGammaDensity()(a, y)

    def density(self, y: Operand, a: Operand) -> Operand:
        return GammaDensity()(a, y)

    def below(self, y: Operand, a: Operand) -> Operand:
        return gammainc(a, y)

    def above(self, y: Operand, a: Operand) -> Operand:
        return gammaincc(a, y)

    def quantile(self, q: Operand, a: Operand) -> Operand:
        return gammaincinv(a, q)

    def information(self, a: Operand) -> Operand:
        return a + gammaln(a) + (1.0 - a) * psi(a)


class Chi2(Gamma):
    """a chi-squared distribution

    df: the degrees of freedom, above 0.
    Source: NIST DLMF 8.24(ii); by `df`, 8.2.4 under the integral sign, by a quadrature.

    >>> x = Variable(np.array(2.0))
    >>> chi2.sf(x, 2.0).backward()
    >>> x.grad
    array(-0.18393972)
    """

    def log_density(self, y: Operand, df: Operand) -> Operand:
        return super().log_density(0.5 * y, 0.5 * df) - math.log(2.0)

    def density(self, y: Operand, df: Operand) -> Operand:
        return 0.5 * super().density(0.5 * y, 0.5 * df)

    def below(self, y: Operand, df: Operand) -> Operand:
        return super().below(0.5 * y, 0.5 * df)

    def above(self, y: Operand, df: Operand) -> Operand:
        return super().above(0.5 * y, 0.5 * df)

    def quantile(self, q: Operand, df: Operand) -> Operand:
        return 2.0 * super().quantile(q, 0.5 * df)

    def information(self, df: Operand) -> Operand:
        return super().information(0.5 * df) + math.log(2.0)


class InverseGamma(Continuous):
    """an inverse gamma distribution, that of ``1 / x`` of a gamma distributed `x`

    a: the shape, above 0.
    Source: NIST DLMF 8.24(ii); by `a`, 8.2.4 under the integral sign, by a quadrature.

    >>> x = Variable(np.array(0.5))
    >>> invgamma.logcdf(x, 1.0).backward()
    >>> x.grad
    array(4.)
    """

    lower, is_open = 0.0, True

    def log_density(self, y: Operand, a: Operand) -> Operand:
        return -(a + 1.0) * np.log(y) - 1.0 / y - gammaln(a)

    def below(self, y: Operand, a: Operand) -> Operand:
        return gammaincc(a, 1.0 / y)

    def above(self, y: Operand, a: Operand) -> Operand:
        return gammainc(a, 1.0 / y)

    def quantile(self, q: Operand, a: Operand) -> Operand:
        return 1.0 / gammainccinv(a, q)

    def information(self, a: Operand) -> Operand:
        return a + gammaln(a) - (a + 1.0) * psi(a)


chi2 = distribution(Chi2, x=(0.5, 4.0), df=(1.2, 5.0))
gamma = distribution(Gamma, x=(0.5, 4.0), a=(0.8, 3.0))
invgamma = distribution(InverseGamma, name="invgamma", x=(0.5, 3.0), a=(0.8, 3.0))
