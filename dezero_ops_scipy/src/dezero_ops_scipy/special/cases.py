"""Two formulas of one function: a quick one for usual elements, and a careful one for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dezero_core.extend import Array, certain


def by_cases(
    usual: Array, quick: Callable[..., Array], careful: Callable[..., Array], *xs: Any
) -> Array:
    """Return ``quick(*xs)`` for the elements where `usual` is true, elsewhere ``careful(*xs)``.

    Each gets its own elements alone; only of other arrays than those of NumPy, both get all.
    """
    if certain(usual.all()):
        return quick(*xs)
    if certain(~usual.any()):
        return careful(*xs)
    if not isinstance(usual, np.ndarray):
        with np.errstate(all="ignore"):
            return np.where(usual, quick(*xs), careful(*xs))
    shape = np.broadcast_shapes(usual.shape, *map(np.shape, xs))
    usual, y = np.broadcast_to(usual, shape), None
    for mask, values in ((usual, quick), (~usual, careful)):
        at = np.flatnonzero(mask)  # faster to index with than the mask
        found = values(*(_elements(x, shape, at) for x in xs))
        y = np.empty(shape, found.dtype) if y is None else y
        np.put(y, at, found)
    return y


def _elements(x: Any, shape: tuple[int, ...], at: Array) -> Any:
    return x if np.ndim(x) == 0 else np.broadcast_to(x, shape).reshape(-1)[at]
