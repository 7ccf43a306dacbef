"""Derivatives of ``exp(f)`` from those of f, as of a density from those of its logarithm."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import comb
from typing import Any

from dezero_core.extend import Array


def bell_polynomial(slope: Callable[[int, int], Array], i: int, k: int = 0) -> Any:
    """Return the derivative of exp(f), over exp(f), of order i by one and k by another argument.

    `slope` gives the derivatives of f of such orders. They are arrays or Variables.

    Source: NIST DLMF 1.4.13, by Leibniz's rule for exp(f) f'.
    """
    slope = cache(slope)

    @cache
    def ratio(i: int, k: int) -> Any:
        if i == k == 0:
            return 1.0
        of_first = int(i > 0)
        left, right = (i - 1, k) if of_first else (i, k - 1)
        terms = (
            comb(left, p)
            * comb(right, q)
            * slope(p + of_first, q + 1 - of_first)
            * ratio(left - p, right - q)
            for p in range(left + 1)
            for q in range(right + 1)
        )
        return sum(terms, 0.0)

    return ratio(i, k)
