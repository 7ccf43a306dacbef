"""Functions that put arrays together or take them apart, leave elements out, or put some in."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dezero_tools.functional.trees import leaves_of, tree_map
from numpy.lib.array_utils import normalize_axis_index

from ...errors import refused
from .table import (
    LAZY_FUNCTIONS,
    Array,
    along,
    broadcast,
    implements,
    joined,
    known,
    picked_along,
    resized,
    with_length,
)

#: So many pieces between new elements make a graph that is built soon.
_PIECES = 10_000


def _join(
    join: Any, arrays: Any, axis: Any = 0, *, dtype: Any = None, casting: Any = "same_kind"
) -> Array:
    arrays = list(map(da.asarray, arrays))
    dtype = np.result_type(*(x.dtype for x in arrays)) if dtype is None else np.dtype(dtype)
    at = axis + arrays[0].ndim if axis < 0 else axis
    sides = {x.shape if join is da.stack else x.shape[:at] + x.shape[at + 1 :] for x in arrays}
    if len(sides) > 1:  # of arrays without elements, Dask does not look at them
        raise ValueError(f"the other axes must be the same, got {sorted(sides)}")
    for x in arrays:
        if not np.can_cast(x.dtype, dtype, casting):
            raise TypeError(f"Cannot cast from {x.dtype} to {dtype} by the rule {casting!r}.")
    return join([x.astype(dtype) for x in arrays], axis)


LAZY_FUNCTIONS[np.stack] = partial(_join, da.stack)


@implements(np.concatenate)
def _concatenate(
    arrays: Any, axis: Any = 0, *, dtype: Any = None, casting: Any = "same_kind"
) -> Array:
    if axis is None:
        arrays, axis = list(map(LAZY_FUNCTIONS[np.ravel], map(da.asarray, arrays))), 0
    return _join(da.concatenate, arrays, axis, dtype=dtype, casting=casting)


@implements(np.column_stack)
def _column_stack(arrays: Any) -> Array:
    arrays = list(map(da.asarray, arrays))
    return _concatenate([x if x.ndim > 1 else da.atleast_2d(x).T for x in arrays], 1)


@implements(np.append)
def _append(x: Any, values: Any, axis: Any = None) -> Array:
    return _concatenate((x, values), axis)


@implements(np.block)
def _block(arrays: Any) -> Array:
    # It refuses lists that are empty, or nested to several depths. Arrays without elements fit
    # together in any case.
    np.block(tree_map(lambda _: np.zeros((0,) * 16), arrays))
    leaves = list(map(da.asarray, leaves_of(arrays)))
    depth, first = 0, arrays
    while type(first) is list:
        depth, first = depth + 1, first[0]
    ndim = max(depth, *(x.ndim for x in leaves))
    dtype = np.result_type(*(x.dtype for x in leaves))

    def block(part: Any, axis: int) -> Array:
        if axis == 0:
            part = da.asarray(part)
            return part[(None,) * (ndim - part.ndim)].astype(dtype)
        return _concatenate([block(each, axis + 1) for each in part], axis, dtype=dtype)

    return block(arrays, -depth)


@implements(np.array_split)
def _array_split(x: Array, sections: Any, axis: int = 0) -> list[Array]:
    if np.ndim(sections):
        ends = [*sections]
    else:
        each, more = divmod(x.shape[axis], sections)
        ends = list(np.cumsum([each + 1] * more + [each] * (sections - more))[:-1])
    starts = zip([0, *ends], [*ends, None], strict=True)
    return [x[along(axis % x.ndim, slice(start, end))] for start, end in starts]


@implements(np.unstack)
def _unstack(x: Array, axis: int = 0) -> tuple[Array, ...]:
    return tuple(da.moveaxis(x, axis, 0)[i] for i in range(x.shape[axis]))


@implements(np.array_equal)
def _array_equal(x: Any, y: Any, equal_nan: bool = False) -> Any:
    if np.shape(x) != np.shape(y):
        return False
    if equal_nan:
        raise refused("np.array_equal with equal_nan=True", "it is not there for them")
    return da.all(da.asarray(x) == da.asarray(y))


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
            rest = resized(chunk, axis, left, np.delete, some, axis)
            parts += [x[along(axis, slice(kept, start))], rest]
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
        some = picked_along(values, axis, order[done : done + count])
        parts += [x[along(axis, slice(start, cut))], some]
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
