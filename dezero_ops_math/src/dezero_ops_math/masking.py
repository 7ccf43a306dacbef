"""Gradients of which only a part goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = Any


def kept(gy: Array, mask: Array) -> Array:
    """Return `gy` where `mask` holds, elsewhere 0, also where `gy` is inf or nan there."""
    if np.isfinite(gy).all():
        return gy * mask  # on random masks up to ten times as fast as np.where
    return np.where(mask, gy, 0.0)


def kept_each(gy: Array, masks: Sequence[Array], wanted: Sequence[bool]) -> tuple[Any, ...]:
    """Return what `kept` gives for each mask, and None for one that is not wanted."""
    pairs = zip(masks, wanted, strict=True)
    if np.isfinite(gy).all():
        return tuple([gy * mask if want else None for mask, want in pairs])
    return tuple([np.where(mask, gy, 0.0) if want else None for mask, want in pairs])
