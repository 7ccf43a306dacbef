"""Care for infinite numbers, so that formulas have the values of their limits."""

from __future__ import annotations

import numpy as np

from dezero_core.extend import Array

quietly = np.errstate(all="ignore")
"""Decorator of ``forward``, without warnings: derivatives may be infinite, or nan.

A ``backward``, which dezero-replay records, needs the ``with`` statement.
"""


def finite(x: Array) -> Array:
    """Return `x`, if it is real, with huge numbers for infinite ones: 0 times them is 0."""
    if x.dtype.kind == "c":
        return x
    largest = np.finfo(x.dtype).max / 8.0
    return np.clip(x, -largest, largest)
