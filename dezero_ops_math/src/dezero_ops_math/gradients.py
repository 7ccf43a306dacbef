"""Common parts of bodies of ``backward``: sums, conjugates, and parts of gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import Array, certain, sum_to

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


def summed_to(g: Array, shape: tuple[int, ...]) -> Array:
    """Sum an array or Variable over the axes along which an input of `shape` was repeated.

    The engine does so where a gradient has the shape of the output. It cannot know of what an
    operation has repeated itself, as a stack of matrices beside a single one.
    """
    if g.shape == shape:
        return g
    return g.sum_to(shape) if isinstance(g, Variable) else sum_to(g, shape)


def conjugated(x: Array) -> Array:
    """Return the complex conjugate: of a real ndarray itself, since the method makes no copy."""
    return x.conjugate() if hasattr(x, "conjugate") else np.conjugate(x)
