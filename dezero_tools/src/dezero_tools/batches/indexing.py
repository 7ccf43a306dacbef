"""Indices of arrays of a batch, which may be arrays of a batch themselves."""

from __future__ import annotations

from itertools import takewhile
from operator import getitem, setitem
from typing import Any

import numpy as np

from dezero_core.extend import kind_of
from dezero_core.extend import placed as placed_of_one

from .batch import LOOPED, Batch
from .batched import Batched
from .looping import example, innermost, looped
from .rules import repeated


def picked(x: Any, index: Any) -> Any:
    """Return ``x[index]``, where one of both is of a batch."""
    parts = index if isinstance(index, tuple) else (index,)
    batch = innermost(x, parts)
    whole = _of_all_examples(x, parts, batch)
    if whole is None:
        return looped(getitem, batch, (x, index), {})
    values = x.values if _is_of(x, batch) else x[None]
    return Batched(values[whole], batch)


def put(x: Batched, index: Any, values: Any) -> None:
    """Write ``x[index] = values`` for each example."""
    parts = index if isinstance(index, tuple) else (index,)
    batch = innermost(x, parts, values)
    if x.batch != batch:
        setitem(x.values, (slice(None), *parts), values)  # refused there
    whole = _of_all_examples(x, parts, batch)
    if whole is None:
        LOOPED.get()["x[i] = y"] += 1
        for number in range(batch.length):
            at = tuple(example(part, batch, number) for part in parts)
            x.values[number, ...][at] = example(values, batch, number)
        return
    if _is_of(values, batch):
        lacking = np.ndim(x.values[whole]) - 1 - values.ndim
        values = values.values.reshape((batch.length, *(1,) * max(lacking, 0), *values.shape))
    # NumPy goes through positions in the order in which they lie in memory: in rows, the last value
    # of an element that is written twice is the one that stays.
    x.values[tuple([np.copy(a, "C") if type(a) is np.ndarray else a for a in whole])] = values


def placed(values: Any, shape: tuple[int, ...], index: Any) -> Any:
    """Return zeros of a shape with `values` added at an index, for each example."""
    parts = index if isinstance(index, tuple) else (index,)
    batch = innermost(values, parts)
    of_zeros = Batched(np.zeros((1, *shape)), batch)
    whole = _of_all_examples(of_zeros, parts, batch)
    if whole is None:
        return looped(placed_of_one, batch, (values, shape, index), {})
    added, all_shape = repeated(values, batch), (batch.length, *shape)
    if any(isinstance(x, Batched) for x in (added, *whole)):  # of a batch around this one
        return Batched(placed(added, all_shape, whole), batch)
    zeros = kind_of(added).zeros(all_shape, values.dtype, added)
    if any(isinstance(part, (np.ndarray, list)) or _is_of(part, batch) for part in parts):
        np.add.at(zeros, whole, added)
    else:
        zeros[whole] = added
    return Batched(zeros, batch)


def _is_of(x: Any, batch: Batch) -> bool:
    return isinstance(x, Batched) and x.batch == batch


def _of_all_examples(x: Any, parts: tuple[Any, ...], batch: Batch) -> tuple[Any, ...] | None:
    """Return the index of the arrays of all examples, None if NumPy has none.

    NumPy puts the axes of several arrays in an index first, where something is between them: then
    they would come before the hidden axis.
    """
    if not any(_is_of(part, batch) for part in parts):
        arrays = [i for i, part in enumerate(parts) if not _is_basic(part)]
        advanced = [i for i, p in enumerate(parts) if not _is_basic(p) or isinstance(p, int)]
        apart = arrays and advanced[-1] - advanced[0] >= len(advanced)
        return None if apart else (slice(None), *parts)
    leading = list(takewhile(_is_position, parts))
    rest = parts[len(leading) :]
    if not leading or not all(isinstance(part, slice) or part is Ellipsis for part in rest):
        return None
    if any(part is not Ellipsis and part != slice(None) for part in rest):
        return None
    ndim = max(np.ndim(part) for part in leading)
    examples = np.arange(batch.length if _is_of(x, batch) else 1)
    if not _is_of(x, batch):
        examples = np.zeros(batch.length, int)
    aligned = [
        p.values.reshape((batch.length, *(1,) * (ndim - p.ndim), *p.shape))
        if _is_of(p, batch)
        else p
        for p in leading
    ]
    return examples.reshape((-1, *(1,) * ndim)), *aligned


def _is_position(part: Any) -> bool:
    """Return whether a part of an index is a whole number, or an array of them."""
    kind = getattr(part, "dtype", np.dtype(int)).kind
    return not (part is None or part is Ellipsis or isinstance(part, slice)) and kind in "iu"


def _is_basic(part: Any) -> bool:
    return part is None or part is Ellipsis or isinstance(part, (slice, int, np.integer))
