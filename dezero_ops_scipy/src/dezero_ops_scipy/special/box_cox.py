"""The transformation of Box and Cox, and its inverse, with derivatives also by the exponent."""

from __future__ import annotations

import math

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Elementwise, elementwise, operation

from dezero_core.extend import Array, Operand

from ..arguments import floating
from .limits import finite, quietly
from .quotients import LogQuotient
from .rounding import exact_product, exact_sum


class Boxcox(Elementwise):
    """``(x**lmbda - 1) / lmbda``, and ``log(x)`` for 0, elementwise: ``scipy.special.boxcox``.

    x, lmbda: real, of shapes that broadcast; `x` from 0 on.
    Returns: nan where `x` is below 0.
    Derivative by `lmbda`: ``log(x)**2`` times the integral of ``t * x**(lmbda * t)`` for t from 0
        to 1, which has all digits at 0 and next to it.
    Raises TypeError: if an operand is complex.
    Source: Box and Cox 1964, equation 1.

    >>> x, lmbda = Variable(np.array(np.e)), Variable(np.array(0.0))
    >>> boxcox(x, lmbda).backward()
    >>> x.grad, lmbda.grad
    (array(0.36787944), array(0.5))
    """

    def forward(self, x: Operand, lmbda: Operand) -> Array:
        return scipy.special.boxcox(x, lmbda)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x, lmbda = (each.data for each in self.inputs)
        by_x, by_lmbda = self.needs_grad
        with np.errstate(all="ignore"):
            return (
                gy * PowerLog(1, 0).of(x, lmbda) if by_x else None,
                gy * BoxcoxDerivative(1).of(x, lmbda) if by_lmbda else None,
            )


class PowerLog(Elementwise):
    """``x**(c - j) log(x)**k``, and its derivatives by x and by c."""

    def __init__(self, j: int, k: int) -> None:
        self.j, self.k = j, k

    @quietly
    def forward(self, x: Array, c: Array) -> Array:
        power, quotient = x ** (c - self.j), x**c
        for _ in range(self.j):
            quotient = quotient / x
        # Of a c that is small, the difference c - j is rounded.
        y = np.where((c < 0.5 * self.j) & (x > 0.0) & (x < np.inf), quotient, power)
        y = y * np.log(1.0 * x) ** self.k if self.k else y
        return np.where((x >= 0.0) & (c == c), y, np.nan)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x, c = (each.data for each in self.inputs)
        j, k = self.j, self.k
        with np.errstate(all="ignore"):
            slope = (c - j) * PowerLog(j + 1, k).of(x, c)
            if k:
                slope = slope + k * PowerLog(j + 1, k - 1).of(x, c)
            return gy * slope, gy * PowerLog(j, k + 1).of(x, c) if self.needs_grad[1] else None


class BoxcoxDerivative(Elementwise):
    """``b[k] = log(x)**(k + 1) m[k]``, db[k] = x**(c - 1) log(x)**k dx + b[k+1] dc.

    ``m[k]`` is the integral of ``t**k exp(u t)`` for t from 0 to 1, with ``u = c log(x)``.
    """

    def __init__(self, k: int) -> None:
        self.k = k

    @quietly
    def forward(self, x: Array, c: Array) -> Array:
        log, power = np.log(1.0 * x), x**c
        u = np.where(c == 0.0, 0.0, c * log)
        is_near = np.abs(u) < self.k + 2.0
        near = log ** (self.k + 1) * _moment_by_series(self.k, np.where(is_near, u, 0.0))
        return np.where(is_near, near, self._far(np.clip(u, -1e4, 1e4), power, c))

    def _far(self, u: Array, power: Array, c: Array) -> Array:
        """Go up by parts, with ``c**(k + 1)`` times b[k], over exp(u) where that is large."""
        small, large = np.minimum(power, 1.0), np.maximum(power, 1.0)
        y = small - 1.0 / large
        for k in range(1, self.k + 1):
            y = u**k * small - k * y
        return large * y / c ** (self.k + 1)

    def backward(self, gb: Array) -> tuple[Array | None, Array | None]:
        x, c = (each.data for each in self.inputs)
        by_x, by_c = self.needs_grad
        with np.errstate(all="ignore"):
            return (
                gb * PowerLog(1, self.k).of(x, c) if by_x else None,
                gb * BoxcoxDerivative(self.k + 1).of(x, c) if by_c else None,
            )


