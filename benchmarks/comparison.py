"""Whether what a library found is what was derived by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

WRONG = 3
"""The exit code of a process that found a difference."""


def difference(got: Sequence[Any], expected: Sequence[Any]) -> str | None:
    """Return what is wrong, or None; rounding may differ."""
    if len(got) != len(expected):
        return f"there are {len(got)} results, not {len(expected)}"
    for number, (a, b) in enumerate(zip(got, expected, strict=True)):
        a, b = np.asarray(a), np.asarray(b)
        if (a.shape, a.dtype) != (b.shape, b.dtype):
            return f"result {number} is {a.dtype}{a.shape}, not {b.dtype}{b.shape}"
        tolerance = 1e-3 if b.dtype == np.float32 else 1e-9
        scale = np.max(np.abs(b), initial=0.0)
        if not np.allclose(a, b, rtol=tolerance, atol=tolerance * scale):
            return f"result {number} is off by up to {np.max(np.abs(a - b)):.3g}, of {scale:.3g}"
    return None
