"""Differences of large terms of Stirling's formula, which nearly cancel, with all their digits.

All of these take ndarrays of float64.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dezero_core.extend import Array

#: From this number on, the asymptotic series with so many terms are right to the last digit.
LARGE = 16.0
#: log(Gamma(a)) less (a - 1/2) log(a) - a + log(2 pi) / 2, times a: NIST DLMF 5.11.1.
_GAMMA = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
#: log(a) - digamma(a) - 1 / (2 a), times a**2: NIST DLMF 5.11.2.
_DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760)


def remainder(a: Array) -> Array:
    """Return ``log(Gamma(a))`` less Stirling's formula, for large numbers."""
    return _series(_GAMMA, a) / a


def log_less_digamma(a: Array) -> Array:
    """Return ``log(a) - digamma(a)``, for large numbers."""
    return 0.5 / a + _series(_DIGAMMA, a) / a / a


def _series(coefficients: Sequence[float], a: Array) -> Array:
    """Return a polynomial in ``1 / a**2``."""
    found = 0.0 * a
    for coefficient in reversed(coefficients):
        found = coefficient + found / a / a
    return found


def log1p_less(x: Array) -> Array:
    """Return ``log(1 + x) - x``: near 0 by the series of the logarithm in ``x / (2 + x)``.

    Source: NIST DLMF 4.6.4.
    """
    is_near = np.abs(x) < 0.5
    near = np.where(is_near, x, 0.0)
    ratio = near / (2.0 + near)
    square, total = ratio * ratio, np.zeros_like(ratio)
    for k in range(35, 1, -2):
        total = total * square + 1.0 / k
    return np.where(is_near, ratio * (2.0 * square * total - near), np.log1p(x) - x)
