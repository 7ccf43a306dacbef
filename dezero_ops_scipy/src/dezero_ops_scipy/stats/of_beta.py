"""The beta distribution, and F, which is made of it."""

from __future__ import annotations

import numpy as np
from dezero_ops_math.declaring import Elementwise

from dezero_core.extend import Array, Operand

from ..special.beta_density import BetaDensity
from ..special.beta_functions import betaln
from ..special.entropy import xlog1py, xlogy
from ..special.incomplete_beta import betainc, betaincc, betainccinv, betaincinv
from ..special.polygamma_functions import psi
from .declaring import distribution
from .univariate import Continuous


class Beta(Continuous):
    """a beta distribution

    a, b: the shapes, above 0.
    Source: NIST DLMF 8.17.1; by the shapes under the integral sign, by a quadrature.

    >>> a = Variable(np.array(2.0))
    >>> beta.logpdf(0.5, a, 1.0).backward()
    >>> a.grad
    array(-0.19314718)
    """

    lower, upper = 0.0, 1.0
    typical = (0.5, 1.0, 1.0)

    def log_density(self, y: Operand, a: Operand, b: Operand) -> Operand:
        return xlogy(a - 1.0, y) + xlog1py(b - 1.0, -y) - betaln(a, b)

    def density(self, y: Operand, a: Operand, b: Operand) -> Operand:
        return BetaDensity()(a, b, y)

    def below(self, y: Operand, a: Operand, b: Operand) -> Operand:
        return betainc(a, b, y)

    def above(self, y: Operand, a: Operand, b: Operand) -> Operand:
        return betaincc(a, b, y)

    def quantile(self, q: Operand, a: Operand, b: Operand) -> Operand:
        return betaincinv(a, b, q)

    def information(self, a: Operand, b: Operand) -> Operand:
        of_both = (a + b - 2.0) * psi(a + b)
        return betaln(a, b) - (a - 1.0) * psi(a) - (b - 1.0) * psi(b) + of_both


class Share(Elementwise):
    """``u / (u + v)``; its slopes are finite, so that an infinite one of its user stays so."""

    def forward(self, u: Array, v: Array) -> Array:
        return u / (u + v)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        u, v = (x.data for x in self.inputs)
        by_u, by_v = self.needs_grad
        total = u + v
        return (
            gy * (v / total / total) if by_u else None,
            -gy * (u / total / total) if by_v else None,
        )


class F(Continuous):
    """an F distribution

    dfn, dfd: the degrees of freedom of numerator and denominator, above 0.
    Source: NIST DLMF 8.17.1 and Johnson, Kotz and Balakrishnan 1995, chapter 27; by the degrees of
        freedom under the integral sign, by a quadrature.

    >>> x = Variable(np.array(1.0))
    >>> f.sf(x, 2.0, 2.0).backward()
    >>> x.grad
    array(-0.25)
    """

    lower = 0.0

    def log_density(self, y: Operand, dfn: Operand, dfd: Operand) -> Operand:
        a, b, ratio = 0.5 * dfn, 0.5 * dfd, dfn / dfd
        powers = a * np.log(ratio) + xlogy(a - 1.0, y) - (a + b) * np.log1p(ratio * y)
        return powers - betaln(a, b)

    def density(self, y: Operand, dfn: Operand, dfd: Operand) -> Operand:
        product = dfn * y
        total = dfd + product
        of_beta = BetaDensity()(0.5 * dfn, 0.5 * dfd, Share()(product, dfd))
        return of_beta * (dfn / total) * (dfd / total)

    def below(self, y: Operand, dfn: Operand, dfd: Operand) -> Operand:
        return betainc(0.5 * dfn, 0.5 * dfd, Share()(dfn * y, dfd))

    def above(self, y: Operand, dfn: Operand, dfd: Operand) -> Operand:
        return betainc(0.5 * dfd, 0.5 * dfn, Share()(dfd, dfn * y))

    def quantile(self, q: Operand, dfn: Operand, dfd: Operand) -> Operand:
        a, b = 0.5 * dfn, 0.5 * dfd
        return betaincinv(a, b, q) / betainccinv(b, a, q) * (dfd / dfn)

    def information(self, dfn: Operand, dfd: Operand) -> Operand:
        a, b = 0.5 * dfn, 0.5 * dfd
        powers = (1.0 - a) * psi(a) - (1.0 + b) * psi(b) + (a + b) * psi(a + b)
        return np.log(dfd / dfn) + betaln(a, b) + powers


beta = distribution(Beta, x=(0.35, 0.6), a=(0.8, 3.0), b=(0.8, 3.0))
f = distribution(F, x=(0.5, 3.0), dfn=(1.2, 5.0), dfd=(1.2, 5.0))
