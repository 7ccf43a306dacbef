"""Gradients of which only a part goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dezero_core.extend import Array, certain

#: Up to so many elements np.where is faster than to find out whether a product is safe.
_FEW = 256


def kept(gy: Array, mask: Array) -> Array:
    """Return `gy` where `mask` holds, elsewhere 0, also where `gy` is inf or nan there."""
    if _may_be_multiplied(gy):
        return gy * mask
    return np.where(mask, gy, 0.0)


def kept_each(gy: Array, masks: Sequence[Array], wanted: Sequence[bool]) -> tuple[Any, ...]:
    """Return the result of `kept` for each mask, and None for one that is not wanted."""
    pairs = zip(masks, wanted, strict=True)
    if _may_be_multiplied(gy):
        return tuple([gy * mask if want else None for mask, want in pairs])
    return tuple([np.where(mask, gy, 0.0) if want else None for mask, want in pairs])


def _may_be_multiplied(gy: Array) -> bool:
    # Of inf and nan 0 times is nan. On masks that are random, np.where takes ten times as long.
    return gy.size > _FEW and certain(np.isfinite(gy).all())
