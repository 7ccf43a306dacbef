"""Arrays of a batch as a type of arrays: the functions that NumPy's protocols do not define."""

from __future__ import annotations

from operator import getitem
from typing import Any

import numpy as np

from dezero_core import Function
from dezero_core.extend import Array, added_up, kind_of

from .batch import RUNNING
from .batched import Batched
from .bodies import of_method
from .functions import others
from .indexing import picked, placed
from .rules import of_function

__all__ = ["call", "from_numpy", "others", "sum_to", "to_numpy", "zeros"]


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the body of a Function, or a function of arrays, over a batch."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, Function):
        results = of_method(owner, function, args)
        for y in results if isinstance(results, tuple) else (results,):
            if isinstance(y, Batched):
                y.is_shared = True
        return results
    if function is added_up:
        return placed(*args, **kwargs)
    if function is getitem:
        return picked(*args)
    if isinstance(function, type(np.sum)):  # which does not look at all of its arguments
        return of_function(function, args, kwargs)
    return function(*args, **kwargs)


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
