"""How far the results of machine code may be from NumPy's, in an audit."""

from __future__ import annotations

from typing import Any

import numpy as np

from .functions import EXACT
from .region import Map, Product, Reduction, Region

ULP = 16
"""Units in the last place, of each function of the vector library that a result went through."""

_SUMS = {"d": 1e-12, "f": 1e-5}
"""By dtype: the error of a sum, as a part of the largest element."""


def difference(region: Region, values: list[Any], expected: list[Any]) -> str:
    """Return a difference from NumPy's results that is larger than allowed; "" if there is none."""
    inexact = sum(
        isinstance(step, Map) and step.function is not None and step.function not in EXACT
        for step in region.steps
        if getattr(step, "function", None) is not np.where
    )
    sums = any(
        isinstance(step, Product) or (isinstance(step, Reduction) and step.ufunc is np.add)
        for step in region.steps
    )
    for found, right in zip(values, expected, strict=True):
        found, right = np.asarray(found), np.asarray(right)
        problem = _difference(found, right, inexact, sums)
        if problem:
            return problem
    return ""


def _difference(found: Any, right: Any, inexact: int, sums: bool) -> str:
    if found.dtype.kind != "f" or not (inexact or sums):
        same = (found == right) | ((found != found) & (right != right))
        limit: Any = 0
        far = ~same
    else:
        finite = np.isfinite(right)
        largest = np.max(np.abs(right), where=finite, initial=0.0)
        with np.errstate(all="ignore"):
            distance = np.abs(found - right)
            limit = ULP * inexact * np.spacing(np.abs(right))
            if sums or inexact > 1:
                limit = np.maximum(limit, _SUMS[found.dtype.char] * largest)
            same = (found == right) | (np.isnan(found) & np.isnan(right))
            far = ~(same | (distance <= limit))
    if not far.any():
        return ""
    where = np.unravel_index(int(np.argmax(far)), far.shape)
    at = f" at {tuple(map(int, where))}" if far.ndim else ""
    return f"{found[where]!r} in place of {right[where]!r}{at}"
