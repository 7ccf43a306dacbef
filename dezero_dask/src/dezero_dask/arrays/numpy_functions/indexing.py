"""Picking elements by a known index, and putting them back to where they were."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from dezero_core.extend import added_up

from ...errors import refused
from .table import Array, along, broadcast, implements, joined, picked_along, resized, with_length


def picked(x: Array, index: Any) -> Array:
    """Return ``x[index]``; refuse an index that is itself lazy, or has several arrays."""
    parts = _expanded(index, x.ndim)
    arrays = _require_known(parts)
    try:
        if len(arrays) > 1 and all(p.dtype.kind in "iu" for p in arrays) and len(arrays) == x.ndim:
            return x.vindex[tuple(np.broadcast_arrays(*arrays))]
        if len(arrays) > 1 or any(array.ndim != 1 for array in arrays):
            reason = "its index has several arrays, or one of several dimensions"
            raise refused("x[index]", reason)
        return _with_new_axes(x[tuple(part for part in parts if part is not None)], parts)
    except AttributeError as error:  # of Dask's expressions, which do not have all indices yet
        raise refused("x[index]", "Dask's expressions do not have this index") from error


def _with_new_axes(y: Array, parts: list[Any]) -> Array:
    """Return ``x[index]`` from `y`, which lacks the new axes and has Dask's order of axes."""
    left = [part for part in parts if not isinstance(part, int)]
    if any(part is None for part in left):
        y = y[tuple(None if part is None else slice(None) for part in left)]
    at = [i for i, part in enumerate(parts) if isinstance(part, (int, np.ndarray))]
    axis = next((i for i, part in enumerate(left) if isinstance(part, np.ndarray)), None)
    if axis is not None and at[-1] - at[0] >= len(at):
        # A slice between an integer and an array: NumPy puts the axis of the array first.
        y = da.moveaxis(y, axis, 0)
    return y


@implements(added_up)
def placed(values: Array, shape: tuple[int, ...], index: Any) -> Array:
    """Return zeros of a shape, with `values` added at an index, to which they broadcast."""
    if not values.size:
        return da.zeros(shape, dtype=values.dtype)
    parts = _expanded(index, len(shape))
    arrays = _require_known(parts)
    has_number = any(isinstance(part, int) for part in parts)
    if arrays and (len(arrays) > 1 or arrays[0].ndim > 1 or has_number):
        return _added_in_blocks(values, shape, parts)
    sizes = iter(shape)
    places = [range(1) if part is None else _place(part, next(sizes)) for part in parts]
    pairs = list(zip(places, parts, strict=True))
    values = broadcast(values, [len(at) for at, part in pairs if not isinstance(part, int)])
    # One axis for each axis of the result: the index takes out those of integers, and adds others.
    undo = (None if isinstance(part, int) else 0 if part is None else slice(None) for part in parts)
    values = values[tuple(undo)]
    rest = [at for at, part in pairs if part is not None]
    for axis, (at, n) in enumerate(zip(rest, shape, strict=True)):
        put = _placed_in_range if isinstance(at, range) else _scattered
        values = put(values, axis, at, n)
    return values


def _place(part: Any, n: int) -> Any:
    """Return the positions along an axis of length `n` that one part of an index picks."""
    if isinstance(part, np.ndarray):
        return np.flatnonzero(part) if _is_mask(part) else part
    if isinstance(part, slice):
        return range(*part.indices(n))
    return range(part % n, part % n + 1)


def _expanded(index: Any, ndim: int) -> list[Any]:
    """Return one part for each axis, with slices in place of ``...``, and arrays for lists."""
    parts = list(index) if isinstance(index, tuple) else [index]
    parts = [np.asarray(part) if isinstance(part, (list, np.ndarray)) else part for part in parts]
    parts = [part.item() if _is_integer(part) else part for part in parts]
    axes = sum(part.ndim if _is_mask(part) else part is not None for part in parts)
    at = next((i for i, part in enumerate(parts) if part is Ellipsis), None)
    if at is None:
        return parts + [slice(None)] * (ndim - axes)
    return parts[:at] + [slice(None)] * (ndim - axes + 1) + parts[at + 1 :]


def _is_integer(part: Any) -> bool:
    is_of_numpy = isinstance(part, (np.ndarray, np.integer))
    return is_of_numpy and part.shape == () and part.dtype.kind in "iu"


def _is_mask(part: Any) -> bool:
    return isinstance(part, np.ndarray) and part.dtype == bool


def _require_known(parts: list[Any]) -> list[Any]:
    if any(isinstance(part, (bool, np.bool_)) for part in parts):
        raise refused("x[index]", "its index has a single True or False")
    arrays = [p for p in parts if not (p is None or isinstance(p, (slice, int)))]
    for array in arrays:
        if not isinstance(array, np.ndarray):
            raise refused("x[index]", "its index is lazy itself, so no shape is known")
    return arrays


