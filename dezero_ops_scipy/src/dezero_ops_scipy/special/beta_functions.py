"""The beta function and its logarithm, and quotients of gamma functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Elementwise, elementwise, operation

from dezero_core.extend import Array, Operand

from ..arguments import doubles, floating
from .cases import by_cases
from .limits import quietly
from .polygamma_functions import SHIFT, Polygamma, asymptotic_terms, psi_of
from .rounding import product_error, sine_of_pi_times, sum_error
from .stirling import LARGE, log1p_less, remainder

#: log(a) - digamma(a) - 1 / (2 a) in powers of ``a**-2``, right from a = 8 on: NIST DLMF 5.11.2.
_DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12, -3617 / 8160)


class PolygammaDifference(Elementwise):
    """``polygamma(n, a + b) - polygamma(n, a)``, and its derivative of the next order.

    If `b` is small beside `a`, the two numbers agree in many digits, and a plain subtraction would
    lose these. Here both the recurrence, which raises `a`, and the asymptotic series are sums of
    differences of powers, each with all its digits. Of orders 0 and 1, so is the difference of the
    cotangents, or of their derivatives, by which numbers below 0 are reflected.

    Source: NIST DLMF 5.15.5 and 5.15.8, 5.5.2, 5.5.4 and 5.11.2.
    """

    def __init__(self, n: int) -> None:
        self.n = n

    @quietly  # a power that over- or underflows becomes inf or 0
    def forward(self, a: Array, b: Array) -> Array:
        dtype, (a, b) = floating(a, b), doubles(a, b)
        if self.n:
            return self._careful(a, b).astype(dtype)
        start, end = scipy.special.psi(a), scipy.special.psi(a + b)
        y = end - start
        # Neither the terms nor the rounding error of a + b is large beside such a difference.
        usual = (np.minimum(a, b) > 0.0) & (y > 0.4 + 0.6 * np.abs(end))
        y = by_cases(usual, lambda y, *_: y, lambda _, *ab: self._careful(*ab), y, a, b)
        return y.astype(dtype)

    def _careful(self, a: Array, b: Array) -> Array:
        return by_cases((a > 0.0) & (b > -0.5 * a), self._near, self._plain, a, b)

    def _plain(self, a: Array, b: Array) -> Array:
        y, left = psi_of(self.n, a + b) - psi_of(self.n, a), (a <= 0.0) & (a + b <= 0.0)
        return np.where(left, self._reflected(a, b), y) if self.n < 2 and left.any() else y

    def _near(self, z: Array, b: Array) -> Array:
        n, factorial = self.n, math.factorial(self.n)
        if n == 0:
            return _digamma_difference(z, b)
        total = sum(factorial * _difference(z + j, b, n + 1) for j in range(SHIFT))
        z = z + SHIFT
        for weight, power in asymptotic_terms(n):
            total = total + weight * _difference(z, b, power)
        return total if n % 2 else -total

    def _reflected(self, a: Array, b: Array) -> Array:
        end = a + b
        difference = np.sign(b) * self._near(1.0 - np.maximum(a, end), np.abs(b))
        product = sine_of_pi_times(a) * sine_of_pi_times(end)
        ratio = np.pi * sine_of_pi_times(b) / product
        if self.n:
            ratio = ratio * np.pi * sine_of_pi_times(a + end) / product
        ratio = np.where(b == np.round(b), 0.0, ratio)  # also of two poles
        return difference - ratio if self.n else ratio - difference

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, b = (x.data for x in self.inputs)
        by_a, by_b = self.needs_grad
        return (
            gy * PolygammaDifference(self.n + 1).of(a, b) if by_a else None,
            gy * Polygamma(self.n + 1).of(a + b) if by_b else None,
        )


def _digamma_difference(z: Array, b: Array) -> Array:
    """Return ``digamma(z + b) - digamma(z)``, where all terms have the sign of b.

    The asymptotic series P at z + b less that at z is their difference times a quotient, which
    Horner's scheme gives together with P.
    """
    total: Any = 0.0
    for _ in range(8):
        total = total + b / (z + b) / z
        z = z + 1.0
    end, start = 1.0 / (z + b), 1.0 / z
    u, v = end * end, start * start
    series = quotient = 0.0 * u
    for coefficient in reversed(_DIGAMMA):
        quotient = quotient * u + series
        series = series * v + coefficient
    quotient = quotient * u + series
    lead = np.log1p(b / z)
    rest = b * end * start * (0.5 + (end + start) * quotient)
    return np.where(np.isinf(b), lead, lead + rest + total)


def _difference(z: Array, b: Array, power: int) -> Array:
    """Return ``(z + b)**-power - z**-power``."""
    return z**-power * np.expm1(-power * np.log1p(b / z))


def gamma_ratio(z: Array, m: Array) -> Array:
    """Return ``Gamma(z + m) / Gamma(z)`` with digits that SciPy's `poch` loses to a logarithm.

    Source: NIST DLMF 5.2.5, 5.11.1.
    """
    end, lost = z + m, sum_error(z, m)
    y = scipy.special.gamma(end) * scipy.special.rgamma(z) * (1.0 + lost * psi_of(0, end))
    large = (np.maximum(z, end) > 170.0) & (np.minimum(z, end) >= LARGE)
    if large.any():
        z0, m0, end, lost = (np.where(large, x, 20.0) for x in (z, m, end, lost))
        exponent = z0 * log1p_less(m0 / z0) - 0.5 * np.log1p(m0 / z0)
        exponent = exponent + remainder(end) - remainder(z0)
        y = np.where(large, end**m0 * (1.0 + m0 * (lost / end)) * np.exp(exponent), y)
    return np.where(np.isfinite(y) & (y != 0.0), y, scipy.special.poch(z, m))


class Beta(Elementwise):
    """Beta function, elementwise: ``scipy.special.beta``.

    a, b: real, of shapes that broadcast.
    Returns: ``Gamma(a) Gamma(b) / Gamma(a + b)``, dtype as SciPy gives it.
    Derivative: ``beta(a, b) * (psi(a) - psi(a + b))`` by `a`, and by `b` likewise. Infinite or nan
        at poles, and at the zeros, where ``a + b`` is 0, -1, ... Next to such a zero, which only
        negative numbers come to, derivatives of second order and higher lose digits; so does the
        mixed one of two small numbers.
    Raises TypeError: if one is complex.
    Source: NIST DLMF 5.12.1 and 5.2.2.

    >>> a, b = Variable(np.array(2.0)), Variable(np.array(1.0))
    >>> beta(a, b).backward()
    >>> a.grad, b.grad
    (array(-0.25), array(-0.75))
    """

    saves = ("inputs", "outputs")

    def forward(self, a: Operand, b: Operand) -> Array:
        return scipy.special.beta(a, b)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, b = (x.data for x in self.inputs)
        with np.errstate(all="ignore"):
            return _by_both(
                a, b, self.needs_grad, gy * BetaByRatio().of(a, b, self.outputs[0]().data)
            )


class BetaByRatio(Elementwise):
    """The beta function by SciPy's value, with digits that this loses to a logarithm and a sum."""

    saves = ("inputs", "outputs")

    @quietly
    def forward(self, a: Array, b: Array, y: Array) -> Array:
        return by_cases(np.less(a + b, 4.0), lambda y, *_: y, _careful_beta, y, a, b)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None, None]:
        a, b = self.inputs[0].data, self.inputs[1].data
        with np.errstate(all="ignore"):
            return *_by_both(a, b, self.needs_grad, gy * self.outputs[0]().data), None


