"""Positions that picked elements come from: helpers of the files in this folder.

Any function that only picks elements says where they were if it is applied to their positions.
"""

from __future__ import annotations

import math
from copy import copy
from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import Array

Shape = tuple[int, ...]


def plain(x: Any) -> Any:
    """Return the values of a Variable, and anything else as it is."""
    return x.data if isinstance(x, Variable) else x


def fixed(x: Any) -> Any:
    """Return constants in a copy: nobody changes that between forward and backward."""
    return copy(plain(x))


def positions(shape: Shape) -> Array:
    """Return the position of each element of a flattened array, in its shape."""
    return np.arange(math.prod(shape)).reshape(shape)


def in_flat(order: Array, axis: int) -> Array:
    """Return positions along an axis as those in the flattened array."""
    axis %= order.ndim
    shape = order.shape
    before, n, after = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    rows = n * np.arange(before).reshape(-1, 1, 1)
    at = (rows + order.reshape((before, n, after))) * after + np.arange(after)
    return at.reshape(shape)


class PickAt(Function):
    """Picks from the flattened input; the gradient is added up where it was picked."""

    saves = ()

    def __init__(self, at: Array) -> None:
        self.at = at

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        return np.take(x, self.at)

    def backward(self, gy: Array) -> Array:
        return AddAt(self.at, self.shape).of(gy)


class AddAt(Function):
    """Adds its input to zeros, at positions in the flattened output; the gradient is picked."""

    saves = ()

    def __init__(self, at: Array, shape: Shape) -> None:
        self.at, self.shape = at, shape

    def forward(self, x: Array) -> Array:
        y = np.zeros(self.shape, x.dtype)
        # One axis: NumPy has a fast way for that alone.
        np.add.at(y.reshape(-1), np.reshape(self.at, -1), x.reshape(-1))
        return y

    def backward(self, gy: Array) -> Array:
        return PickAt(self.at).of(gy)


class Picked(Function):
    """Base class of functions that `pick` elements: the gradient goes back to where they were."""

    saves = ()

    def pick(self, x: Array) -> Array:
        """Apply the NumPy function."""

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        return self.pick(x)

    def backward(self, gy: Array) -> Array:
        return AddAt(self.pick(positions(self.shape)), self.shape).of(gy)
