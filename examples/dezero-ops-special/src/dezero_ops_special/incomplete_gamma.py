"""The incomplete gamma function: the distribution function of gamma distributed numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.special
from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand

from .arguments import floating
from .gamma_functions import Polygamma
from .half_line import nodes_and_weights

#: From this number on, the asymptotic series of the gamma function are right to the last digit.
LARGE = 16.0
#: log(Gamma(a)), times a, less what is in the density: NIST DLMF 5.11.1.
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
#: log(a) - digamma(a) - 1 / (2 a), times a**2: NIST DLMF 5.11.2.
DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760)


class Gammainc(Function):
    """dP(a, x) = p(a, x) dx + (dP/da) da, with the density p of the gamma distribution."""

    elementwise = True

    def forward(self, a: Array, x: Array) -> Array:
        return scipy.special.gammainc(a, x)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, x = (each.data for each in self.inputs)
        by_a, by_x = self.needs_grad
        return (
            gy * GammaincByShape(1).of(a, x) if by_a else None,
            gy * GammaDensity().of(a, x) if by_x else None,
        )


class GammaDensity(Function):
    """``p = x**(a-1) exp(-x) / Gamma(a)``, and dp = p (((a-1)/x - 1) dx + (log(x) - psi(a)) da)."""

    saves = ("inputs", "outputs")
    elementwise = True

    def forward(self, a: Array, x: Array) -> Array:
        dtype, (a, x) = floating(a, x), _wide(a, x)
        with np.errstate(all="ignore"):
            small = np.exp(scipy.special.xlogy(a - 1.0, x) - x - scipy.special.gammaln(a))
            # For large a and x, the three terms would cancel to a few digits: they are taken
            # relative to the maximum at x = a, with Stirling's series for the rest.
            rest = _series(STIRLING, a) / a
            large = np.exp(a * (_log_ratio(a, x) - (x - a) / a) - rest)
            large = np.where(x == 0.0, 0.0, np.sqrt(a / (2.0 * math.pi)) / x * large)
        p = np.where(a < LARGE, small, large)
        return np.where((x == np.inf) & (a >= 0.0), 0.0, p).astype(dtype)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, x = (each.data for each in self.inputs)
        by_a, by_x = self.needs_grad
        gp = gy * self.outputs[0]().data
        return (
            gp * LogLessDigamma().of(a, x) if by_a else None,
            gp * ((a - 1.0) / x - 1.0) if by_x else None,
        )


class LogLessDigamma(Function):
    """``log(x) - digamma(a)``, with all its digits where both terms are large and it is small."""

    elementwise = True

    def forward(self, a: Array, x: Array) -> Array:
        dtype, (a, x) = floating(a, x), _wide(a, x)
        with np.errstate(all="ignore"):
            small = np.log(x) - scipy.special.digamma(a)
            large = _log_ratio(a, x) + 0.5 / a + _series(DIGAMMA, a) / (a * a)
        return np.where(a < LARGE, small, large).astype(dtype)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, x = (each.data for each in self.inputs)
        by_a, by_x = self.needs_grad
        return -gy * Polygamma(1).of(a) if by_a else None, gy / x if by_x else None


def _wide(a: Array, x: Array) -> Sequence[Array]:
    return np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(x, dtype=float))


def _log_ratio(a: Array, x: Array) -> Array:
    """Return ``log(x / a)``."""
    excess = (x - a) / a
    return np.where(np.abs(excess) > 0.5, np.log(x / a), np.log1p(excess))


def _series(coefficients: Sequence[float], a: Array) -> Array:
    """Return a polynomial in ``1 / a**2``."""
    found = 0.0 * a
    for coefficient in reversed(coefficients):
        found = coefficient + found / a / a
    return found


class GammaincByShape(Function):
    """Derivative of P(a, x) of order k by a; by x it is that of the density.

    The density has the derivative p B[k] by a, with the complete Bell polynomial B[k] of those
    of log(p): log(t) - psi(a), -psi'(a), ... So that of P is P times the mean of B[k] over all
    t < x, or minus 1 - P times that over t > x, whichever is the smaller part, so that no digits
    are lost; a quadrature gives the means. Below a = 1 the density is too steep at 0 for it, and
    P(a, x) = P(a + 1, x) + x**a exp(-x) / Gamma(a + 1) is differentiated instead.

    Source: NIST DLMF 8.2.4, 8.8.5.
    """

    elementwise = True

    def __init__(self, k: int) -> None:
        self.k = k

    def forward(self, a: Array, x: Array) -> Array:
        dtype, (a, x) = floating(a, x), _wide(a, x)
        inside = (a >= 0.0) & (x > 0.0) & np.isfinite(x) & np.isfinite(a)
        outside = np.where((a > 0.0) & ((x == 0.0) | (x == np.inf)), 0.0, np.nan)
        a, x = np.where(inside, a, 1.0), np.where(inside, x, 1.0)
        small = a < 1.0
        shape = np.where(small, a + 1.0, a)
        with np.errstate(all="ignore"):
            y = self._by_quadrature(shape, x)
            added = np.exp(scipy.special.xlogy(a, x) - x - scipy.special.gammaln(a + 1.0))
            slopes = [LogLessDigamma().forward(shape, x), *_constants(shape, self.k)]
            y = np.where(small, y + added * bell_polynomial(slopes), y)
        return np.where(inside, y, outside).astype(dtype)

    def _by_quadrature(self, a: Array, x: Array) -> Array:
        constants = _constants(a, self.k)
        start = LogLessDigamma().forward(a, x)
        below = x < a
        # From x down to 0, t = x exp(-s); up from x, t = x + s. The scale is that of exp(-s).
        rate_down = np.where(below, a - x + np.minimum(x, np.sqrt(x)), 1.0)
        rate_up = np.where(below, 1.0, (x - a + 1.0) / x + np.minimum(1.0, np.sqrt(a) / x))
        upper = lower = np.zeros_like(a)
        for node, weight in nodes_and_weights():
            down, up = node / rate_down, node / rate_up
            change = np.where(below, -down, np.log1p(up / x))
            exponent = np.where(
                below, -a * down - x * np.expm1(-down), (a - 1.0) * np.log1p(up / x) - up
            )
            density = weight * np.exp(exponent)
            lower = lower + density
            upper = upper + density * bell_polynomial([start + change, *constants])
        part = np.where(below, scipy.special.gammainc(a, x), -scipy.special.gammaincc(a, x))
        return part * (upper / lower)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, x = (each.data for each in self.inputs)
        by_a, by_x = self.needs_grad
        ga = gy * GammaincByShape(self.k + 1).of(a, x) if by_a else None
        if not by_x:
            return ga, None
        slopes = [LogLessDigamma().of(a, x), *_constants(a, self.k)]
        return ga, gy * (GammaDensity().of(a, x) * bell_polynomial(slopes))


def _constants(a: Array, k: int) -> list[Array]:
    """Return the derivatives of log(p) by a from the second to the k-th: t is not in them."""
    return [-Polygamma(n).of(a) for n in range(1, k)]


def bell_polynomial(slopes: Sequence[Array]) -> Array:
    """Return the derivative of exp(f), over exp(f), from the derivatives of f, of all orders.

    Notes
    -----
    Source: NIST DLMF 1.4.13, by Leibniz's rule for exp(f) f'.
    """
    found: list[Array] = [1.0]
    for n in range(len(slopes)):
        terms = (math.comb(n, i) * found[n - i] * slopes[i] for i in range(n + 1))
        found.append(sum(terms, 0.0))
    return found[-1]


def gammainc(a: Operand, x: Operand) -> Variable:
    """Regularised lower incomplete gamma function: ``scipy.special.gammainc``.

    Parameters
    ----------
    a, x : Variable, ndarray or number
        Real, of shapes that broadcast; neither is below 0.

    Returns
    -------
    Variable
        The integral of ``t**(a-1) * exp(-t) / Gamma(a)`` for `t` from 0 to `x`, dtype as SciPy
        gives it; nan outside of the domain. Derivative by `x`: the integrand there. Derivative by
        `a`: it has no closed form, and is computed by a quadrature, to 12 digits or more,
        as are those of higher order.

    Raises
    ------
    TypeError
        If one is complex.

    Notes
    -----
    Source: NIST DLMF 8.2.4 and 8.8.13 by `x`; 8.2.1 under the integral sign by `a`.

    Examples
    --------
    >>> a, x = Variable(np.array(1.0)), Variable(np.array(2.0))
    >>> gammainc(a, x).backward()
    >>> x.grad, a.grad
    (array(0.13533528), array(-0.22082543))
    """
    return Gammainc()(a, x)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""

    def sample(kit: Any) -> Any:
        # Fewer shapes than those of `elementwise`: each quadrature takes a hundred evaluations.
        shapes = (((2, 3), (2, 3)), ((), ()), ((3,), (2, 1)), ((0, 3), (3,)))
        pairs = ((kit.Draw(a, (0.5, 4.0)), kit.Draw(x, (0.4, 5.0))) for a, x in shapes)
        return kit.Sample(*(kit.Call(a, x) for a, x in pairs))

    register("special.gammainc", gammainc, Gammainc, numpy=scipy.special.gammainc, sample=sample)
