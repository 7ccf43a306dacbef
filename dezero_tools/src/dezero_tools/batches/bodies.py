"""How ``forward`` and ``backward`` of a Function run over a batch.

One that takes arrays of any type runs on those of the batch, one that takes ndarrays alone for one
example after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, VariableTypeError
from dezero_core.extend import attempt

from .batch import Batch
from .batched import Batched
from .looping import innermost, joined, looped
from .rules import aligned, repeated, wrapped


def of_method(owner: Any, method: Any, args: tuple[Any, ...]) -> Any:
    """Return the results of ``forward`` or ``backward`` for all examples."""
    is_forward = method.__name__ == "forward"
    if owner.arrays != "any":
        return _one_by_one(owner, method.__name__, args)
    if owner.elementwise:
        return _of_all_elements(owner, method.__name__, args)
    y = method(*args)
    return _of_the_batch(y, args) if is_forward and not owner.converts else y


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
    is_forward, own = method == "forward", function._own_attributes()
    saved = ((), ()) if is_forward else function.saved_arrays()
    of_batch = {name: x for name, x in own.items() if isinstance(x, Batched)}
    kept: list[dict[str, Any]] = []

    def of_one(saved: Any, of_batch: dict[str, Any], *xs: Any) -> Any:
        node = function._unapplied() if is_forward else function.with_arrays(*saved)
        vars(node).update(of_batch)
        is_inside = any(isinstance(x, Batched) for x in (*xs, *saved[0], *saved[1]))
        y = _one_by_one(node, method, xs) if is_inside else getattr(node, method)(*xs)
        kept.append(node._own_attributes())
        return y

    name = f"{type(function).__name__}.{method}"
    batch = innermost(args, *saved, of_batch)
    y = looped(of_one, batch, (saved, of_batch, *args), {}, name)
    if is_forward:
        for key in {key for each in kept for key, x in each.items() if x is not own.get(key)}:
            xs = [each.get(key) for each in kept]
            vars(function)[key] = _together(xs, batch, f"self.{key} of {name}")
    return y


def _together(xs: list[Any], batch: Batch, what: str) -> Any:
    """Return what a method has kept as an attribute for each example, for all of them."""
    if isinstance(xs[0], (np.ndarray, np.generic, Batched)):
        return Batched(joined(xs, batch, what).values[: batch.length], batch)  # maybe of none
    if attempt(lambda: all(x == xs[0] for x in xs)):
        return xs[0]
    raise VariableTypeError(
        f"{what} is another {type(xs[0]).__name__} for each example of vmap({batch.name}), and "
        "backward would get one for all. Set it to an array.",
        got=type(xs[0]),
    )


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
