"""The Functions by which arrays become those of a batch, and by which these come back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dezero_core import Function
from dezero_core.extend import Array

from .batch import Batch
from .batched import Batched
from .looping import innermost


class _OfBatch(Function):
    """Converts between arrays of a batch and others."""

    saves = ()
    converts = True
    linear = True

    def __init__(self, batch: tuple[Any, ...]) -> None:
        self.batch = tuple(batch)  # a Batch itself would be looked through for constants


class _AlongAxis(_OfBatch):
    """The same, where the other array has an axis of examples."""

    def __init__(self, batch: tuple[Any, ...], axis: int) -> None:
        super().__init__(batch)
        self.axis = axis


class Batching(_AlongAxis):
    """Hides an axis of an array: each example of a batch has its part."""

    def forward(self, x: Array) -> Array:
        return Batched(np.moveaxis(x, self.axis, 0), Batch(*self.batch))

    def backward(self, gy: Array) -> Array:
        return Unbatching(self.batch, self.axis).of(gy)


class Unbatching(_AlongAxis):
    """Shows the hidden axis of a batch."""

    def forward(self, x: Array) -> Array:
        return np.moveaxis(x.values, 0, self.axis)

    def backward(self, gy: Array) -> Array:
        return Batching(self.batch, self.axis).of(gy)


class Together(_OfBatch):
    """Adds up the arrays of all examples."""

    def forward(self, x: Array) -> Array:
        return np.sum(x.values, axis=0)

    def backward(self, gy: Array) -> Array:
        return Alike(self.batch).of(gy)


class Alike(_OfBatch):
    """Gives each example of a batch the same array: the transpose of `Together`."""

    def forward(self, x: Array) -> Array:
        batch = Batch(*self.batch)
        return Batched(np.broadcast_to(x, (batch.length, *x.shape)), batch)

    def backward(self, gy: Array) -> Array:
        return Together(self.batch).of(gy)


def others(xs: tuple[Any, ...]) -> dict[int, Callable[[Array], Array]]:
    """Return, for each operand that all examples share, what becomes of the gradient by it."""
    batch = innermost(xs)
    convert = partial(added_up_outside, batch)
    return {
        index: convert
        for index, x in enumerate(xs)
        if not (isinstance(x, Batched) and x.batch == batch)
    }


def added_up_outside(batch: Batch, gradient: Array) -> Array:
    """Return the sum of the gradients of all examples by what they share.

    Within the function of the batch, where one example is looked at, each has its own gradient.
    """
    return gradient if batch.is_running() else Together(batch).of(gradient)
