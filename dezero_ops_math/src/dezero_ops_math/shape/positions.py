"""Positions that picked elements come from: helpers of the files in this folder.

Any function that only picks elements says where they were if it is applied to their positions.
"""

from __future__ import annotations

import math
from copy import copy
from typing import Any

import numpy as np

from dezero_core.extend import (
    NUMPY,
    Array,
    Operand,
    call_by_type,
    is_lazy,
    kind_of,
    new_zeros,
    placed,
)

from ..arguments import data_of
from ..declaring import LinearMap

Shape = tuple[int, ...]

OF_NUMPY = np.ndarray, np.generic, int, float, complex, list, tuple
"""The types of constants that NumPy itself computes with."""


def as_one_type(arrays: tuple[Operand, ...]) -> list[Operand]:
    """Return operands as arrays of one type, if one of them is of another type than NumPy's."""
    others = [x for x in map(data_of, arrays) if not isinstance(x, OF_NUMPY)]
    if not others:
        return list(arrays)
    zero = call_by_type(np.zeros_like, (others[0], bool), {"shape": ()})
    return [x + zero if isinstance(data_of(x), OF_NUMPY) else x for x in arrays]


def fixed(x: Any) -> Any:
    """Return constants in a copy: nobody changes that between forward and backward."""
    return copy(data_of(x))


def fixed_array(x: Any, dtype: Any = None) -> Array:
    """Return a copy of constants as an array, also of a list or a number."""
    x = data_of(x)
    if type(x) is np.ndarray:
        return np.array(x, dtype)
    x = call_by_type(np.copy, (x,), {})  # which makes no ndarray of an array of another type
    return x if dtype is None else x.astype(dtype)


def positions(shape: Shape) -> Array:
    """Return the position of each element of a flattened array, in its shape."""
    return np.arange(math.prod(shape)).reshape(shape)


def between(x: Array) -> Array:
    """Return the distances of elements from each other, which samples keep apart."""
    return np.diff(np.sort(x, axis=None))


def in_flat(order: Array, axis: int) -> Array:
    """Return positions along an axis as those in the flattened array."""
    axis %= order.ndim
    shape = order.shape
    before, n, after = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    rows = n * np.arange(before).reshape(-1, 1, 1)
    at = (rows + order.reshape((before, n, after))) * after + np.arange(after)
    return at.reshape(shape)


def taken(x: Array, at: Array) -> Array:
    """Return elements of the flattened `x`; ``np.take`` does so if the positions are known."""
    are_alike = type(x) is type(at) and isinstance(x, np.ndarray)
    if are_alike or kind_of(at) is NUMPY:  # np.take looks at the type of x alone
        return np.take(x, at)
    return np.take_along_axis(x, at.reshape(-1), None).reshape(at.shape)


def added_at(y: Array, index: Any, x: Array, once: bool = True) -> Array:
    """Return `y` with `x` added at a known index; an ndarray is added into `y` itself.

    `once` says that no element is picked twice.
    """
    if not isinstance(x, (np.ndarray, np.generic)):
        return (y + placed(x, y.shape, index, once)).astype(y.dtype)
    if once:
        y[index] += x
    else:
        np.add.at(y, index, x)
    return y


class PickAt(LinearMap):
    """Picks from the flattened input; the gradient is added up where it was picked."""

    def __init__(self, at: Array) -> None:
        self.at = at

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        return taken(x, self.at)

    def backward(self, gy: Array) -> Array:
        return AddAt(self.at, self.shape).of(gy)


class AddAt(LinearMap):
    """Adds its input to zeros, at positions in the flattened output; the gradient is picked."""

    def __init__(self, at: Array, shape: Shape) -> None:
        self.at, self.shape = at, shape

    def forward(self, x: Array) -> Array:
        at, x = np.reshape(self.at, -1), x.reshape(-1)
        if is_lazy(x) and isinstance(at, np.ndarray):  # nothing of the size of the result is made
            shape = self.shape or (1,)
            return placed(x, shape, np.unravel_index(at, shape)).reshape(self.shape)
        if not (isinstance(x, np.ndarray) and isinstance(at, np.ndarray)):
            return _added_up(x, at, math.prod(self.shape)).reshape(self.shape)
        y = new_zeros(x, self.shape)
        # One axis: NumPy has a fast way for that alone.
        np.add.at(y.reshape(-1), at, x)
        return y

    def backward(self, gy: Array) -> Array:
        return PickAt(self.at).of(gy)


def _added_up(x: Array, at: Array, length: int) -> Array:
    """Return a line with `x` added at positions, in double precision; nothing is written into."""
    if x.dtype.kind == "c":
        real, imag = (_added_up(part, at, length) for part in (x.real, x.imag))
        return (real + 1j * imag).astype(x.dtype)
    return np.bincount(at, x.astype(np.float64), length).astype(x.dtype)


class Picked(LinearMap):
    """Base class of functions that `pick` elements: the gradient goes back to where they were."""

    def pick(self, x: Array) -> Array:
        """Apply the NumPy function."""

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        return self.pick(x)

    def backward(self, gy: Array) -> Array:
        return AddAt(self.pick(positions(self.shape)), self.shape).of(gy)
