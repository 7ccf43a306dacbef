"""Arrays of a batch as a type of arrays: the functions that NumPy's protocols do not define."""

from __future__ import annotations

from operator import getitem
from typing import Any

import numpy as np

from dezero_core import Function
from dezero_core.extend import NUMPY, Array, added_up, kind_of

from .batch import RUNNING
from .batched import Batched
from .functions import shared
from .indexing import picked, placed
from .looping import example, innermost, joined

__all__ = ["call", "from_numpy", "operands", "sum_to", "to_numpy", "zeros"]

operands = shared


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the body of a Function, or a function of arrays, over a batch."""
    owner = getattr(function, "__self__", None)
    if function is added_up:
        return placed(*args, **kwargs)
    if function is getitem:
        return picked(*args)
    if isinstance(owner, Function) and owner.arrays != "any":
        return _one_by_one(owner, function.__name__, args)
    return function(*args, **kwargs)


def _one_by_one(function: Any, method: str, args: tuple[Any, ...]) -> Any:
    """Run a method of a Function that takes ndarrays alone for each example."""
    saved = function.saved_arrays() if method == "backward" else ((), ())
    batch = innermost(args, *saved)
    results = []
    for index in range(batch.length):
        node = function
        if method == "backward":
            node = function.with_arrays(*example(saved, batch, index))
        results.append(getattr(node, method)(*example(args, batch, index)))
    return joined(results, batch, f"{type(function).__name__}.{method}")


def zeros(shape: tuple[int, ...], dtype: Any, like: Array) -> Array:
    """Return zeros for each example."""
    return Batched(np.zeros((like.batch.length, *shape), dtype), like.batch)


def sum_to(array: Array, shape: tuple[int, ...]) -> Array:
    """Undo broadcasting for each example."""
    lead = array.ndim - len(shape)
    values = array.values
    whole = (array.batch.length, *(1,) * lead, *shape)
    if values.shape != whole:
        values = kind_of(values).sum_to(values, whole)
    return Batched(np.reshape(values, (array.batch.length, *shape)), array.batch)


def to_numpy(array: Array) -> Any:
    """Return the arrays of all examples, with the axis of the batch first."""
    values = array.values
    return kind_of(values).to_numpy(values)


def from_numpy(array: Any) -> Array:
    """Return an array that is the same for each example of the batch that runs."""
    batch = RUNNING.get()[-1]
    return Batched(np.broadcast_to(array, (batch.length, *np.shape(array))), batch)
