"""The loop over the examples of a batch, for functions of NumPy that have no rule."""

from __future__ import annotations

from collections.abc import Callable
from operator import getitem
from typing import Any

import numpy as np

from dezero_core import VariableTypeError
from dezero_core.extend import public_name

from .batch import LOOPED, Batch
from .batched import Batched

_NUMBERS = (np.ndarray, np.generic, bool, int, float, complex, Batched)


def innermost(*trees: Any) -> Batch:
    """Return the batch of arrays in arguments; of two, the one inside of the other."""
    found: Batch | None = None
    waiting = list(trees)
    for x in waiting:
        if type(x) is Batched:
            if found is None or x.batch.depth > found.depth:
                found = x.batch
        elif isinstance(x, (list, tuple)):
            waiting += x  # the loop goes on to these
        elif isinstance(x, dict):
            waiting += x.values()
    assert found is not None
    found.require_running()
    return found


def example(x: Any, batch: Batch, index: int) -> Any:
    """Return arguments with the array of one example in place of those of a batch."""
    if isinstance(x, Batched):
        return x.values[index] if x.batch == batch else x
    if isinstance(x, (list, tuple)):
        parts = [example(each, batch, index) for each in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    if isinstance(x, dict):
        return {name: example(each, batch, index) for name, each in x.items()}
    return x


def looped(function: Callable[..., Any], batch: Batch, args: Any, kwargs: Any) -> Any:
    """Return the results of a function for all examples, one after the other."""
    name = "x[i]" if function is getitem else getattr(function, "__qualname__", "")
    if isinstance(function, (np.ufunc, type(np.sum))):
        name = public_name(function)
    if (counter := LOOPED.get()) is not None:
        counter[name] += 1
    if batch.length:
        results = []
        for number in range(batch.length):
            xs, named = example(args, batch, number), example(kwargs, batch, number)
            try:
                results.append(function(*xs, **named))
            except Exception as error:
                error.add_note(f"in example {number} of vmap({batch.name})")
                raise
        return joined(results, batch, name)
    with np.errstate(all="ignore"):  # no example: one of ones gives shapes and dtypes
        one = batch._replace(length=1)
        xs, named = _of_ones(args, batch, one), _of_ones(kwargs, batch, one)
        y = function(*example(xs, one, 0), **example(named, one, 0))
    return emptied(joined([y], one, name), batch)


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


def _of_ones(x: Any, batch: Batch, one: Batch) -> Any:
    if isinstance(x, Batched):
        return Batched(np.ones((1, *x.shape), x.dtype), one) if x.batch == batch else x
    if isinstance(x, (list, tuple)):
        return type(x)([_of_ones(each, batch, one) for each in x])
    if isinstance(x, dict):
        return {name: _of_ones(each, batch, one) for name, each in x.items()}
    return x


def emptied(y: Any, batch: Batch) -> Any:
    """Return results for one example as those of a batch without any."""
    if isinstance(y, Batched):
        return Batched(y.values[:0], batch)
    if isinstance(y, (list, tuple)):
        parts = [emptied(each, batch) for each in y]
        return type(y)(*parts) if hasattr(y, "_fields") else type(y)(parts)
    return y
