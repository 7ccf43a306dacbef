"""The loop over the examples of a batch, for functions of NumPy that have no rule."""

from __future__ import annotations

from collections.abc import Callable
from operator import getitem
from typing import Any

import numpy as np

from dezero_core import VariableTypeError
from dezero_core.extend import call_by_type, placed, public_name

from .batch import LOOPED, Batch
from .batched import Batched

_NUMBERS = (np.ndarray, np.generic, bool, int, float, complex, Batched)
_NAMES = {getitem: "x[i]", placed: "the gradient of x[i]"}


def innermost(*trees: Any) -> Batch:
    """Return the batch of arrays in arguments, of which one is there; refuse one that has ended."""
    found = batch_in(*trees)
    assert found is not None
    found.require_running()
    return found


def batch_in(*trees: Any) -> Batch | None:
    """Return the batch of arrays in arguments, if any; of two, the one inside of the other."""
    found: Batch | None = None
    waiting = list(trees)
    for x in waiting:
        if type(x) is Batched:
            if found is None or x.batch.order > found.order:
                found = x.batch
        elif isinstance(x, (list, tuple)):
            waiting += x  # the loop goes on to these
        elif isinstance(x, dict):
            waiting += x.values()
    return found


def of_each(
    x: Any,
    batch: Batch,
    change: Callable[[Batched], Any],
    share: Callable[[Any], Any] = lambda x: x,
) -> Any:
    """Return arguments, or results, with others in place of the arrays of a batch.

    `share` changes the arrays that all its examples share, and before that those that others see.
    """
    if isinstance(x, Batched):
        is_own = x.batch == batch
        x = share(x) if x.is_shared or not is_own else x
        return change(x) if is_own else x
    if isinstance(x, (list, tuple)):
        parts = [of_each(each, batch, change, share) for each in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    if isinstance(x, dict):
        return {name: of_each(each, batch, change, share) for name, each in x.items()}
    return share(x) if type(x) is np.ndarray else x


def _read_only(array: Any) -> Any:
    """Return an array that cannot be written to: each example would write over the one before."""
    if isinstance(array, Batched):
        return Batched(_read_only(array.values), array.batch)
    view = array[...]
    view.flags.writeable = False
    return view


def example(x: Any, batch: Batch, index: int) -> Any:
    """Return arguments with the array of one example in place of those of a batch."""
    return of_each(x, batch, lambda array: array.values[index])


def looped(
    function: Callable[..., Any], batch: Batch, args: Any, kwargs: Any, name: str = ""
) -> Any:
    """Return the results of a function for all examples, one after the other."""
    name = name or _name_of(function)
    LOOPED.get()[name] += 1
    args, kwargs = of_each([args, kwargs], batch, lambda x: x, _read_only)
    if batch.length:
        results = []
        for number in range(batch.length):
            xs, named = example(args, batch, number), example(kwargs, batch, number)
            try:  # of a batch around this one: NumPy does not look at all arguments for it
                is_within = batch_in(xs, named) is not None
                y = call_by_type(function, xs, named) if is_within else function(*xs, **named)
                results.append(y)
            except Exception as error:
                error.add_note(f"in example {number} of vmap({batch.name})")
                if isinstance(error, ValueError) and "read-only" in str(error):
                    raise VariableTypeError(
                        f"{name} writes into an array that vmap({batch.name}) does not own: an "
                        "argument, or one that all examples share. Write into np.copy(x) or "
                        "np.zeros_like(x), of an array x of the examples.",
                        got=np.ndarray,
                    ) from error
                raise
        return joined(results, batch, name)
    with np.errstate(all="ignore"):  # no example: one of ones gives shapes and dtypes
        xs, named = of_each([args, kwargs], batch, lambda x: np.ones(x.shape, x.dtype))
        y = joined([function(*xs, **named)], batch, name)
    return of_each(y, batch, lambda x: Batched(x.values[:0], batch))


def _name_of(function: Any) -> str:
    """Return the name of a function of NumPy, or of a method of a ufunc, as users write it."""
    ufunc = getattr(function, "__self__", None)
    if isinstance(ufunc, np.ufunc):
        return f"{public_name(ufunc)}.{function.__name__}".removesuffix(".__call__")
    return _NAMES.get(function) or public_name(function)


def joined(ys: list[Any], batch: Batch, name: str) -> Any:
    """Return the results of all examples as arrays of the batch, in the form of one result."""
    y = ys[0]
    if isinstance(y, _NUMBERS):
        shapes = {np.shape(each) for each in ys}
        if len(shapes) > 1:
            raise VariableTypeError(
                f"{name} gives arrays of different shapes for the examples of vmap({batch.name}): "
                f"{' and '.join(map(str, sorted(shapes)[:2]))}. All need one shape. Write np.where "
                "in place of x[condition].",
                got=tuple(sorted(shapes)),
            )
        return Batched(np.stack(ys), batch)
    if isinstance(y, (list, tuple)):
        parts = [joined(list(each), batch, name) for each in zip(*ys, strict=True)]
        return type(y)(*parts) if hasattr(y, "_fields") else type(y)(parts)
    return y
