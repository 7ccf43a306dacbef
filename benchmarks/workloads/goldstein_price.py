"""The Goldstein-Price function of the book's step 24, at (1, 1): one gradient on single numbers."""

from __future__ import annotations

import numpy as np

from workloads import Case

LEFT_OUT: dict[str, str] = {}
ROUNDS: dict[str, int] = {}


def goldstein_price(x, y):
    return (1 + (x + y + 1) ** 2 * (19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2)) * (
        30 + (2 * x - 3 * y) ** 2 * (18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2)
    )


def by_hand(x, y):
    a, b = x + y + 1.0, 2.0 * x - 3.0 * y
    p = 19.0 - 14.0 * x + 3.0 * x * x - 14.0 * y + 6.0 * x * y + 3.0 * y * y
    q = 18.0 - 32.0 * x + 12.0 * x * x + 48.0 * y - 36.0 * x * y + 27.0 * y * y
    left, right = 1.0 + a * a * p, 30.0 + b * b * q
    dp = -14.0 + 6.0 * x + 6.0 * y  # the same by x and by y
    dleft = 2.0 * a * p + a * a * dp
    gx = dleft * right + left * (4.0 * b * q + b * b * (-32.0 + 24.0 * x - 36.0 * y))
    gy = dleft * right + left * (-6.0 * b * q + b * b * (48.0 - 36.0 * x + 54.0 * y))
    return left * right, [gx, gy]


def cases(lib):
    x, y = np.array(1.0), np.array(1.0)
    _, gradients = by_hand(x, y)
    yield Case("gradient", lib.gradient(goldstein_price, x, y, by_hand=by_hand), gradients)
