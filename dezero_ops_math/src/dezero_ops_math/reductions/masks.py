"""Which elements a reduction takes, how many they are, and the way back to them.

A mask is a constant: ``True``, or an array of booleans that broadcasts to the input.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import Array, call_by_type, possible

from ..arguments import Axis, kept_shape
from ..declaring import LinearMap
from ..gradients import kept

Mask = Any

#: Fewer elements than this are repeated in less time than it takes to make a view of one.
_SMALL = 4096


def fixed(where: Mask) -> Mask:
    """Return the mask that the user gave as one that nobody writes to afterwards."""
    if where is True:
        return True
    return call_by_type(np.copy, (where.data if isinstance(where, Variable) else where,), {})


class Masked:
    """A part of Functions that take the elements where a mask holds, some of them without nan."""

    where: Mask = True
    skips_nan = False

    def mask(self, x: Array) -> Mask:
        """Return which elements are taken."""
        if not self.skips_nan:
            return self.where
        nan = np.isnan(x)
        return ~nan & self.where if possible(nan.any()) else self.where


def count(shape: tuple[int, ...], axis: Axis, where: Mask) -> Any:
    """Return how many elements are taken: an int, or an array of them if there is a mask."""
    if where is True:
        n = math.prod(shape)
        return n if axis is None else n // max(math.prod(kept_shape(shape, axis)), 1)
    taken = np.broadcast_to(where, shape)
    return np.sum(taken, axis=axis, dtype=np.intp, keepdims=True)


def divided(g: Array, n: Any) -> Array:
    """Return `g` over a number that `count` gave, and `g` itself where that is 0."""
    half = g.dtype == np.float16  # which ends at 65504
    if isinstance(n, int):
        n = max(n, 1)
        return g * (1.0 / n) if half else g / n
    n = np.maximum(n, 1)
    return g * (1.0 / n).astype(g.dtype) if half else g / n.astype(np.finfo(g.dtype).dtype)


def unreduced(g: Array, shape: tuple[int, ...], axis: Axis) -> Array:
    """Return the gradient of a result that was reduced from `shape`, to broadcast to that."""
    return g if axis is None else g.reshape(kept_shape(shape, axis))


def spread(g: Array, shape: tuple[int, ...], where: Mask) -> Array:
    """Give every element that was taken the gradient of its result, the others 0."""
    if where is True:
        if g.shape == shape:
            return g
        if isinstance(g, np.ndarray) and math.prod(shape) < _SMALL:
            return g + np.zeros(shape, g.dtype)
        return np.broadcast_to(g, shape)
    return kept(g, np.broadcast_to(where, shape))


class Scattered(LinearMap):
    """Repeats to where a mask holds, and gives 0 elsewhere: of masks that mostly do not hold.

    For them an ndarray takes a third of the time of ``np.where``.
    """

    def __init__(self, mask: Array) -> None:
        self.mask = mask

    def forward(self, x: Array) -> Array:
        if not (type(self.mask) is type(x) is np.ndarray):
            return np.where(self.mask, x, 0.0)
        y = np.zeros(self.mask.shape, x.dtype)
        np.copyto(y, x, where=self.mask)
        return y

    def backward(self, gy: Array) -> Array:
        return Scattered(self.mask).of(gy)
