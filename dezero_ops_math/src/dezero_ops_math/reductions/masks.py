"""Which elements a reduction takes, how many they are, and the way back to them.

A mask is a constant: ``True``, or an array of booleans that broadcasts to the input.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dezero_core import Variable

from ..arguments import Axis, kept_shape

Array = Any
Mask = Any


def fixed(where: Mask) -> Mask:
    """Return the mask that the user gave as one that nobody writes to afterwards."""
    if where is True:
        return True
    return np.array(where.data if isinstance(where, Variable) else where)


def without_nan(x: Array, where: Mask) -> Mask:
    """Return `where` without the elements that are nan."""
    nan = np.isnan(x)
    return np.asarray(~nan & where) if nan.any() else where


def values(x: Array) -> Any:
    """Return the numbers alone, of what in ``backward`` is an array or a Variable."""
    return x.data if isinstance(x, Variable) else x


def count(shape: tuple[int, ...], axis: Axis, where: Mask) -> Any:
    """Return how many elements are taken: an int, or an array of them if there is a mask."""
    if where is True:
        return math.prod(shape) // max(math.prod(kept_shape(shape, axis)), 1)
    taken = np.broadcast_to(where, shape)
    return np.add.reduce(taken, axis=axis, dtype=np.intp, keepdims=True)


def divided(g: Array, n: Any) -> Array:
    """Return `g` over what `count` gave, and `g` itself where that is 0."""
    n = np.maximum(n, 1)
    if g.dtype == np.float16:  # which ends at 65504
        return g * (1.0 / n).astype(g.dtype)
    return g / n.astype(np.finfo(g.dtype).dtype)


def spread(g: Array, shape: tuple[int, ...], where: Mask) -> Array:
    """Give every element that was taken the gradient of its result, the others 0."""
    if where is True:
        return np.broadcast_to(g, shape)
    return np.where(np.broadcast_to(where, shape), g, 0.0)


def summed_to(g: Array, shape: tuple[int, ...]) -> Array:
    """Return `g` summed to a shape that broadcasts to its own."""
    if g.shape == shape:
        return g
    new = g.ndim - len(shape)
    repeated = tuple(new + axis for axis, n in enumerate(shape) if n == 1)
    return np.sum(g, axis=(*range(new), *repeated), keepdims=True).reshape(shape)
