"""Student's t distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Elementwise

from dezero_core.extend import Array, Operand, certain, data_of, possible

from ..arguments import floating, refuse_second_derivative, wide
from ..special.half_line import nodes_and_weights
from ..special.polygamma_functions import BERNOULLI
from .declaring import distribution
from .operands import is_number
from .univariate import Continuous

#: Steps of the recurrence in `LogConstant`, after which its series is right to the last digit.
STEPS = 16
#: Degrees of freedom of which t is normal to all digits, also a float32.
MANY = 1e30


class LogConstant(Elementwise):
    """``log(Gamma((df + 1) / 2) / (Gamma(df / 2) sqrt(pi df)))``, or its n-th derivative.

    The terms of a derivative would cancel. By a recurrence in ``z = df / 2``, and a series far out,
    all terms that count have one sign.

    Source: NIST DLMF 5.5.1 and 5.11.8.
    """

    def __init__(self, n: int = 0) -> None:
        self.n = n

    def forward(self, df: Array) -> Array:
        n, z = self.n, 0.5 * np.asarray(df, dtype=float)
        low = z < STEPS
        near, far = np.minimum(z, STEPS), np.where(low, z + STEPS, z)
        if n == 0:
            # Of few degrees of freedom the value itself is good enough.
            small = -scipy.special.betaln(0.5, near) - 0.5 * np.log(2.0 * near)
            if certain(np.all(low)):
                return small.astype(floating(df))
            large = _series(0, far) - 0.5 * math.log(2.0 * math.pi)
            return np.where(low, small, large).astype(floating(df))
        steps: Array = sum(_step(n, near + j) for j in range(STEPS))
        return (0.5**n * (np.where(low, steps, 0.0) + _series(n, far))).astype(floating(df))

    def backward(self, gy: Array) -> Array:
        return gy * LogConstant(self.n + 1).of(self.inputs[0].data)


def _series(n: int, z: Array) -> Array:
    """Return the n-th derivative of ``log(Gamma(z + 1/2) / (Gamma(z) sqrt(z)))``, far out."""
    total: Array = 0.0 * z
    for k, bernoulli in enumerate(BERNOULLI, 1):
        factor = (0.25**k - 1.0) * bernoulli / (k * (2 * k - 1))
        falling = math.prod(range(2 - 2 * k - n, 2 - 2 * k))  # of the power 1 - 2 k
        total = total + factor * falling * z ** (1.0 - 2 * k - n)
    return total


def _step(n: int, z: Array) -> Array:
    """Return the n-th derivative of ``log(z (z + 1) / (z + 1/2)**2) / 2``."""
    if n == 1:
        return 0.25 / (z * (z + 1.0) * (z + 0.5))
    factor = 0.5 * (-1.0) ** (n - 1) * math.factorial(n - 1)
    return factor * (z**-n + (z + 1.0) ** -n - 2.0 * (z + 0.5) ** -n)


class LogExcess(Elementwise):
    """``log(1 + w) - w / (1 + w)``, about ``w**2 / 2`` near 0; it grows by ``w / (1 + w)**2``."""

    def forward(self, w: Array) -> Array:
        return np.where(w < 0.1, _near_zero(np.minimum(w, 0.1)), np.log1p(w) - w / (1.0 + w))

    def backward(self, gy: Array) -> Array:
        w = self.inputs[0].data
        return gy * (w / (1.0 + w) / (1.0 + w))


def _near_zero(w: Array) -> Array:
    total: Array = 0.0 * w
    for n in range(20, 1, -1):
        total = ((n - 1) / n) * (-1.0) ** n + w * total
    return w * w * total


class LogKernel(Elementwise):
    """``-(df + 1) / 2 log(1 + y**2 / df)``, with a derivative by `df` in which nothing cancels."""

    def forward(self, y: Array, df: Array) -> Array:
        return -0.5 * (df + 1.0) * np.log1p(y * y / df)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        y, df = (each.data for each in self.inputs)
        by_y, by_df = self.needs_grad
        share = y / (df + y * y)
        return (
            -gy * ((df + 1.0) * share) if by_y else None,
            gy * (0.5 * (y * share / df - LogExcess().of(y * y / df))) if by_df else None,
        )


class T(Continuous):
    """Student's t distribution

    df: the degrees of freedom, above 0.
    Source: NIST DLMF 8.17.1 and Johnson, Kotz and Balakrishnan 1995, chapter 28; of `cdf` by `df`
        under the integral sign, by a quadrature.

    >>> x = Variable(np.array([1.0, 100.0]))
    >>> t.logpdf(x, 3.0).backward()
    >>> x.grad
    array([-1.      , -0.039988])
    """

    def evaluate(
        self, name: str, at: Sequence[Operand], loc: Operand = 0, scale: Operand = 1
    ) -> Operand:
        """Return the result of a method; with `MANY` degrees of freedom for infinitely many."""
        df = at[-1]
        if possible(np.any(np.isinf(data_of(df)))):
            many = np.where(np.isposinf(data_of(df)), MANY, df)
            at = [*at[:-1], MANY if is_number(df, math.inf) else many]
        return super().evaluate(name, at, loc, scale)

    def log_density(self, y: Operand, df: Operand) -> Operand:
        return LogKernel()(y, df) + LogConstant()(df)

    def below(self, y: Operand, df: Operand) -> Operand:
        return Below()(y, df)

    def quantile(self, q: Operand, df: Operand) -> Operand:
        return Quantile()(q, df)

    def information(self, df: Operand) -> Operand:
        # psi((df + 1) / 2) - psi(df / 2) is 2 LogConstant(1) + 1 / df.
        return (df + 1.0) * LogConstant(1)(df) + (0.5 + 0.5 / df) - LogConstant()(df)


class Below(Elementwise):
    """The distribution function of `y` and `df`."""

    def forward(self, y: Array, df: Array) -> Array:
        return scipy.special.stdtr(df, y)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        y, df = (each.data for each in self.inputs)
        by_y, by_df = self.needs_grad
        return (
            gy * _density(y, df) if by_y else None,
            gy * BelowByDf().of(y, df) if by_df else None,
        )


class Quantile(Elementwise):
    """``y`` with the probability `q` below it; dy = (dq - (d below / d df) ddf) / density."""

    saves = ("inputs", "outputs")

    def forward(self, q: Array, df: Array) -> Array:
        y = scipy.special.stdtrit(df, q)
        return np.where((q == 0.0) | (q == 1.0), np.copysign(np.inf, q - 0.5), y).astype(y.dtype)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        y, df = self.outputs[0]().data, self.inputs[1].data
        by_q, by_df = self.needs_grad
        gq = gy / _density(y, df)
        return gq if by_q else None, -gq * BelowByDf().of(y, df) if by_df else None


def _density(y: Operand, df: Operand) -> Operand:
    return np.exp(LogKernel().of(y, df) + LogConstant().of(df))


class BelowByDf(Elementwise):
    """The derivative of the distribution function by `df`: the integral of density times score.

    The score is positive near 0, and negative far out, so that the integral is taken from 0, by the
    rule of Gauss and Legendre, or over the tail. There, with ``df + u**2 = (df + y**2) exp(s)``,
    the density falls like ``exp(-s df / 2)``.

    Source: NIST DLMF 3.5(ii) and 3.5(v).
    """

    def forward(self, y: Array, df: Array) -> Array:
        dtype, (y, df) = floating(y, df), wide(y, df)
        size = np.abs(y)
        with np.errstate(all="ignore"):  # what overflows is not used
            inside = _from_zero(np.minimum(size, NEAR), df)
            tail = -scipy.special.stdtr(df, -size) * _mean_of_tail(np.maximum(size, NEAR), df)
        return (np.sign(y) * np.where(size < NEAR, inside, tail)).astype(dtype)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        refuse_second_derivative("stats.t", "df")


#: Where the derivative by `df` is integrated from 0, and not from infinity.
NEAR = 1.3
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(30)


def _from_zero(y: Array, df: Array) -> Array:
    total: Array = 0.0 * y
    constant, slope = LogConstant().forward(df), LogConstant(1).forward(df)
    for node, weight in zip(_NODES.tolist(), _WEIGHTS.tolist(), strict=True):
        u = y * (0.5 + 0.5 * node)
        excess = LogExcess().forward(u * u / df)
        score = slope - 0.5 * excess + 0.5 * u * u / (df * (df + u * u))
        total = total + weight * np.exp(LogKernel().forward(u, df)) * score
    return 0.5 * y * np.exp(constant) * total


def _mean_of_tail(y: Array, df: Array) -> Array:
    upper = lower = np.zeros_like(y)
    rest, slope = df / (df + y * y), LogConstant(1).forward(df)
    for node, weight in nodes_and_weights():
        s = node / (0.5 * df)
        part = y * y / (df + y * y) - rest * np.expm1(-s)
        w = part / (rest * np.exp(-s))
        excess = np.where(w < 0.1, _near_zero(np.minimum(w, 0.1)), s - np.log(rest) - part)
        density = weight * np.exp(-node) / np.sqrt(part)
        score = slope - 0.5 * excess + 0.5 * part / df  # of the logarithm of the density, by df
        lower, upper = lower + density, upper + density * score
    return upper / lower


t = distribution(T, order=1, x=(-3.0, 3.0), df=(1.2, 6.0))
