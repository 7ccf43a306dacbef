"""Quotients of an elementary function and its argument, with derivatives of any order.

Each derivative follows from the one before, by the product rule of ``x * (f(x) / x)``. Where that
loses digits, as at 0 where the quotient has no pole, it is a series or a continued fraction.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from dezero_ops_math.declaring import Elementwise

from dezero_core.extend import Array

from .limits import finite, quietly


class OverX(Elementwise):
    """The derivative of ``f(z) / z`` of an order; its own is that of the next.

    The function f is ``sin``, ``cos``, ``sinh``, ``cosh``, ``exp``, or ``exp(-)``: ``exp(-z)``,
    with nan for real numbers below 0, where E1 and its like are not real.
    """

    def __init__(self, f: str, order: int = 0) -> None:
        self.f, self.order = f, order

    @quietly
    def forward(self, z: Array) -> Array:
        z = finite(z)
        if self.f not in ("sin", "sinh"):
            y = self._by_recurrence(z)
            is_total = self.f != "exp(-)" or np.iscomplexobj(z)
            return y if is_total else np.where(z < 0.0, np.nan, y)
        is_near = np.abs(z) < max(1.5, self.order)
        near = self._by_series(np.where(is_near, z, 0.0))
        return np.where(is_near, near, self._by_recurrence(np.where(is_near, 1.0, z)))

    def _by_series(self, z: Array) -> Array:
        """Differentiate ``(±1)**k z**(2 k) / (2 k + 1)!``, the terms of the quotient."""
        sign, total = -1.0 if self.f == "sin" else 1.0, 0.0 * z
        lowest = (self.order + 1) // 2
        for k in range(lowest + 12 + self.order, lowest - 1, -1):
            power = 2 * k - self.order
            total = total * z * z + sign**k / ((2 * k + 1) * math.factorial(power))
        return total * z if self.order % 2 else total

    def _by_recurrence(self, z: Array) -> Array:
        root, derivatives = _scaled(self.f, z)
        y = derivatives[0] / z
        for n in range(1, self.order + 1):
            y = (derivatives[n % len(derivatives)] - n * y) / z
        return root * (root * y)

    def backward(self, gy: Array) -> Array:
        with np.errstate(all="ignore"):
            return gy * OverX(self.f, self.order + 1).of(self.inputs[0].data)


def _scaled(f: str, z: Array) -> tuple[Array, tuple[Any, ...]]:
    """Return a number r, and the quotients of f and of its derivatives by ``r**2``."""
    if f.startswith("exp"):
        sign = -1.0 if f == "exp(-)" else 1.0
        return np.exp(0.5 * sign * z), (1.0, sign)
    is_hyperbolic = f in ("sinh", "cosh")
    if is_hyperbolic and not np.iscomplexobj(z):
        tangent = np.tanh(0.5 * z)  # so that nothing overflows but the result
        root, odd, even = np.cosh(0.5 * z), 2.0 * tangent, 1.0 + tangent * tangent
    else:
        root = 1.0
        odd, even = (np.sinh(z), np.cosh(z)) if is_hyperbolic else (np.sin(z), np.cos(z))
    sign = 1.0 if is_hyperbolic else -1.0
    waves = odd, even, sign * odd, sign * even
    return root, waves if f in ("sin", "sinh") else (*waves[1:], odd)


class LogQuotient(Elementwise):
    """The derivative of ``log(z) / (z - 1)`` of an order; its own is that of the next.

    With ``v = 1 - 1 / z``, it is ``(-1)**n n! / z**(n + 1)`` times the integral of
    ``u**n / (1 - v u)`` for u from 0 to 1: near z = 1, by Gauss's continued fraction for that.

    Source: NIST DLMF 15.6.1 and 15.7.
    """

    def __init__(self, order: int, origin: float) -> None:
        #: Its operand is `origin` at z = 1: so ``z - 1`` may be given, with all digits.
        self.order, self.origin = order, origin

    @quietly
    def forward(self, x: Array) -> Array:
        x = finite(x)
        z, t = x + (1.0 - self.origin), x - self.origin
        root = np.sqrt(z)
        is_near = np.abs(root - 1.0) < np.abs(root + 1.0) / 3.0
        near = self._near(np.where(is_near, z, 1.0), np.where(is_near, t, 0.0))
        far = self._far(np.where(is_near, 2.0, z), np.where(is_near, 1.0, t))
        y = np.where(z == 0.0, np.inf, np.where(is_near, near, far))
        return (-1.0) ** self.order * math.factorial(self.order) * y

    def _near(self, z: Array, t: Array) -> Array:
        n, v = self.order, t / z
        fraction = 1.0 + 0.0 * z
        for k in range(20, 0, -1):
            fraction = 1.0 - k * k / ((n + 2 * k) * (n + 2 * k + 1)) * v / fraction
            odd = (n + k) ** 2 / ((n + 2 * k - 1) * (n + 2 * k))
            fraction = 1.0 - odd * v / fraction
        return 1.0 / ((n + 1) * fraction * z ** (n + 1))

    def _far(self, z: Array, t: Array) -> Array:
        y = np.log(z) / t
        for n in range(1, self.order + 1):
            y = (y - 1.0 / (n * z**n)) / t
        return y

    def backward(self, gy: Array) -> Array:
        with np.errstate(all="ignore"):
            return gy * LogQuotient(self.order + 1, self.origin).of(self.inputs[0].data)
