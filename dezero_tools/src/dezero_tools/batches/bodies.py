"""How ``forward`` and ``backward`` of a Function run over a batch.

One that takes arrays of any type runs on those of the batch. One that takes ndarrays alone runs
for one example after the other, unless it takes a batch itself, and says so by a class attribute
in the words of `functional.vmap`::

    batch_axes = (0, None, None), (0,)

These are the axes of the examples in its operands, and in its results. None is for an operand that
all examples share. Over a batch of such batches it runs once, on a larger one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, VariableTypeError
from dezero_core.extend import attempt, constant_gradient, data_of

from .batch import Batch
from .batched import Batched
from .looping import innermost, joined, looped
from .rules import aligned, is_of, repeated, wrapped


def of_method(owner: Any, method: Any, args: tuple[Any, ...]) -> Any:
    """Return the results of ``forward`` or ``backward`` for all examples."""
    is_forward = method.__name__ == "forward"
    if hasattr(owner, "batch_axes"):
        y = _on_a_larger_batch(owner, args) if is_forward else _by_larger_batches(owner, args)
        if y is not NotImplemented:
            return y
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
    return _alike(y, innermost(xs)) if isinstance(y, (np.ndarray, np.generic)) else y


def _alike(x: Any, batch: Batch) -> Batched:
    """Return an array of the batch, also of what is the same for all examples."""
    return Batched(repeated(x, batch), batch)


def _on_a_larger_batch(function: Any, xs: tuple[Any, ...]) -> Any:
    """Return the results of one call of a Function that has ``batch_axes``.

    NotImplemented, if there is no example; if examples differ in what its own examples share; if
    ``forward`` keeps attributes; or if the call fails: the error of a loop has the shapes of one.
    A ValueError, if ``batch_axes`` has no axis for an operand or a result.
    """
    (of_operands, of_results), batch = function.batch_axes, innermost(xs)
    own, pairs = function._own_attributes(), _with_axes(xs, of_operands[: len(xs)], function)
    shared = [*own.values(), *(x for x, axis in pairs if axis is None)]
    if not batch.length or any(is_of(x, batch) for x in shared):
        return NotImplemented
    # It is called, and not its `forward`: these arrays may be of an outer batch.
    called = function._unapplied()
    try:
        found = called(*(x if i is None else _merged(repeated(x, batch), i) for x, i in pairs))
    except Exception:
        return NotImplemented
    ys = [data_of(y) for y in (found if isinstance(found, list) else [found])]
    results = _with_axes(ys, of_results, function)
    keeps = any(x is not own.get(name) for name, x in called._own_attributes().items())
    of_none = any(axis is not None and not x.shape[axis] for x, axis in pairs)
    if keeps or (of_none and any(y.shape[axis] for y, axis in results)):
        return NotImplemented  # a sum over no example is no part of anything
    parts = [_parted(y, axis, batch) for y, axis in results]
    return tuple(parts) if len(parts) > 1 else parts[0]


def _with_axes(arrays: Any, axes: Any, function: Any) -> list[tuple[Any, Any]]:
    """Return operands or results with their axes; refuse axes of more or fewer of them."""
    if len(axes) == len(arrays):
        return list(zip(arrays, axes, strict=True))
    raise ValueError(
        f"{type(function).__name__}.batch_axes has the axes {axes} of operands or results, of "
        f"which there are {len(arrays)}. Write one for each; None, if all examples share it."
    )


def _merged(values: Any, axis: int) -> Any:
    """Return the arrays of all examples as one, in which they follow each other along an axis."""
    moved = np.moveaxis(values, 0, axis)
    before, (length, each, *after) = moved.shape[:axis], moved.shape[axis:]
    return np.reshape(moved, (*before, length * each, *after))


def _parted(y: Any, axis: int, batch: Batch) -> Batched:
    """Undo `_merged`."""
    before, (total, *after) = y.shape[:axis], y.shape[axis:]
    parts = np.reshape(y, (*before, batch.length, total // batch.length, *after))
    return Batched(np.moveaxis(parts, axis, 0), batch)


def _by_larger_batches(node: Any, gys: tuple[Any, ...]) -> Any:
    """Run ``backward`` of such a Function: each Function that it applies runs over the batch.

    It computes with Variables, as it does where a gradient is differentiated.
    """

    def of_variables(arrays: tuple[Any, ...]) -> list[Any]:
        return [constant_gradient(x, True) if isinstance(x, Batched) else x for x in arrays]

    gxs = node.with_arrays(*map(of_variables, node.saved_arrays())).backward(*of_variables(gys))
    return tuple(map(data_of, gxs)) if isinstance(gxs, tuple) else data_of(gxs)


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
    """Return the attributes that a method has kept for each example as one for all of them."""
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
    kept: dict[str, Any] = {}
    for name, x in own.items():
        if isinstance(x, Batched):
            kept[name] = x
        elif isinstance(x, np.ndarray) and x.ndim:  # of the author
            return getattr(function, method)(*args)  # to be broadcast with the array of one example
    batch = innermost(args, *saved, kept)
    inputs, outputs = saved
    if method == "backward":  # results have the hidden axis if these have it
        args = tuple([x if x is None or is_of(x, batch) else _alike(x, batch) for x in args])
    together = aligned(
        [x for x in (*args, *inputs, *outputs, *kept.values()) if x is not None], batch
    )
    found = iter(together)
    xs = tuple([None if x is None else next(found) for x in args])
    is_within = Batched in map(type, together)  # of a batch around this one
    if method == "forward":
        y = _of_all_elements(function, method, xs) if is_within else function.forward(*xs)
        for name, x in [*own.items()]:
            if isinstance(x, (np.ndarray, Batched)) and x.ndim and x is not kept.get(name):
                own[name] = Batched(x, batch)
        return wrapped(y, batch)
    node = function.with_arrays(
        [None if x is None else next(found) for x in inputs], [next(found) for _ in outputs]
    )
    vars(node).update(zip(kept, found, strict=True))
    gxs = _of_all_elements(node, method, xs) if is_within else node.backward(*xs)
    if not isinstance(gxs, tuple):
        return wrapped(gxs, batch)
    return tuple([None if gx is None else wrapped(gx, batch) for gx in gxs])
