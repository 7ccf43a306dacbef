"""Gradients of which only a part goes on."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def kept(gy: Array, mask: Array) -> Array:
    """Return `gy` where `mask` holds, elsewhere 0, also where `gy` is inf or nan there."""
    if np.isfinite(gy).all():
        return gy * mask  # up to ten times as fast as np.where
    return np.where(mask, gy, 0.0)