def _moment_by_series(k: int, u: Array) -> Array:
    """Return m[k], by powers of ``|u|`` alone, in which nothing cancels; below 0, times exp(u)."""
    total, is_below = 0.0, u < 0.0
    for n in range(24 + 3 * k, -1, -1):
        below, above = math.perm(k + 1 + n, n + 1), math.factorial(n) * (n + k + 1)
        total = total * np.abs(u) + np.where(is_below, 1.0 / below, 1.0 / above)
    return total * np.exp(np.minimum(u, 0.0))


class InvBoxcox(Elementwise):
    """Inverse of `boxcox`, ``(1 + lmbda * y)**(1 / lmbda)``: ``scipy.special.inv_boxcox``.

    y, lmbda: real, of shapes that broadcast.
    Returns: nan where ``1 + lmbda * y`` is below 0, ``exp(y)`` for an exponent of 0.
    Derivative by `y`: ``(1 + lmbda * y)**(1 / lmbda - 1)``.
    Derivative by `lmbda`: with v for ``lmbda * y``, it is ``(v / (1 + v) - log(1 + v)) / lmbda**2``
        times the result, also next to 0; nan where v is -1.
    Raises TypeError: if an operand is complex.
    Source: Box and Cox 1964, equation 1.

    >>> y, lmbda = Variable(np.array(1.0)), Variable(np.array(0.0))
    >>> inv_boxcox(y, lmbda).backward()
    >>> y.grad, lmbda.grad
    (array(2.71828183), array(-1.35914091))
    """

    j = 0

    def forward(self, y: Operand, lmbda: Operand) -> Array:
        return scipy.special.inv_boxcox(y, lmbda)

    def backward(self, gx: Array) -> tuple[Array | None, Array | None]:
        y, c = (each.data for each in self.inputs)
        by_y, by_c = self.needs_grad
        j, slope = self.j, None
        with np.errstate(all="ignore"):
            next_power = InverseBoxcoxPower(j + 1).of(y, c)
            if by_c:
                by_log = y * (y * LogQuotient(1, 0.0).of(c * y))
                slope = gx * (InverseBoxcoxPower(j).of(y, c) * by_log)
                if j:
                    slope = slope - gx * (j * y * next_power)
            return gx * ((1.0 - j * c) * next_power) if by_y else None, slope


class InverseBoxcoxPower(InvBoxcox):
    """``(1 + c y)**(1 / c - j)`` with all digits, where SciPy's inv_boxcox rounds its logarithm."""

    def __init__(self, j: int) -> None:
        self.j = j

    @quietly
    def forward(self, y: Array, c: Array) -> Array:
        dtype = floating(y, c)
        y, c = y * np.float64(1.0), c * np.float64(1.0)
        product, lost = exact_product(c, y)
        z, rest = exact_sum(1.0, product)
        z, rest = exact_sum(z, rest + lost)
        near = np.clip(y, -1e4, 1e4)  # beyond, the power overflows, or is 0
        v = c * near
        limit = np.exp(near) * np.exp(near * v * (v / 3.0 - 0.5)) * (1.0 + v) ** -self.j
        x = np.where(np.abs(c) < 1e-13, limit, self._power(z, rest, c))
        return np.where(z >= 0.0, x, np.nan).astype(dtype)

    def _power(self, z: Array, rest: Array, c: Array) -> Array:
        """Return ``(z + rest)**(1 / c - j)``, without the rounding error of the exponent."""
        product, lost = exact_product(1.0 / c, c)
        exponent, less = exact_sum(1.0 / c, -float(self.j))
        less = less + ((1.0 - product) - lost) / c
        safe = np.where(z == 0.0, 1.0, finite(z))
        return z**exponent * np.exp(exponent * rest / safe + less * np.log(safe))


boxcox = operation(Boxcox, elementwise((0.3, 3.0), (-2.0, 2.0)))
inv_boxcox = operation(InvBoxcox, elementwise((-0.5, 2.0), (-0.4, 1.5)), name="inv_boxcox")