def _careful_beta(y: Array, a: Array, b: Array) -> Array:
    dtype, (a, b) = floating(a, b), doubles(a, b)
    usual = (np.minimum(a, b) > 0.0) & (a + b < 34.0)
    return by_cases(usual, beta_of_rounded_sum, _beta_of_any, y, a, b).astype(dtype)


def beta_of_rounded_sum(y: Array, a: Array, b: Array) -> Array:
    """Return the beta function by SciPy's value `y`, if neither is below 0 nor large."""
    return y * (1.0 - sum_error(a, b) * scipy.special.psi(a + b))


def _beta_of_any(plain: Array, a: Array, b: Array) -> Array:
    small, large = np.minimum(a, b), np.maximum(a, b)
    y = scipy.special.gamma(small) / gamma_ratio(large, small)
    y = np.where(small < LARGE, y, _beta_of_large(large, small))
    good = (small > 0.0) & (y > 0.0) & np.isfinite(y)
    return np.where(good, y, plain)


def _beta_of_large(a: Array, b: Array) -> Array:
    """Return the beta function by powers of ``a / (a + b)`` and its like: NIST DLMF 5.11.1."""
    total, lost = a + b, sum_error(a, b)
    y = np.sqrt(2.0 * np.pi * total / a / b)
    y = y * np.exp(remainder(a) + remainder(b) - remainder(total))
    for x in (a, b):
        share = x / total
        left = (x - share * total) - product_error(share, total) - share * lost
        y = y * share**x * (1.0 + left)  # x times the relative rounding error of the share
    return y


class Betaln(Elementwise):
    """Logarithm of the absolute beta function, elementwise: ``scipy.special.betaln``.

    a, b: real, of shapes that broadcast.
    Derivative: ``psi(a) - psi(a + b)`` by `a`, with all its digits also where `b` is small beside
        `a`; by `b` likewise.
    Returns: dtype as SciPy gives it.
    Raises TypeError: if one is complex.
    Source: NIST DLMF 5.12.1 and 5.2.2.

    >>> a = Variable(np.array(1e9))
    >>> betaln(a, 1.0).backward()  # it is -log(a)
    >>> a.grad
    array(-1.e-09)
    """

    def forward(self, a: Operand, b: Operand) -> Array:
        return scipy.special.betaln(a, b)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, b = (x.data for x in self.inputs)
        return _by_both(a, b, self.needs_grad, gy)


def _by_both(
    a: Array, b: Array, needs_grad: tuple[bool, ...], gy: Array
) -> tuple[Array | None, Array | None]:
    by_a, by_b, *_ = needs_grad
    return (
        -gy * PolygammaDifference(0).of(a, b) if by_a else None,
        -gy * PolygammaDifference(0).of(b, a) if by_b else None,
    )


_SLOPES = "psi(0, x0) - psi(0, x0 + x1)", "psi(0, x1) - psi(0, x0 + x1)"
_DOMAINS = (0.5, 4.0), (0.5, 4.0)

beta = operation(
    Beta,
    elementwise(
        *_DOMAINS, truth=("beta(x0, x1)", *(f"beta(x0, x1) * ({slope})" for slope in _SLOPES))
    ),
)
betaln = operation(Betaln, elementwise(*_DOMAINS, truth=("log(beta(x0, x1))", *_SLOPES)))