def _added_in_blocks(values: Array, shape: tuple[int, ...], parts: list[Any]) -> Array:
    """Return the same for any index: each chunk picks what belongs to it, from all values.

    Nothing here has the size of the whole array.
    """
    places = _coordinates(parts, shape)
    flat = da.reshape(broadcast(values, places[0].shape), (-1,)).rechunk(-1)
    chunks = da.core.normalize_chunks("auto", shape, dtype=values.dtype)
    table: Any = np.stack([place.ravel() for place in places])
    order = np.argsort(table[0], kind="stable")  # so that a chunk finds its first axis fast
    pairs: list[Any] = []
    for axis, lengths in enumerate(chunks):
        ends = np.cumsum(lengths)
        bounds = np.stack([ends - lengths, ends], axis=1)
        pairs += [da.from_array(bounds, chunks=(1, 2)), (axis, len(shape) + 1 + axis)]
    return da.blockwise(
        partial(_added, table[:, order], order, values.dtype),
        tuple(range(len(shape))),
        *(flat, (len(shape),), *pairs),
        dtype=values.dtype,
        adjust_chunks=dict(enumerate(chunks)),
        align_arrays=False,
        concatenate=True,
        meta=np.empty((0,) * len(shape), values.dtype),
    )


def _coordinates(parts: list[Any], shape: tuple[int, ...]) -> list[Any]:
    """Return where the elements of ``x[index]`` are along each axis of `x`."""
    small: list[Any] = []  # the same index of an array with the picked elements alone
    picks: list[Any] = []
    sizes = iter(shape)
    for part in parts:
        if part is None:
            small.append(None)
            continue
        for one in np.nonzero(part) if _is_mask(part) else (part,):
            n = next(sizes)
            if isinstance(one, slice):
                picks.append(np.arange(*one.indices(n)))
                small.append(slice(None))
            else:
                picks.append(np.asarray(one).reshape(-1) % n)
                small.append(np.arange(picks[-1].size).reshape(np.shape(one)))
    lengths = tuple(map(len, picks))
    small = [part.item() if _is_integer(part) else part for part in small]
    return [
        np.broadcast_to(pick.reshape(-1, *(1,) * (len(picks) - 1 - axis)), lengths)[tuple(small)]
        for axis, pick in enumerate(picks)
    ]


def _added(places: Any, order: Any, dtype: Any, values: Any, *bounds: Any) -> Any:
    """Return one chunk with values added at known places; short floats in double precision.

    `places` are of shape (axes, values), sorted by the first axis; `order` says which value is at
    each.
    """
    starts, ends = np.concatenate([bound.reshape(1, 2) for bound in bounds]).T
    some = slice(*np.searchsorted(places[0], (starts[0], ends[0])))
    places, order = places[:, some], order[some]
    inside = ((places >= starts[:, None]) & (places < ends[:, None])).all(axis=0)
    total = np.zeros(ends - starts, np.result_type(dtype, np.float64))
    np.add.at(total, tuple(places[:, inside] - starts[:, None]), values[order[inside]])
    return total.astype(dtype)


def _placed_in_range(values: Array, axis: int, at: range, n: int) -> Array:
    """Put elements at the positions of a range, along an axis of length `n`; 0 elsewhere."""
    if at.step < 0:
        values, at = da.flip(values, axis), at[::-1]
    if at.step > 1:
        gaps = [da.zeros_like(values)] * (at.step - 1)
        dense = da.stack([values, *gaps], axis + 1)
        every = dense.reshape(with_length(values.shape, axis, len(at) * at.step))
        values = every[along(axis, slice(at[-1] - at[0] + 1))]
    if values.shape[axis] == n:
        return values
    before, after = (_zeros(values, axis, length) for length in (at[0], n - 1 - at[-1]))
    whole = joined([before, values, after], axis)
    # An axis in one chunk stays so, as transforms need it, unless that is more than Dask's usual.
    is_one = len(values.chunks[axis]) == len(_zeros(whole, axis, n).chunks[axis]) == 1
    return whole.rechunk({axis: -1}) if is_one else whole


def _zeros(like: Array, axis: int, n: int) -> Array:
    """Return zeros like an array but for `n` elements along an axis, there in the usual chunks."""
    shape, chunks = with_length(like.shape, axis, n), with_length(like.chunks, axis, "auto")
    return da.zeros(shape, dtype=like.dtype, chunks=chunks)


def _scattered(values: Array, axis: int, at: Any, n: int) -> Array:
    """Add elements at positions of an axis of length `n`, some of which may be the same."""
    lengths = _zeros(values, axis, n).chunks[axis]
    ends = np.cumsum(lengths)
    at = np.where(at < 0, at + n, at)
    order = np.argsort(at, kind="stable")
    at = at[order]
    of_chunk = np.searchsorted(ends, at, side="right")
    parts, done = [], 0  # most chunks of a long axis have no element, and are made at once
    for chunk in np.unique(of_chunk).tolist():
        end = int(ends[chunk])
        start = end - lengths[chunk]
        some = slice(*np.searchsorted(of_chunk, (chunk, chunk + 1)).tolist())
        used = picked_along(values, axis, order[some]).rechunk({axis: -1})
        added = resized(used, axis, end - start, _added_at, axis, at[some] - start, end - start)
        parts += [_zeros(values, axis, start - done), added]
        done = end
    return joined([*parts, _zeros(values, axis, n - done)], axis)


def _added_at(values: Any, axis: int, at: Any, n: int) -> Any:
    zeros = np.zeros(with_length(values.shape, axis, n), values.dtype)
    np.add.at(zeros, along(axis, at), values)
    return zeros
