"""What the derivatives of powers are made of, with all their digits and their limits at 0."""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

from dezero_core import Function, as_array
from dezero_core.extend import Array, certain, possible


class PowDerivative(Function):
    """The derivative of x**c, `by_x` times by x and `by_c` times by c.

    i times by x it is c (c - 1) ... (c - i + 1) x**(c - i): a polynomial in c, and a power. That
    derived j times by c is a sum, by Leibniz's rule, of derivatives of the polynomial times powers
    of log(x). Factor and power are one Function, and not a product of two: of x**2, the third
    derivative is 0 also at x = 0, where x**-1 is not, and so is every one after it.
    """

    elementwise = True

    def __init__(self, power: Any, by_x: int, by_c: int) -> None:
        self.power, self.by_x, self.by_c = power, by_x, by_c

    def forward(self, x: Array, c: Array) -> Array:
        i, j = self.by_x, self.by_c
        factors = _falling(c, i, j)
        y = _lowered(self.power, x, c, float(i))
        factor = factors[0]
        if j:
            zero = np.equal(x, 0)
            # 0**c is 0 for c > 0, and wins over the logarithm. So does 0**0, by convention.
            flat = zero & (np.greater(c, i) if i else np.greater_equal(c, 0))
            is_flat = possible(np.any(flat))
            log = np.log(np.where(flat, 1.0, x) if is_flat else x)
            for m in reversed(range(j)):
                factor = _times(factor, log) + factorial(j) / factorial(m) * factors[j - m]
            if is_flat:
                factor = np.where(flat, 0.0, factor)
        return _times(factor, y).astype(y.dtype, copy=False)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x, c = self.inputs[0].data, self.inputs[1].data
        of_x, of_c = self.needs_grad
        by_x, by_c = self.by_x, self.by_c
        return (
            gy * PowDerivative(self.power, by_x + 1, by_c).of(x, c) if of_x else None,
            gy * PowDerivative(self.power, by_x, by_c + 1).of(x, c) if of_c else None,
        )


def _falling(c: Array, i: int, j: int) -> list[Array]:
    """Return c (c - 1) ... (c - i + 1), and its derivatives by c over their factorials, up to j."""
    found: list[Any] = [1.0, *[0.0] * j]
    for n in range(i):
        factor = c - n
        found = [factor * f + (found[m - 1] if m else 0.0) for m, f in enumerate(found)]
    return found


def _times(factor: Array, y: Array) -> Array:
    """Return a product in which a factor of 0 wins over inf and nan."""
    zero = np.equal(factor, 0)
    return factor * (np.where(zero, 1.0, y) if possible(np.any(zero)) else y)


def _lowered(power: Any, x: Array, c: Array, k: float) -> Array:
    """Return x**(c - k), with all its digits also where c - k is rounded."""
    if k == 0.0:
        return as_array(power(x, c))
    exponent = c - k
    real = not np.iscomplexobj(c)
    vanishing: Any = np.False_
    above = real and certain(np.all(c >= k))
    if not above:  # or nan
        # Of x**2 the third derivative is 0 x**-1. Its inf is taken 0 times: no reason to warn.
        whole = np.equal(np.floor(np.real(c)), c) & np.greater_equal(c, 0) & np.less(c, k)
        if possible(np.any(whole)):
            vanishing = whole & np.less(np.absolute(x), 1.0 / _largest(x))
    may_vanish = possible(np.any(vanishing))
    y = as_array(power(np.where(vanishing, 1.0, x) if may_vanish else x, exponent))
    if may_vanish:
        y = np.where(vanishing, np.inf, y).astype(y.dtype)
    if not real:
        return y  # what rounding takes is made good of real exponents alone
    eps = float(np.finfo(y.dtype).eps)
    if (above or certain(np.all(c >= k / 2.0))) and certain(np.all(c < 1.0 / eps)):
        return y  # nothing was rounded
    lost = lost_by_rounding(c, exponent, k)
    if certain(np.all(lost == 0)):
        return y
    size = np.absolute(lost)
    small = certain(np.all(size < 0.5))
    if small and certain(np.max(size, initial=0.0) * _largest_log(x) < eps):
        return y
    return y * _repaired(x, y, lost, whole=not small)


def converted(x: Array, dtype: Any) -> Array:
    """Return base or exponent in the dtype of the power; Python's numbers are weak anyway."""
    return x.astype(dtype) if getattr(x, "dtype", dtype) != dtype else x


def lowered_exactly(c: float) -> bool:
    """Return whether nothing is rounded in ``c - 1``."""
    return -(2.0**52) < c < 2.0**52 and (c - 1) + 1 == c


def lost_by_rounding(c: Array, exponent: Array, k: float) -> Array:
    """Return what rounding took from ``exponent = c - k``."""
    with np.errstate(invalid="ignore"):
        back = exponent - c  # 2Sum, Møller 1965
        return (c - (exponent - back)) - (k + back)


def _largest(x: Array) -> float:
    return float(np.finfo(x.dtype if hasattr(x, "dtype") else float).max)


def _largest_log(x: Array) -> Array:
    """Return how large ``log(abs(x))`` is at most."""
    size = np.absolute(x)
    with np.errstate(divide="ignore"):
        least, most = np.log(np.min(size, initial=1.0)), np.log(np.max(size, initial=1.0))
    return np.maximum(np.absolute(least), np.absolute(most))


def _repaired(x: Array, y: Array, lost: Array, whole: bool) -> Array:
    """Return the factor ``x**lost``, 1 where `x` or `y` have no digits to lose."""
    size = np.absolute(x)
    plain = np.isfinite(x) & np.not_equal(x, 0) & np.isfinite(y) & np.isfinite(lost)
    if not certain(np.all(plain)):
        size, lost = np.where(plain, size, 1.0), np.where(plain, lost, 0.0)
    factor = np.exp(lost * np.log(size))
    if whole:
        # Beyond 2**53 every exponent is even, and c - 1 is not: the sign is lost as well.
        odd = np.equal(np.absolute(lost) % 2.0, 1.0) & np.less(np.real(x), 0)
        factor = np.where(odd, -factor, factor)
    return factor.astype(y.real.dtype)
