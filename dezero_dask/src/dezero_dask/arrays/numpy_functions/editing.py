"""Functions that leave elements out, or put some in: each chunk does so by itself."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..refusals import refused
from .table import (
    LAZY_FUNCTIONS,
    Array,
    along,
    broadcast,
    implements,
    joined,
    known,
    with_length,
)

#: So many pieces between new elements make a graph that is built soon.
_PIECES = 10_000


def _with_axis(x: Array, axis: int | None) -> tuple[Array, int]:
    """Return an array and its axis; flattened without one."""
    if axis is None:
        return LAZY_FUNCTIONS[np.ravel](x), 0
    return x, normalize_axis_index(axis, x.ndim)


@implements(np.delete)
def _delete(x: Array, where: Any, axis: Any = None) -> Array:
    x, axis = _with_axis(x, axis)
    n = x.shape[axis]
    out = where if isinstance(where, slice) else _deleted(known(where, "positions of np.delete"), n)
    parts, start, kept = [], 0, 0  # of the elements up to `start`, those from `kept` are left
    for length in x.chunks[axis]:
        some = _inside(out, start, start + length, n)
        if some is not None:
            chunk = x[along(axis, slice(start, start + length))]
            left = length - len(range(length)[some] if isinstance(some, slice) else some)
            parts.append(x[along(axis, slice(kept, start))])
            parts.append(
                chunk.map_blocks(
                    *(np.delete, some, axis),
                    dtype=x.dtype,
                    chunks=with_length(x.chunks, axis, (left,)),
                    meta=x._meta,
                )
            )
            kept = start + length
        start += length
    return joined([*parts, x[along(axis, slice(kept, None))]], axis)


def _deleted(where: Any, n: int) -> Any:
    """Return positions that are left out, in order, each once."""
    if where.dtype == bool:
        if where.shape != (n,):
            raise ValueError(f"a mask of what is left out must be of shape ({n},)")
        return np.flatnonzero(where)
    if where.size and where.dtype.kind not in "iu":
        raise IndexError("positions to leave out must be integers or booleans")
    where = where.astype(np.intp)
    wrong = where[(where < -n) | (where >= n)]
    if wrong.size:
        raise IndexError(f"index {wrong[0]} is out of bounds for an axis with size {n}")
    return np.unique(where % max(n, 1))


def _inside(out: Any, start: int, end: int, n: int) -> Any:
    """Return the elements that one chunk leaves out, as an index of its own; None if none."""
    if not isinstance(out, slice):
        some = out[slice(*np.searchsorted(out, (start, end)))]
        return some - start if some.size else None
    run = range(*out.indices(n))
    run = run[::-1] if run.step < 0 else run
    first = max(0, -((run.start - start) // run.step))  # the number of those before the chunk
    some = run[first:]
    found = range(some.start - start, min(some.stop, end) - start, run.step)
    return slice(found.start, found.stop, found.step) if found else None


@implements(np.insert)
def _insert(x: Array, where: Any, values: Any, axis: Any = None) -> Array:
    x, axis = _with_axis(da.asarray(x), axis)
    n = x.shape[axis]
    if isinstance(where, slice):
        _require_few(len(range(*where.indices(n))))
        where = np.arange(*where.indices(n))
    at = known(where, "positions of np.insert")
    if at.ndim > 1 or (at.dtype == bool and at.ndim != 1):
        raise ValueError("positions of np.insert must be of one dimension, or a number")
    is_number = at.ndim == 0
    at = np.flatnonzero(at) if at.dtype == bool else at
    if at.size and at.dtype.kind not in "iu":
        raise IndexError("positions to insert at must be integers or booleans")
    at = at.reshape(-1).astype(np.intp)
    wrong = at[(at < -n) | (at > n)]
    if wrong.size:
        raise IndexError(f"index {wrong[0]} is out of bounds for axis {axis} with size {n}")
    values = da.asarray(values)
    values = values[(None,) * (x.ndim - values.ndim)]
    values = da.moveaxis(values, 0, axis) if is_number else values
    at = np.where(at < 0, at + n, at)
    if at.size == 1:
        at = at.repeat(values.shape[axis])
    values = _as_given(values, with_length(x.shape, axis, at.size)).astype(x.dtype)
    order = np.argsort(at, kind="stable")
    cuts, counts = np.unique(at, return_counts=True)
    _require_few(len(cuts))
    parts, start, done = [], 0, 0
    for cut, count in zip(cuts.tolist(), counts.tolist(), strict=True):
        parts.append(x[along(axis, slice(start, cut))])
        parts.append(_some(values, order[done : done + count], axis))
        start, done = cut, done + count
    return joined([*parts, x[along(axis, slice(start, None))]], axis)


def _require_few(places: int) -> None:
    if places > _PIECES:
        raise refused("np.insert", f"it puts in elements at more than {_PIECES:,} places")


def _as_given(values: Array, shape: tuple[int, ...]) -> Array:
    """Return values broadcast to a shape, which may have fewer axes of one element."""
    more = values.ndim - len(shape)
    if more > 0 and values.shape[:more] == (1,) * more:
        values = values[(0,) * more]
    return broadcast(values, shape)


def _some(values: Array, order: Any, axis: int) -> Array:
    index = slice(order[0], order[-1] + 1) if (np.diff(order) == 1).all() else order
    return values[along(axis, index)]


@implements(np.repeat)
def _repeat(x: Array, repeats: Any, axis: Any = None) -> Array:
    if axis is None or not x.ndim:
        x, axis = LAZY_FUNCTIONS[np.ravel](x), axis or 0
    axis = normalize_axis_index(axis, x.ndim)
    n, counts = x.shape[axis], known(repeats, "repetitions of np.repeat")
    if counts.size != 1 or counts.ndim > 1 or counts.dtype.kind not in "iub" or counts.min() < 0:
        return LAZY_FUNCTIONS[np.take](x, np.repeat(np.arange(n), counts), axis)
    times = int(counts.item())
    if not times:
        return x[along(axis, slice(0))]
    again = broadcast(x[along(axis + 1, None)], (*x.shape[: axis + 1], times, *x.shape[axis + 1 :]))
    return LAZY_FUNCTIONS[np.reshape](again, with_length(x.shape, axis, n * times))
