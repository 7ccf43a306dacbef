"""Arrays of a batch as a type of arrays: the functions that NumPy's protocols do not define."""

from __future__ import annotations

from operator import getitem
from typing import Any

import numpy as np

from dezero_core import Function
from dezero_core.extend import Array, added_up, kind_of

from .batch import RUNNING
from .batched import Batched
from .functions import others
from .indexing import picked, placed
from .looping import innermost, looped
from .rules import aligned, repeated, wrapped

__all__ = ["call", "from_numpy", "others", "sum_to", "to_numpy", "zeros"]


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the body of a Function, or a function of arrays, over a batch."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, Function):
        results = _of_method(owner, function, args)
        for y in results if isinstance(results, tuple) else (results,):
            if isinstance(y, Batched):
                y.is_shared = True
        return results
    if function is added_up:
        return placed(*args, **kwargs)
    if function is getitem:
        return picked(*args)
    return function(*args, **kwargs)


def _of_method(owner: Function, method: Any, args: tuple[Any, ...]) -> Any:
    if owner.arrays != "any":
        return _one_by_one(owner, method.__name__, args)
    if owner.elementwise:
        return _of_all_elements(owner, method.__name__, args)
    y = method(*args)
    is_value = method.__name__ == "forward" and not owner.converts
    return _of_the_batch(y, args) if is_value else y


def _of_the_batch(y: Any, xs: tuple[Any, ...]) -> Any:
    """Return results as arrays of the batch, also those that are the same for all examples."""
    if isinstance(y, tuple):
        return tuple([_of_the_batch(each, xs) for each in y])
    if not isinstance(y, (np.ndarray, np.generic)):
        return y
    batch = innermost(xs)
    return Batched(repeated(y, batch), batch)


def _one_by_one(function: Any, method: str, args: tuple[Any, ...]) -> Any:
    """Run a method of a Function that takes ndarrays alone for each example."""
    saved = function.saved_arrays() if method == "backward" else ((), ())

    def run(saved: Any, args: Any) -> Any:
        node = function.with_arrays(*saved) if method == "backward" else function
        return getattr(node, method)(*args)

    name = f"{type(function).__name__}.{method}"
    return looped(run, innermost(args, *saved), (saved, args), {}, name)


def _of_all_elements(function: Function, method: str, args: tuple[Any, ...]) -> Any:
    """Run a method of an elementwise Function on the elements of all examples, in one array.

    Arrays that its ``forward`` keeps as attributes are put between the calls into the batch.
    """
    own, saved = vars(function), function.saved_arrays() if method == "backward" else ((), ())
    given = [name for name, x in own.items() if isinstance(x, np.ndarray) and x.ndim]
    if given:  # of the author: they are to be broadcast with the array of one example
        return getattr(function, method)(*args)
    kept = {name: x for name, x in own.items() if isinstance(x, Batched)}
    batch = innermost(args, *saved, kept)
    inputs, outputs = saved
    together = aligned(
        [x for x in (*args, *inputs, *outputs, *kept.values()) if x is not None], batch
    )
    found = iter(together)
    xs = [None if x is None else next(found) for x in args]
    if method == "forward":
        y = function.forward(*xs)
        new = {name: x for name, x in own.items() if isinstance(x, np.ndarray) and x.ndim}
        own.update({name: Batched(x, batch) for name, x in new.items()})
        return wrapped(y, batch)
    node = function.with_arrays(
        [None if x is None else next(found) for x in inputs], [next(found) for _ in outputs]
    )
    vars(node).update({name: next(found) for name in kept})
    gxs = node.backward(*xs)
    if not isinstance(gxs, tuple):
        return wrapped(gxs, batch)
    return tuple([None if gx is None else wrapped(gx, batch) for gx in gxs])


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
