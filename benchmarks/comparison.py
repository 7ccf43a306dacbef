"""Compare the results of a library with the ones derived by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

WRONG = 3
"""The exit code of a process that found a difference."""


def difference(got: Sequence[Any], expected: Sequence[Any]) -> str | None:
    """Return a sentence about a wrong result, None if all are right up to rounding."""
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
