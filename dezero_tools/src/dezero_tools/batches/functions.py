"""The Functions by which arrays become those of a batch, and by which these come back."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import INEXACT, Array

from .batch import Batch
from .batched import Batched
from .looping import arrays_in


class Batching(Function):
    """Hides an axis of an array: each example of a batch has its part."""

    saves = ()
    converts = True
    linear = True

    def __init__(self, batch: tuple[Any, ...], axis: int) -> None:
        self.batch, self.axis = tuple(batch), axis

    def forward(self, x: Array) -> Array:
        return Batched(np.moveaxis(x, self.axis, 0), Batch(*self.batch))

    def backward(self, gy: Array) -> Array:
        return Unbatching(self.batch, self.axis).of(gy)


class Unbatching(Function):
    """Shows the hidden axis of a batch; of what is the same for all examples, a new axis."""

    saves = ()
    converts = True
    linear = True

    def __init__(self, batch: tuple[Any, ...], axis: int) -> None:
        self.batch, self.axis = tuple(batch), axis

    def forward(self, x: Array) -> Array:
        return np.moveaxis(x.values, 0, self.axis)

    def backward(self, gy: Array) -> Array:
        return Batching(self.batch, self.axis).of(gy)


class Shared(Function):
    """An array that all examples of a batch share: the gradients of all of them are added up.

    Within the function of the batch, where one example is looked at, each has its own gradient.
    """

    saves = ()
    converts = True
    linear = True

    def __init__(self, batch: tuple[Any, ...]) -> None:
        self.batch = tuple(batch)

    def forward(self, x: Array) -> Array:
        return x

    def backward(self, gy: Array) -> Array:
        return gy if Batch(*self.batch).is_running() else Together(self.batch).of(gy)


class Together(Function):
    """Adds up the arrays of all examples."""

    saves = ()
    converts = True
    linear = True

    def __init__(self, batch: tuple[Any, ...]) -> None:
        self.batch = tuple(batch)

    def forward(self, x: Array) -> Array:
        return np.sum(x.values, axis=0) if isinstance(x, Batched) else x

    def backward(self, gy: Array) -> Array:
        return Alike(self.batch).of(gy)


class Alike(Function):
    """Gives each example of a batch the same array: the opposite of `Together`."""

    saves = ()
    converts = True
    linear = True

    def __init__(self, batch: tuple[Any, ...]) -> None:
        self.batch = tuple(batch)

    def forward(self, x: Array) -> Array:
        batch = Batch(*self.batch)
        return Batched(np.broadcast_to(x, (batch.length, *x.shape)), batch)

    def backward(self, gy: Array) -> Array:
        return Together(self.batch).of(gy)


def shared(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the operands of a Function, those that the examples of a batch share through `Shared`."""
    arrays = [x.data if isinstance(x, Variable) else x for x in inputs]
    batch = max((x.batch for x in arrays_in(arrays)), key=lambda each: each.depth)
    return tuple(
        Shared(batch)(x)
        if isinstance(x, Variable)
        and x.data.dtype.kind in INEXACT
        and not (isinstance(x.data, Batched) and x.data.batch == batch)
        else x
        for x in inputs
    )
