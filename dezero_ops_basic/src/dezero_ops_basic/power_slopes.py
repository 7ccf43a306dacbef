"""What the derivatives of powers are made of, with all their digits and their limits at 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function

Array = Any


class PowLog(Function):
    """x**(c - k) log(x)**m, what the derivatives of x**c are made of.

    By x it is (c - k) x**(c - k - 1) log(x)**m + m x**(c - k - 1) log(x)**(m - 1), by c
    x**(c - k) log(x)**(m + 1).
    """

    def __init__(self, power: Any, k: int, m: int) -> None:
        self.power, self.k, self.m = power, k, m

    def forward(self, x: Array, c: Array) -> Array:
        k = float(self.k)
        y = _lowered(self.power, x, c, k)
        if self.m == 0:
            return y
        zero = np.equal(x, 0)
        if not np.any(zero):
            return (y * np.log(x) ** self.m).astype(y.dtype, copy=False)
        # 0**c is 0 for every c > 0: it wins over the logarithm. Of 0**0 likewise, by convention.
        zero = zero & (np.greater_equal(c, k) if self.k == 0 else np.greater(c, k))
        return np.where(zero, 0.0, y * np.log(np.where(zero, 1.0, x)) ** self.m).astype(y.dtype)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x, c = self.inputs[0].data, self.inputs[1].data
        of_x, of_c = self.needs_grad
        gx = gc = None
        # A gradient of 0 comes from a factor that is 0, such as the 2 - c of the square.
        if of_x:
            gx = Times().of(gy * (c - self.k), self._near(1, self.m).of(x, c))
            if self.m:
                gx = gx + Times().of(gy * self.m, self._near(1, self.m - 1).of(x, c))
        if of_c:
            gc = Times().of(gy, self._near(0, self.m + 1).of(x, c))
        return gx, gc

    def _near(self, lower: int, m: int) -> PowLog:
        return PowLog(self.power, self.k + lower, m)


class Times(Function):
    """A product in which 0 wins over inf and nan: x**0 is constant, whatever x is."""

    def forward(self, x0: Array, x1: Array) -> Array:
        zero = np.equal(x0, 0)
        return x0 * (np.where(zero, 0.0, x1).astype(x1.dtype) if np.any(zero) else x1)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gy * x1, gy * x0


def _lowered(power: Any, x: Array, c: Array, k: float) -> Array:
    """Return x**(c - k), with all its digits also where c - k is rounded."""
    if k == 0.0:
        return np.asarray(power(x, c))
    exponent = c - k
    real = not np.iscomplexobj(c)
    least, most = (np.min(c, initial=k), np.max(c, initial=k)) if real else (-np.inf, np.inf)
    vanishing: Any = np.False_
    if not least >= k:  # or nan
        # Of x**2 the third derivative is 0 x**-1. Its inf is taken 0 times: no reason to warn.
        whole = np.equal(np.floor(np.real(c)), c) & np.greater_equal(c, 0) & np.less(c, k)
        if np.any(whole):
            vanishing = whole & np.less(np.absolute(x), 1.0 / _largest(x))
    y = np.asarray(power(np.where(vanishing, 1.0, x) if np.any(vanishing) else x, exponent))
    if np.any(vanishing):
        y = np.where(vanishing, np.inf, y).astype(y.dtype)
    if not real:
        return y  # what rounding takes is made good of real exponents alone
    eps = float(np.finfo(y.dtype).eps)
    if least >= k / 2.0 and most < 1.0 / eps:
        return y  # nothing was rounded
    lost = lost_by_rounding(c, exponent, k)
    most = np.max(np.absolute(lost), initial=0.0)
    if most == 0.0 or (most < 0.5 and most * _largest_log(x) < eps):
        return y
    return y * _repaired(x, y, lost, whole=not most < 0.5)


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
        ends = np.log(np.min(size, initial=1.0)), np.log(np.max(size, initial=1.0))
    return np.max(np.absolute(ends))


def _repaired(x: Array, y: Array, lost: Array, whole: bool) -> Array:
    """Return the factor ``x**lost``, 1 where `x` or `y` have no digits to lose."""
    size = np.absolute(x)
    plain = np.isfinite(x) & np.not_equal(x, 0) & np.isfinite(y) & np.isfinite(lost)
    if not np.all(plain):
        size, lost = np.where(plain, size, 1.0), np.where(plain, lost, 0.0)
    factor = np.exp(lost * np.log(size))
    if whole:
        # Beyond 2**53 every exponent is even, and c - 1 is not: the sign is lost as well.
        odd = np.equal(np.absolute(lost) % 2.0, 1.0) & np.less(np.real(x), 0)
        factor = np.where(odd, -factor, factor)
    return factor.astype(y.real.dtype)
