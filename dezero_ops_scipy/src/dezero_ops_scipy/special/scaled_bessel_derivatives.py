"""Derivatives of the exponentially scaled modified Bessel functions, with all their digits.

The larger `x` is, the less ``exp(-x) I[v](x)`` changes, and the closer together are the neighbours
``v - 1`` and ``v + 1`` of which the recurrence for the derivative takes a difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Elementwise

from dezero_core.extend import Array, certain, possible

from ..arguments import floating
from .bessel_derivatives import added_up, by_series, value_of
from .cases import by_cases
from .limits import finite
from .rounding import sine_of_pi_times

#: From this length of the vector (v, x) on, a short quadrature is exact.
FAR = 40.0


class OfInteger(Elementwise):
    """The derivative of `i0e`, or of `i1e` if v is 1, of an order; its own is that of the next.

    For positive x, ``i0e(x) = M(1/2, 1, -2 x)`` and ``i1e(x) = i0e(x) + i0e'(x)``. The sums of two
    derivatives of M cancel next to their zeros alone.

    Source: NIST DLMF 10.39.5, 10.29.3 and 16.3.1.
    """

    def __init__(self, v: int, order: int = 1) -> None:
        self.v, self.order = v, order

    def forward(self, x: Array) -> Array:
        if self.v == 0 and self.order == 1:
            return by_cases(np.abs(x) < 1.0, _slope_of_i0e, self._by_kummer, x)
        return self._by_kummer(x)

    def _by_kummer(self, x: Array) -> Array:
        total = 0.0
        for n in range(self.order, self.order + self.v + 1):
            weight = (-2.0) ** n * float(scipy.special.poch(0.5, n)) / math.factorial(n)
            m = scipy.special.hyp1f1(n + 0.5, n + 1.0, -2.0 * finite(np.abs(x)))
            total = total + weight * m
        return total * np.sign(x) if (self.v + self.order) % 2 else total

    def backward(self, gy: Array) -> Array:
        return gy * OfInteger(self.v, self.order + 1).of(self.inputs[0].data)


def _slope_of_i0e(x: Array) -> Array:
    return scipy.special.i1e(x) - np.sign(x) * scipy.special.i0e(x)


class OfFirstKind(Elementwise):
    """The derivative of `ive` by `x`, of an order; its own is that of the next."""

    def __init__(self, order: int = 1) -> None:
        self.order = order

    def forward(self, v: Array, x: Array) -> Array:
        n, is_number = self.order, type(v) in (int, float)
        if n == 1 and is_number and v == 0:
            return OfInteger(0).forward(x)
        with np.errstate(all="ignore"):
            if is_number and v > 0 and certain((x > 0.0).all()):
                return _of_first_kind(n, v, x.astype(float)).astype(x.dtype)
            return _of_both_signs(n, v, x)

    def backward(self, gy: Array) -> tuple[None, Array]:
        v, x = (each.data for each in self.inputs)
        return None, gy * OfFirstKind(self.order + 1).of(v, x)


class OfSecondKind(Elementwise):
    """The derivative of `kve` by `x`, of an order; its own is that of the next."""

    def __init__(self, order: int = 1) -> None:
        self.order = order

    def forward(self, v: Array, x: Array) -> Array:
        n = self.order
        with np.errstate(all="ignore"):
            if np.iscomplexobj(x):
                return (-1) ** n * _by_differences(scipy.special.kve, n, v, x, np.less(v, 0.0))
            return _of_second_kind(n, _wide(v), _wide(x)).astype(floating(v, x))

    def backward(self, gy: Array) -> tuple[None, Array]:
        v, x = (each.data for each in self.inputs)
        return None, gy * OfSecondKind(self.order + 1).of(v, x)


def _wide(x: Array) -> Array:
    return finite(np.multiply(x, 1.0, dtype=float))


def _of_both_signs(n: int, v: Array, x: Array) -> Array:
    dtype, v, x = floating(v, x), _wide(v), _wide(x)
    whole = np.equal(v, np.round(v))
    y = _of_first_kind(n, np.abs(v), np.abs(x))
    reflected = np.less(v, 0.0) & ~whole
    if possible(reflected.any()):
        y = np.where(reflected, y + _of_reflection(n, np.abs(v), x), y)
    # If it is an odd function it has the sign of x, and at 0 the mean of the slopes beside.
    odd = np.equal(np.mod(v + n, 2.0), 1.0)
    sign = np.where(whole | (x >= 0.0), np.where(odd, np.sign(x), 1.0), np.nan)
    return (sign * y).astype(dtype)


def _of_first_kind(n: int, v: Array, x: Array) -> Array:
    general = partial(_of_positive, n)
    return by_series(v, x, general, scaled=True) if n == 1 else general(v, x)


def _of_positive(n: int, v: Array, x: Array) -> Array:
    def far(v: Array, x: Array) -> Array:
        return _by_integral(n, v, x, first=True)

    def near(v: Array, x: Array) -> Array:
        return _by_kummer(n, np.minimum(v, FAR), np.minimum(x, FAR))

    def larger(v: Array, x: Array) -> Array:
        x = finite(np.maximum(x, 1.0))
        return by_cases(np.hypot(v, x) > FAR, far, near, v, x)

    differences = partial(_by_differences, _ive, n, lowest=True)
    # Where x is not larger, they do not cancel.
    return by_cases(x > np.maximum(v, 1.0), larger, differences, v, x)


def _of_second_kind(n: int, v: Array, x: Array) -> Array:
    def larger(v: Array, x: Array) -> Array:
        return _by_integral(n, v, np.maximum(x, 0.5), first=False)

    v = np.abs(v)
    differences = partial(_by_differences, scipy.special.kve, n, lowest=False)
    return (-1.0) ** n * by_cases(x > np.maximum(v, 0.5), larger, differences, v, x)


def _of_reflection(n: int, v: Array, x: Array) -> Array:
    """Return the derivative of ``ive(-v, x) - ive(v, x)``: NIST DLMF 10.27.2."""
    total = 0.0
    for k in range(n + 1):
        total = total + math.comb(n, k) * (-2.0) ** (n - k) * _of_second_kind(k, v, x)
    return 2.0 / np.pi * sine_of_pi_times(v) * np.exp(-2.0 * x) * total


def _ive(v: Array, x: Array) -> Array:
    """Return `ive` by `iv`, which has more digits, where that does not overflow."""
    return by_cases(x < 700.0, _by_exponential, scipy.special.ive, v, x)


def _by_exponential(v: Array, x: Array) -> Array:
    return value_of("iv", v, x) * np.exp(-x)


def _by_differences(
    function: Callable[..., Array], n: int, v: Array, x: Array, lowest: Array | bool
) -> Array:
    """Apply ``(C[v-1] - 2 C[v] + C[v+1]) / 2``, but for a sign the derivative, n times."""
    terms = [
        (-1.0) ** k * math.comb(2 * n, k) * 0.5**n * function(v + float(k - n), x)
        for k in range(2 * n + 1)
    ]
    return added_up(terms, lowest)


def _by_kummer(n: int, v: Array, x: Array) -> Array:
    """Return the derivative of ``(x / 2)**v M(v + 1/2, 2 v + 1, -2 x) / Gamma(v + 1)``.

    By ``x M'(a) = a (M(a + 1) - M(a))`` it is a sum whose terms fall like the powers of 1 / x.

    Source: NIST DLMF 10.39.5 and 13.3(ii).
    """
    total = 0.0
    for k in range(n + 1):
        weight = (-1.0) ** (n - k) * math.comb(n, k) * float(scipy.special.poch(k + 0.5, n - k))
        m = scipy.special.hyp1f1(v + 0.5 + k, 2.0 * v + 1.0, -2.0 * x)
        total = total + weight * scipy.special.poch(v + 0.5, k) * m
    return (0.5 * x) ** v / scipy.special.gamma(v + 1.0) / x**n * total


def _by_integral(n: int, v: Array, x: Array, first: bool) -> Array:
    """Return the integral of ``(cosh(t) - 1)**n`` times the exponential of a Bessel function's.

    That is ``exp(x cosh(t) - v t)`` for I[v], along a curve from ``inf - pi i`` to ``inf + pi i``,
    and ``exp(v t - x cosh(t))`` for K[v], along the real line. Both lead through the saddle point
    ``sinh(t) = v / x``, and the trapezoidal rule converges like a Gaussian's.

    Source: NIST DLMF 10.32.12, 10.32.9 and 3.5(i).
    """
    length = np.hypot(v, x)
    rise = (v + v * v / (length + x)) / x  # of exp(t) over 1, at the saddle point
    saddle = v * v / (length + x) - v * np.log1p(rise)
    width, sign, total = 1.0 / np.sqrt(np.maximum(length, 1.0)), 1.0 if first else -1.0, 0.0
    for node in _AROUND if first else _ALONG:
        step, growth, weight = (_around if first else _along)(node * width)
        factor = 1.0 + growth
        exponent = length * growth**2 / (2.0 * factor) + v * _bend(step, factor)
        power = (rise * factor + growth) ** 2 / (2.0 * (1.0 + rise) * factor)
        total = total + weight * np.exp(sign * exponent) * power**n
    return width * np.exp(sign * saddle) * np.real(total)


_AROUND = [0.25 + 0.5 * k for k in range(28)]  # the other half has the conjugate values
_ALONG = [0.2 * k for k in range(-50, 51)]


def _around(s: Array) -> tuple[Array, Array, Array]:
    """Return a step from the saddle point, its exponential less 1, and the weight of the node."""
    step = np.log1p(0.25 * s * s) + 2.0j * np.arctan(0.5 * s)
    return step, (1j * s) * (1.0 + 0.25j * s), 0.5 / np.pi / (1.0 + 0.5j * s)


def _along(s: Array) -> tuple[Array, Array, Array]:
    return s, np.expm1(s), 0.1


def _bend(step: Array, factor: Array) -> Array:
    """Return ``sinh(step) - step``, where `factor` is ``exp(step)``."""
    square: Array = step * step
    total: Array = 1.0
    for k in range(19, 3, -2):
        total = 1.0 + square / (k * (k - 1.0)) * total
    small = step * square / 6.0 * total
    return np.where(np.abs(step) < 1.2, small, 0.5 * (factor - 1.0 / factor) - step)
