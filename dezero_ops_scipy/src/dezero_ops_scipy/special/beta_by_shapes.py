"""The derivatives of the incomplete beta function by its shapes, by a quadrature."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from math import factorial
from typing import Any

import numpy as np
from dezero_ops_math.declaring import Elementwise

from dezero_core.extend import Array

from ..arguments import floating, wide
from .bell_polynomials import bell_polynomial
from .beta_density import BetaDensity, BetaScore, Gradients, excess_of, score
from .beta_functions import PolygammaDifference
from .half_line import STEP, blocks
from .polygamma_functions import Polygamma
from .stirling import log1p_less

Slope = Callable[[int, int], Array]


class BetaincByShapes(Elementwise):
    """Derivative of I_x(a, b) of order i by a and k by b, or if `relative` over the density p at x.

    The density has the derivative p B[i, k], with the complete Bell polynomial B[i, k] of those of
    log(p): log(t) + psi(a + b) - psi(a), ... So that of I is the integral of p B[i, k] over all
    t < x. Beyond the mean, I_x(a, b) = 1 - I_{1-x}(b, a) is differentiated, so that no digits are
    lost.

    Source: NIST DLMF 8.17.2 and 8.17.4.
    """

    saves = ("inputs", "outputs")

    def __init__(self, i: int, k: int, relative: bool = False) -> None:
        self.i, self.k, self.relative = i, k, relative

    def forward(self, a: Array, b: Array, x: Array) -> Array:
        dtype, (a, b, x) = floating(a, b, x), wide(a, b, x)
        with np.errstate(all="ignore"):
            positive, finite = (a > 0.0) & (b > 0.0), np.isfinite(a + b)
            found = np.where(positive & finite & ((x == 0.0) | (x == 1.0)), 0.0, np.nan)
            inside = (a >= 0.0) & (b >= 0.0) & (a + b > 0.0) & finite & (x > 0.0) & (x < 1.0)
            above = excess_of(a, b, x) > 0.0
            for chosen, flip in (inside & ~above, False), (inside & above, True):
                if chosen.any():
                    tail = _Tail(a[chosen], b[chosen], x[chosen], flip)
                    orders = (self.k, self.i) if flip else (self.i, self.k)
                    part = tail.derivative(*orders, self.relative)
                    found[chosen] = -part if flip else part
        return found.astype(dtype)

    def backward(self, gy: Array) -> Gradients:
        a, b, x = (each.data for each in self.inputs)
        by_a, by_b, by_x = self.needs_grad
        i, k, data = self.i, self.k, (a, b, x)
        ga = BetaincByShapes(i + 1, k, self.relative).of(*data) if by_a else 0.0
        gb = BetaincByShapes(i, k + 1, self.relative).of(*data) if by_b else 0.0
        gx = _ratio(a, b, x, i, k) if by_x else 0.0
        with np.errstate(all="ignore"):
            if self.relative:
                y = self.outputs[0]().data
                ga, gb = ga - y * BetaScore(0).of(*data), gb - y * BetaScore(1).of(*data)
                gx = gx - y * ((a - 1.0) / x - (b - 1.0) / (1.0 - x))
            elif by_x:
                gx = gx * BetaDensity().of(*data)
        return gy * ga if by_a else None, gy * gb if by_b else None, gy * gx if by_x else None


def _ratio(a: Array, b: Array, x: Array, i: int, k: int) -> Any:
    """Return the derivative of the density by the shapes, over it."""

    def slope(i: int, k: int) -> Array:
        if i and k:
            return Polygamma(i + k - 1).of(a + b)
        own = (a, b) if i else (b, a)
        return BetaScore(k).of(a, b, x) if i + k == 1 else PolygammaDifference(i + k - 1).of(*own)

    return bell_polynomial(slope, i, k)


def _moved(slope: Slope, changes: dict[tuple[int, int], Array], i: int, k: int) -> Array:
    """Return a slope at another place, which changes those of first order."""
    return slope(i, k) + changes.get((i, k), 0.0)


class _Tail:
    """The integral of the density p over t < x, where x is below the mean.

    The quadrature takes t = x exp(-s). Below a = 1 this falls too slowly, and I_x(a, b) =
    I_x(a + 1, b) + x**a (1-x)**b Gamma(a + b) / Gamma(a + 1) / Gamma(b) is differentiated. Below
    b = 1 the polygamma functions of b are large and cancel: p is b times a function of b + 1, which
    is differentiated by Leibniz's rule.

    Source: NIST DLMF 8.17.20.
    """

    def __init__(self, a: Array, b: Array, x: Array, flip: bool) -> None:
        """Prepare; if `flip`, for ``1 - I_x(a, b)``, which is the integral over t > x."""
        at, y, excess = x, 1.0 - x, excess_of(a, b, x)
        log_x, log_y = np.log(x), np.log1p(-x)
        if flip:
            a, b, x, y, excess, log_x, log_y = b, a, y, x, -excess, log_y, log_x
        self.raised, self.small = a < 1.0, b < 1.0
        self.a, self.less = np.where(self.raised, (a + 1.0, a), (a, a - 1.0))  # a, a - 1
        self.b, self.x, self.y, self.log_x, self.log_y = b, x, y, log_x, log_y
        self.excess = np.where(self.raised, excess - y, excess)
        self.at, self.flip = at, flip

    def derivative(self, i: int, k: int, relative: bool) -> Array:
        """Return the derivative of order i by a and k by b, or its ratio to the density at x."""
        found = self.x * self._integral(i, k)
        if self.raised.any():
            added = self.y / (self.less + self.b) * self._bell(self._slope_of_added, i, k)
            found = np.where(self.raised, found + added, found)
        if relative:
            raised = self.x * (self.less + self.b) / self.less
            return np.where(self.raised, raised, 1.0) / np.where(self.small, self.b, 1.0) * found
        b, total = np.where(self.small, self.b + 1.0, self.b), self.a + self.b
        density = BetaDensity().forward(*((b, self.a) if self.flip else (self.a, b)), self.at)
        return density * np.where(self.small, 1.0 / (self.y * total), 1.0) * found

    def _integral(self, i: int, k: int) -> Array:
        odds, total = self.x / self.y, np.zeros_like(self.x)
        # How fast the density falls at x, and on the way to 0.
        first = (self.x - self.excess) / self.y
        width = np.sqrt(np.maximum(self.b - 1.0, 0.0) * self.x) / self.y
        rate = np.where(self.small, self.a, first + width)
        slope = cache(self._slope)
        for nodes, weights in blocks(self.x):
            s = nodes / rate
            v = np.expm1(-s)  # t = x (1 + v), and 1 - t = (1 - x) (1 + w)
            w = -odds * v
            change = np.log1p(w)
            # The terms of first order, which nearly cancel at large shapes, are taken together.
            near = self.a * log1p_less(v) + (self.b - 1.0) * log1p_less(w) + first * v
            far = (self.b - 1.0) * change - self.a * s
            density = weights * np.exp(np.where((s < 0.5) & (w < 0.5), near, far))
            bell = self._bell(partial(_moved, slope, {(1, 0): -s, (0, 1): change}), i, k)
            total = sum(density * bell, total)  # the digits do not depend on the blocks
        return total * STEP / rate

    def _bell(self, slope: Slope, i: int, k: int) -> Any:
        """Return a derivative over p, or over p / b for small numbers."""
        bell = bell_polynomial(slope, i, k)
        below = k * bell_polynomial(slope, i, k - 1) if k else 0.0
        return np.where(self.small, self.b * bell + below, bell)

    def _slope(self, i: int, k: int) -> Any:
        """Return a derivative of log(p) at x, or of log(p / b) for small numbers."""
        if i and k:
            return Polygamma(i + k - 1).forward(self.a + self.b)
        if i:
            if i == 1:
                return score(self.a, self.b, self.log_x, self.excess)
            return PolygammaDifference(i - 1).forward(self.a, self.b)
        own = np.where(self.small, (self.b + 1.0, self.less), (self.b, self.a))
        difference = PolygammaDifference(k - 1).forward(*own)
        if k > 1:
            return difference
        plain = score(self.b, self.a, self.log_y, -self.excess)
        return np.where(self.small, self.log_y + difference, plain)

    def _slope_of_added(self, i: int, k: int) -> Any:
        """Return the slope of the term that is added where a is raised: 1 / (a + b) times x p."""
        n = i + k
        slope = self._slope(i, k) + (-1.0) ** n * factorial(n - 1) / (self.less + self.b) ** n
        if i:
            return slope
        plain = PolygammaDifference(k - 1).forward(self.b, self.less)
        return np.where(self.small, slope, plain + self.log_y if k == 1 else plain)
