"""True derivatives of Bessel functions, by mpmath from their differential equation."""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any

from mpmath import mp, mpmathify

_FUNCTIONS = {"j": mp.besselj, "y": mp.bessely, "i": mp.besseli, "k": mp.besselk}


def bessel_derivative(name: str, v: float, order: int, z: Any) -> Any:
    """Return the derivative of an order up to 3 of the function of a name such as ``"jv"``."""
    return _derivatives(name[0], v, z)[order]


def scaled_derivative(name: str, v: float, order: int, z: Any) -> Any:
    """Return that of the function times ``exp(-z)``, of a name such as ``"ive"``, or ``exp(z)``."""
    sign, found = (-1 if name[0] == "i" else 1), _derivatives(name[0], v, z)
    with mp.workdps(_digits(z)):
        total = sum(comb(order, k) * sign ** (order - k) * found[k] for k in range(order + 1))
        return mp.exp(sign * mpmathify(z)) * total


@cache
def _derivatives(kind: str, v: float, z: Any) -> list[Any]:
    """Return the first by NIST DLMF 10.6.2 or 10.29.2, the others by 10.2.1 or 10.25.1."""
    function, sign = _FUNCTIONS[kind], (-1 if kind in "ik" else 1)
    with mp.workdps(_digits(z)):
        v, z = mpmathify(v), mpmathify(z)
        ratio, rest = v / z, sign - v * v / (z * z)
        y, below = function(v, z), function(v - 1, z)
        first = (-below if kind == "k" else below) - ratio * y
        second = -first / z - rest * y
        third = -second / z + first / (z * z) - rest * first - 2 * ratio * ratio / z * y
        return [y, first, second, third]


def _digits(z: Any) -> int:
    """Return a number of digits of which enough are left where terms cancel."""
    return 45 + int(5 * abs(mp.log10(abs(mpmathify(z)))))
