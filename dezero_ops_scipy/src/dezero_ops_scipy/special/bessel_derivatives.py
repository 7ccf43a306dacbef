"""Derivatives of Bessel functions by their argument: sums of functions of neighbouring orders.

SciPy's functions of orders 0 and 1, and `yn`, take a fraction of the time of those of any order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Elementwise

from dezero_core.extend import Array, possible

from .cases import by_cases

#: Function -> the signs of its neighbours in ``2 C[v]' = ± C[v-1] ± C[v+1]``.
SIGNS = {"jv": (1, -1), "yv": (1, -1), "iv": (1, 1), "kv": (-1, -1)}
#: The smallest number that has all its digits.
TINY = float(np.finfo(float).tiny)

_OfOne = Callable[[Array], Array]

#: Function -> where SciPy's functions of whole orders are as exact as those of any order. From 8 on
#: they round the angle, and near 4 they lose digits of a logarithm; at 700, others underflow.
_NEAR: dict[str, _OfOne] = {
    "jv": lambda z: np.abs(z) < 8.0,
    "yv": lambda z: z < 3.0,
    "kv": lambda z: np.abs(z - 350.0) < 350.0,
}


class BesselDerivative(Elementwise):
    """The derivative of a Bessel function of an order, by `z`; its own is that of the next.

    That of order 0 is the function itself.
    """

    def __init__(self, name: str, order: int = 1) -> None:
        self.name, self.order = name, order

    def forward(self, v: Array, z: Array) -> Array:
        name, n = self.name, self.order
        if n == 0:
            return value_of(name, v, z)
        careful = partial(_by_neighbours, name, n, v)
        with np.errstate(all="ignore"):
            if n > 1 or type(v) not in (int, float) or z.dtype.kind == "c":
                return careful(z)
            if name == "iv" and 0 < v < 100 and z.dtype == np.float64:
                return by_series(v, z, lambda v, z: careful(z))
            if type(v) is float or not _has_quick_slope(name, v):
                return careful(z)
            quick = partial(_slope_of_whole_order, name, v)
            near = _NEAR[name](z) & (np.abs(z) > 0.01)
            return by_cases(near, quick, _farther(name, quick, careful), z)

    def backward(self, gy: Array) -> tuple[None, Array]:
        v, z = (each.data for each in self.inputs)
        return None, gy * BesselDerivative(self.name, self.order + 1).of(v, z)


def _by_neighbours(name: str, n: int, v: Array, z: Array) -> Array:
    """Return the derivative of order n: NIST DLMF 10.6.7 and 10.29.5."""
    is_whole = type(v) is int or (type(v) is float and v.is_integer())
    terms = _terms_of_whole_order(name, n, int(v)) if is_whole else _terms(name, n, v)
    values = [weight * value_of(name, order, z) for order, weight in terms]
    return added_up(values, lowest=name in ("jv", "iv") or v < 0)


def _terms(name: str, n: int, v: Array) -> list[tuple[Array, float]]:
    below, above = SIGNS[name]
    return [
        (v + (2.0 * k - n), 0.5**n * math.comb(n, k) * below ** (n - k) * above**k)
        for k in range(n + 1)
    ]


@cache
def _terms_of_whole_order(name: str, n: int, v: int) -> list[tuple[int, float]]:
    """Return those with one order m in place of m and -m, since ``C[-m] = ± C[m]``.

    Source: NIST DLMF 10.4.1, 10.27.1 and 10.27.3.
    """
    weights: dict[int, float] = {}
    for order, weight in _terms(name, n, v):
        m, sign = abs(int(order)), math.prod(SIGNS[name]) ** min(int(order), 0)
        weights[m] = weights.get(m, 0.0) + sign * weight
    return sorted(weights.items(), reverse=v < 0)


def added_up(terms: list[Array], lowest: Array | bool) -> Array:
    """Return the sum; where infinite terms cancel, as at 0, that of the lowest or highest order."""
    total = sum(terms[1:], start=terms[0])
    if len(terms) > 1 and possible(np.isnan(total).any()):
        return np.where(np.isnan(total), np.where(lowest, terms[0], terms[-1]), total)
    return total


def by_series(
    v: Array, x: Array, careful: Callable[[Array, Array], Array], scaled: bool = False
) -> Array:
    """Return the derivative of ``I[v](x)``, or of ``exp(-x) I[v](x)`` for x from 0 on.

    For v between 0 and 100, up to ``5 sqrt(v + 1)``, by the power series, which has more digits
    than SciPy's values; elsewhere ``careful(v, x)``.

    Source: NIST DLMF 10.25.2.
    """
    few, many = (partial(_power_series, terms, scaled) for terms in (14, 40))

    def farther(v: Array, x: Array) -> Array:
        return by_cases(np.abs(x) < 5.0 * _unit(v), many, careful, v, x)

    return by_cases(np.abs(x) < _unit(v), few, farther, v, x)


def _unit(v: Array) -> Array:
    return np.where((v > 0.0) & (v < 100.0), np.sqrt(v + 1.0), 0.0)


def _power_series(terms: int, scaled: bool, v: Array, x: Array) -> Array:
    weights = [1.0]
    for k in range(1, terms):
        weights.append(weights[-1] / (k * (v + k)))
    square, first, total = 0.25 * x * x, v - x if scaled else v, 0.0
    for k in range(terms - 1, -1, -1):
        total = total * square + weights[k] * (first + 2.0 * k)
    y = 0.5 * (0.5 * x) ** (v - 1.0) / scipy.special.gamma(v + 1.0) * total
    return np.exp(-x) * y if scaled else y


def _has_quick_slope(name: str, n: int) -> bool:
    """Return whether the recurrence is as exact: for I, digits would cancel."""
    return (n == 1 and name != "iv") or (name == "yv" and 1 < n < 10)


def _slope_of_whole_order(name: str, n: int, z: Array) -> Array:
    """Return ``± C[n-1] - n / z C[n]``: NIST DLMF 10.6.1, 10.6.2 and 10.29.2."""
    below, same = (getattr(scipy.special, f"{name[0]}{order}")(z) for order in (0, 1))
    for k in range(1, n):
        below, same = same, 2.0 * k * same / z - below
    return (-below if name == "kv" else below) - n * same / z


def value_of(name: str, v: Array, z: Array) -> Array:
    """Return SciPy's value, by its function of that order where it is as exact, or a better one.

    An order that is an int is not negative.
    """
    if type(v) is not int or z.dtype.kind == "c" or (v > 1 and name != "yv"):
        return _of_any_order(name, v, z)
    quick, careful = _of_whole_order(name, v)
    return quick(z) if name == "iv" else by_cases(_NEAR[name](z), quick, careful, z)


@cache
def _of_whole_order(name: str, n: int) -> tuple[_OfOne, _OfOne]:
    quick = getattr(scipy.special, f"{name[0]}{n}") if n < 2 else partial(value_of_yn, n)
    return quick, _farther(name, quick, partial(_of_any_order, name, n))


def _farther(name: str, quick: _OfOne, careful: _OfOne) -> _OfOne:
    """Return the formula for numbers that are not near: of `yv`, it is quick from 5 to 8 again."""
    if name != "yv":
        return careful
    return lambda z: by_cases(np.abs(z - 6.5) < 1.5, quick, careful, z)


def value_of_yn(n: Array, x: Array) -> Array:
    """Return SciPy's value, of float32 if `x` is: of an int `n`, SciPy's is of float64."""
    y = scipy.special.yn(n, x)
    if x.dtype != np.float32:
        return y
    with np.errstate(over="ignore"):
        return y.astype(x.dtype)


def _of_any_order(name: str, v: Array, z: Array) -> Array:
    function = getattr(scipy.special, name)
    if name == "iv":
        # Next to 0 it may be nan or of the wrong sign, and is as good as that of jv.
        return by_cases(np.abs(z) >= TINY, function, scipy.special.jv, v, z)
    if name == "kv":
        # Before it underflows it has few digits left, and is 0 too early.
        return by_cases(np.abs(np.real(z) - 700.0) >= 100.0, function, _by_scaled, v, z)
    return function(v, z)


def _by_scaled(v: Array, z: Array) -> Array:
    return scipy.special.kve(v, z) * np.exp(-z)
