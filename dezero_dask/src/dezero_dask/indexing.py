"""Picking elements by a known index, and putting them back to where they were."""

from __future__ import annotations

import math
from typing import Any

import dask.array as da
import numpy as np
from dezero_core.array_types import added_up

from .lowerings.table import LOWERINGS, broadcast, lowers
from .refusals import refused

Array = Any


def picked(x: Array, index: Any) -> Array:
    """Return ``x[index]``.

    Parameters
    ----------
    x : dask.array.Array
    index : index of ndarrays

    Raises
    ------
    LazyArrayError (TypeError)
        For an index that is itself lazy, or has several arrays.
    """
    parts = _expanded(index, x.ndim)
    arrays = _require_known(parts)
    if len(arrays) > 1 and all(p.dtype.kind in "iu" for p in arrays) and len(arrays) == x.ndim:
        index = tuple(np.broadcast_arrays(*arrays))
    else:
        _require_few(arrays)
    try:
        return x.vindex[index] if len(arrays) > 1 else x[index]
    except AttributeError as error:  # of Dask's expressions, which do not have all indices yet
        raise refused("x[index]", "Dask's expressions do not have this index") from error


@lowers(added_up)
def placed(values: Array, shape: tuple[int, ...], index: Any) -> Array:
    """Return zeros of a shape, with `values` added at an index.

    Parameters
    ----------
    values : dask.array.Array
        Of the shape of ``x[index]``, or one that broadcasts to it.
    shape : tuple of int
    index : index of ndarrays

    Raises
    ------
    LazyArrayError (TypeError)
        As of `picked`.
    """
    parts = _expanded(index, len(shape))
    arrays = _require_known(parts)
    if arrays and (len(arrays) > 1 or arrays[0].ndim > 1 or any(map(_is_number, parts))):
        return _counted(values, shape, index)
    lengths = _lengths(parts, shape)
    values = broadcast(values, [n for n in lengths if n is not None])
    # One axis for each axis of the result, of length 1 where the index has an integer.
    kept = [slice(None) if n is not None else None for n in lengths]
    values = values[tuple(kept)]
    added = [axis for axis, part in enumerate(parts) if part is None]
    values = da.squeeze(values, tuple(added)) if added else values
    rest = [part for part in parts if part is not None]
    for axis, (part, n) in enumerate(zip(rest, shape, strict=True)):
        if isinstance(part, np.ndarray):
            values = _scattered(values, axis, _positions(part), n)
        else:
            values = _spread(values, axis, _range(part, n), n)
    return values


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
    return isinstance(part, np.ndarray) and part.shape == () and part.dtype.kind in "iu"


def _is_mask(part: Any) -> bool:
    return isinstance(part, np.ndarray) and part.dtype == bool


def _require_known(parts: list[Any]) -> list[Any]:
    if any(isinstance(part, (bool, np.bool_)) for part in parts):
        raise refused("x[index]", "its index has a single True or False")
    arrays = [p for p in parts if not (p is None or isinstance(p, (slice, int, np.integer)))]
    for array in arrays:
        if not isinstance(array, np.ndarray):
            raise refused("x[index]", "its index is lazy itself, so no shape is known")
    return arrays


def _require_few(arrays: list[Any]) -> None:
    if len(arrays) > 1 or any(array.ndim != 1 for array in arrays):
        raise refused("x[index]", "its index has several arrays, or one of several dimensions")


def _is_number(part: Any) -> bool:
    return isinstance(part, (int, np.integer))


def _counted(values: Array, shape: tuple[int, ...], index: Any) -> Array:
    """Return the same for any index: in one chunk, from the sums of all chunks."""
    at = np.arange(math.prod(shape)).reshape(shape)[index]
    flat = da.reshape(broadcast(values, at.shape), (-1,))
    bincount = LOWERINGS[np.bincount]
    parts = [flat.real, flat.imag] if flat.dtype.kind == "c" else [flat]
    sums = [bincount(at.reshape(-1), part, math.prod(shape)) for part in parts]
    total = sums[0] + 1j * sums[1] if len(sums) > 1 else sums[0]
    return da.reshape(total, shape).astype(values.dtype)


def _lengths(parts: list[Any], shape: tuple[int, ...]) -> list[int | None]:
    """Return the length of each axis of ``x[index]``; None for an integer, which leaves none."""
    sizes = iter(shape)
    found: list[int | None] = []
    for part in parts:
        if part is None:
            found.append(1)
            continue
        n = next(sizes)
        if isinstance(part, np.ndarray):
            found.append(len(_positions(part)))
        else:
            found.append(None if not isinstance(part, slice) else len(_range(part, n)))
    return found


def _positions(part: Any) -> Any:
    return np.flatnonzero(part) if part.dtype == bool else part


def _range(part: Any, n: int) -> range:
    if isinstance(part, slice):
        return range(*part.indices(n))
    at = int(part) % n
    return range(at, at + 1)


def _spread(values: Array, axis: int, at: range, n: int) -> Array:
    """Put elements at positions of an axis of length `n`, which are a range."""
    if not at:
        shape = (*values.shape[:axis], n, *values.shape[axis + 1 :])
        return da.zeros(shape, dtype=values.dtype)
    if at.step < 0:
        values, at = da.flip(values, axis), at[::-1]
    if at.step > 1:
        gaps = [da.zeros_like(values)] * (at.step - 1)
        dense = da.stack([values, *gaps], axis + 1)
        shape = (*values.shape[:axis], len(at) * at.step, *values.shape[axis + 1 :])
        every = dense.reshape(shape)
        values = every[(slice(None),) * axis + (slice(at[-1] - at[0] + 1),)]
    sides = [at[0], n - 1 - at[-1]]
    before, after = (
        da.zeros((*values.shape[:axis], k, *values.shape[axis + 1 :]), dtype=values.dtype)
        for k in sides
    )
    parts = [x for x in (before, values, after) if x.shape[axis]]
    return da.concatenate(parts, axis) if len(parts) > 1 else values


def _scattered(values: Array, axis: int, at: Any, n: int) -> Array:
    """Add elements at positions of an axis of length `n`, some of which may be the same."""
    whole = values.rechunk({axis: -1})
    chunks = (*whole.chunks[:axis], (n,), *whole.chunks[axis + 1 :])
    return whole.map_blocks(
        _added_at, axis, at, n, dtype=values.dtype, chunks=chunks, meta=values._meta
    )


def _added_at(values: Any, axis: int, at: Any, n: int) -> Any:
    zeros = np.zeros((*values.shape[:axis], n, *values.shape[axis + 1 :]), values.dtype)
    np.add.at(zeros, (slice(None),) * axis + (at,), values)
    return zeros
