"""The Functions by which arrays become those of a batch, and by which these come back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from dezero_core import Function
from dezero_core.extend import Array, data_of

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
        self.own = _mark_of(x)
        return Batched(moved(x, self.axis, 0), Batch(*self.batch), is_shared=True)

    def backward(self, gy: Array) -> Array:
        return added_up_outside(self.own, Unbatching(self.batch, self.axis).of(gy))


class Unbatching(_AlongAxis):
    """Shows the hidden axis of a batch."""

    def forward(self, x: Array) -> Array:
        return _shown(x, Batch(*self.batch), self.axis)

    def backward(self, gy: Array) -> Array:
        return Batching(self.batch, self.axis).of(gy)


class Together(_OfBatch):
    """Adds up the arrays of all examples."""

    def forward(self, x: Array) -> Array:
        return np.sum(_shown(x, Batch(*self.batch), 0), axis=0)

    def backward(self, gy: Array) -> Array:
        return Alike(self.batch).of(gy)


class Alike(_OfBatch):
    """Gives each example of a batch the same array: the transpose of `Together`."""

    def forward(self, x: Array) -> Array:
        self.own = _mark_of(x)
        batch = Batch(*self.batch)
        return Batched(np.broadcast_to(x, (batch.length, *x.shape)), batch)

    def backward(self, gy: Array) -> Array:
        return added_up_outside(self.own, Together(self.batch).of(gy))


def moved(values: Array, source: int, destination: int) -> Array:
    """Return an array with one of its axes at another place: the array itself, if it is there."""
    return values if source == destination else np.moveaxis(values, source, destination)


def _shown(x: Array, batch: Batch, axis: int) -> Array:
    """Return an array with an axis of examples: also one that is the same for all of them."""
    axis %= x.ndim + 1
    if _mark_of(x) is batch.mark:
        return moved(x.values, 0, axis)
    if isinstance(x, Batched) and x.batch.order > batch.order:  # of a batch inside of this one
        return Batched(_shown(x.values, batch, axis + 1), x.batch)
    shape = (*x.shape[:axis], batch.length, *x.shape[axis:])
    return np.broadcast_to(np.expand_dims(x, axis), shape)


def others(xs: tuple[Any, ...]) -> dict[int, Callable[[Array], Array]]:
    """Return, for each operand that all examples share, what becomes of the gradient by it."""
    mark, marks = innermost(xs).mark, map(_mark_of, xs)
    return {
        index: partial(added_up_outside, own) for index, own in enumerate(marks) if own is not mark
    }


def _mark_of(x: Any) -> range | None:
    """Return the mark of the batch of an array, None of an array of no batch."""
    return x.batch.mark if isinstance(x, Batched) else None


def added_up_outside(own: range | None, gradient: Array) -> Array:
    """Return a gradient by an array of the batch with the mark `own`: its sum over all others.

    Within the function of a batch, where one example is looked at, each has its own gradient.
    """
    while (mark := _mark_of(x := data_of(gradient))) is not None and mark is not own:
        if x.batch.is_running():
            break
        gradient = Together(x.batch).of(gradient)
    return gradient


def batches_around(arrays: Iterable[Any]) -> list[Batch]:
    """Return the batches that arrays are of, the outermost first."""
    found: set[Batch] = set()
    for x in arrays:
        while isinstance(x, Batched):
            found.add(x.batch)
            x = x.values
    return sorted(found, key=lambda batch: batch.order)
