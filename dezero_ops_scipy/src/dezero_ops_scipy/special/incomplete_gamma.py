"""The incomplete gamma functions, which are distribution functions, and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Call, Draw, Elementwise, Sample, operation

from dezero_core.extend import Array, Operand

from ..arguments import floating, wide
from .bell_polynomials import bell_polynomial
from .gamma_density import GammaDensity, Gradients, LogLessDigamma
from .half_line import STEP, blocks
from .polygamma_functions import Polygamma
from .stirling import log1p_less


class Gammainc(Elementwise):
    """Regularised lower incomplete gamma function: ``scipy.special.gammainc``.

    a, x: real, of shapes that broadcast; neither is below 0.
    Returns: the integral of ``t**(a-1) * exp(-t) / Gamma(a)`` for `t` from 0 to `x`, dtype as SciPy
        gives it; nan outside of the domain.
    Derivative: ``x**(a-1) * exp(-x) / Gamma(a)`` by `x`. By `a` it has no closed form, and is
        computed by a quadrature, to 12 digits or more, as are those of higher order.
    Raises TypeError: if one is complex.
    Source: NIST DLMF 8.2.4 and 8.8.13 by `x`; 8.2.1 under the integral sign by `a`.

    >>> a, x = Variable(np.array(1.0)), Variable(np.array(2.0))
    >>> gammainc(a, x).backward()
    >>> x.grad, a.grad
    (array(0.13533528), array(-0.22082543))
    """

    sign = 1.0

    def forward(self, a: Operand, x: Operand) -> Array:
        return scipy.special.gammainc(a, x)

    def backward(self, gy: Array) -> Gradients:
        a, x = (each.data for each in self.inputs)
        by_a, by_x = self.needs_grad
        return (
            self.sign * gy * GammaincByShape(1).of(a, x) if by_a else None,
            self.sign * gy * GammaDensity().of(a, x) if by_x else None,
        )


class Gammaincc(Gammainc):
    """Regularised upper incomplete gamma function: ``scipy.special.gammaincc``.

    a, x: real, of shapes that broadcast; neither is below 0.
    Returns: ``1 - gammainc(a, x)``, with all its digits also where it is small, dtype as SciPy
        gives it; nan outside of the domain.
    Derivative: ``-x**(a-1) * exp(-x) / Gamma(a)`` by `x`; by `a` as of `gammainc`.
    Raises TypeError: if one is complex.
    Source: NIST DLMF 8.2.4 and 8.8.13 by `x`; 8.2.2 under the integral sign by `a`.

    >>> a, x = Variable(np.array(1.0)), Variable(np.array(2.0))
    >>> gammaincc(a, x).backward()
    >>> x.grad, a.grad
    (array(-0.13533528), array(0.22082543))
    """

    sign = -1.0

    def forward(self, a: Operand, x: Operand) -> Array:
        return scipy.special.gammaincc(a, x)


class Gammaincinv(Elementwise):
    """Inverse of `gammainc` by its second argument: ``scipy.special.gammaincinv``.

    a, y: real, of shapes that broadcast; `a` is not below 0, and `y` is between 0 and 1.
    Returns: the `x` where ``gammainc(a, x)`` is `y`, dtype as SciPy gives it; nan outside of the
        domain.
    Derivative: ``Gamma(a) * x**(1-a) * exp(x)`` by `y`; by `a` that of `gammainc` by `a`, times -1
        times this.
    Raises TypeError: if one is complex.
    Source: NIST DLMF 8.2.4 and 8.8.13, of an inverse function.

    >>> a, y = Variable(np.array(1.0)), Variable(np.array(0.5))
    >>> gammaincinv(a, y).backward()  # -log(1 - y) for a = 1
    >>> y.grad
    array(2.)
    """

    saves = ("inputs", "outputs")
    sign = 1.0

    def forward(self, a: Operand, y: Operand) -> Array:
        return scipy.special.gammaincinv(a, y)

    def backward(self, gx: Array) -> Gradients:
        a, x = self.inputs[0].data, self.outputs[0]().data
        by_a, by_y = self.needs_grad
        with np.errstate(all="ignore"):
            return (
                -gx * GammaincByShape(1, relative=True).of(a, x) if by_a else None,
                self.sign * gx * GammaDensity(-1).of(a, x) if by_y else None,
            )


class Gammainccinv(Gammaincinv):
    """Inverse of `gammaincc` by its second argument: ``scipy.special.gammainccinv``.

    a, y: real, of shapes that broadcast; `a` is not below 0, and `y` is between 0 and 1.
    Returns: the `x` where ``gammaincc(a, x)`` is `y`, dtype as SciPy gives it; nan outside of the
        domain.
    Derivative: ``-Gamma(a) * x**(1-a) * exp(x)`` by `y`; by `a` as of `gammaincinv`.
    Raises TypeError: if one is complex.
    Source: NIST DLMF 8.2.4 and 8.8.13, of an inverse function.

    >>> a, y = Variable(np.array(1.0)), Variable(np.array(0.5))
    >>> gammainccinv(a, y).backward()  # -log(y) for a = 1
    >>> y.grad
    array(-2.)
    """

    sign = -1.0

    def forward(self, a: Operand, y: Operand) -> Array:
        return scipy.special.gammainccinv(a, y)


class GammaincByShape(Elementwise):
    """Derivative of P(a, x) of order k by a, or if `relative` over the density p at x.

    The density has the derivative p B[k] by a, with the complete Bell polynomial B[k] of those
    of log(p): log(t) - psi(a), -psi'(a), ... So that of P is the integral of p B[k] over all
    t < x, or minus that over t > x, whichever is the smaller part, so that no digits are lost; a
    quadrature gives it, relative to p at x. Below a = 1 the polygamma functions are large and
    cancel: p is a times a function of a + 1, which is differentiated by Leibniz's rule. And where
    the density is too steep, P(a, x) = P(a + 1, x) + x**a exp(-x) / Gamma(a + 1) is.

    Source: NIST DLMF 8.2.4, 8.8.5.
    """

    saves = ("inputs", "outputs")

    def __init__(self, k: int, relative: bool = False) -> None:
        self.k, self.relative = k, relative

    def forward(self, a: Array, x: Array) -> Array:
        dtype, (a, x) = floating(a, x), wide(a, x)
        inside = (a >= 0.0) & (x > 0.0) & np.isfinite(x) & np.isfinite(a)
        at_infinity = np.where(x == np.inf, -np.inf if self.relative else 0.0, np.nan)
        outside = np.where(a > 0.0, np.where(x == 0.0, 0.0, at_infinity), np.nan)
        a, x = np.where(inside, a, 1.0), np.where(inside, x, 1.0)
        steep = (a < 1.0) & (x < 0.5)
        with np.errstate(all="ignore"):
            y = self._by_quadrature(np.where(steep, a + 1.0, a), x)
            y = np.where(steep, y + self._ratio(a + 1.0, x), y)
            if self.relative:
                y = np.where(a < 1.0, x / a, 1.0) * y
            else:
                y = GammaDensity().forward(np.where(a < 1.0, a + 1.0, a), x) * y
        return np.where(inside, y, outside).astype(dtype)

    def _ratio(self, a: Array, x: Array) -> Any:
        """Return the derivative of the density by the shape, over it."""
        slopes = [LogLessDigamma().of(a, x), *(-Polygamma(n).of(a) for n in range(1, self.k))]
        return _bell(slopes, self.k)

    def _by_quadrature(self, a: Array, x: Array) -> Array:
        """Return the derivative over the density, or over that of a + 1 for small numbers."""
        small, shape = a < 1.0, np.where(a < 1.0, a + 1.0, a)
        start = LogLessDigamma().forward(shape, x)
        constants = [-Polygamma(n).forward(shape) for n in range(1, self.k)]
        below = x < a
        power, rate = np.where(below, a, a - 1.0), _rate(a, x)
        total = np.zeros_like(a)
        for nodes, weights in blocks(a):
            s = nodes / rate
            # t = x (1 + v); down from x with v = exp(-s) - 1, up from x with v = s / x.
            v = np.where(below, np.expm1(-s), s / x)
            change = np.where(below, -s, np.log1p(v))
            # The terms of first order, which nearly cancel at large shapes, are taken together.
            rest = np.where(np.abs(v) < 0.5, log1p_less(v), change - v)
            slopes = [start + change, *constants]
            bell = _bell(slopes, self.k)
            bell = np.where(small, a * bell + self.k * _bell(slopes, self.k - 1), bell)
            # One by one, so that the digits do not depend on the blocks.
            total = sum(weights * np.exp((power - x) * v + power * rest) * bell, total)
        return np.where(below, x, -1.0) / np.where(small, x, 1.0) / rate * STEP * total

    def backward(self, gy: Array) -> Gradients:
        a, x = (each.data for each in self.inputs)
        by_a, by_x = self.needs_grad
        ga = GammaincByShape(self.k + 1, self.relative).of(a, x) if by_a else 0.0
        gx = self._ratio(a, x) if by_x else 0.0
        with np.errstate(all="ignore"):
            if self.relative:
                y = self.outputs[0]().data
                ga, gx = ga - y * LogLessDigamma().of(a, x), gx - y * ((a - 1.0 - x) / x)
            elif by_x:
                gx = gx * GammaDensity().of(a, x)
        return gy * ga if by_a else None, gy * gx if by_x else None


def _bell(slopes: list[Array], k: int) -> Any:
    return bell_polynomial(lambda n, _: slopes[n - 1], k)


def _rate(a: Array, x: Array) -> Array:
    """Return how fast the density falls from x, like exp(-rate s): down, or up where x >= a."""
    up = np.where(a < 1.0, 1.0, (x - a + 1.0 + np.sqrt(a - 1.0)) / x)
    return np.where(x < a, a - x + np.minimum(x, np.sqrt(x)), up)


# Fewer shapes than those of `elementwise`: each quadrature takes a hundred evaluations.
_SHAPES = ((2, 3), (2, 3)), ((), ()), ((3,), (2, 1)), ((0, 3), (3,))


def _sample(*domains: tuple[float, float]) -> Any:
    return Sample(*(Call(*map(Draw, shapes, domains)) for shapes in _SHAPES))


gammainc = operation(Gammainc, _sample((0.5, 4.0), (0.4, 5.0)))
gammaincc = operation(Gammaincc, _sample((0.5, 4.0), (0.4, 5.0)))
gammaincinv = operation(Gammaincinv, _sample((0.5, 4.0), (0.1, 0.9)))
gammainccinv = operation(Gammainccinv, _sample((0.5, 4.0), (0.1, 0.9)))
