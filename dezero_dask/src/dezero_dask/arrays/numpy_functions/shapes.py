"""Functions that give elements another place."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ...errors import refused
from .table import (
    LAZY_FUNCTIONS,
    Array,
    along,
    broadcast,
    elementwise,
    implements,
    in_one_chunk,
    joined,
    known,
    shape_without_memory,
    with_length,
)

for _function in (
    *(np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.expand_dims, np.squeeze),
    *(np.flip, np.fliplr, np.flipud, np.rot90, np.diagonal, np.diag, np.meshgrid),
    *(np.atleast_1d, np.atleast_2d, np.atleast_3d, np.broadcast_arrays),
):
    LAZY_FUNCTIONS[_function] = getattr(da, _function.__name__)
LAZY_FUNCTIONS[np.broadcast_to] = broadcast
LAZY_FUNCTIONS[np.matrix_transpose] = partial(da.swapaxes, axis1=-1, axis2=-2)


@implements(np.reshape)
def _reshape(x: Array, shape: Any, order: str = "C") -> Array:
    shape = np.reshape(shape_without_memory(x), shape).shape
    if not x.size:
        return da.zeros(shape, dtype=x.dtype)
    if order == "F":
        return da.transpose(_reshape(da.transpose(x), shape[::-1]))
    try:
        return da.reshape(x, shape)
    except NotImplementedError:  # where it would split an axis unevenly; never by way of one axis
        return da.reshape(da.reshape(x, (-1,)), shape)


@implements(np.ravel)
def _ravel(x: Array, order: str = "C") -> Array:
    return _reshape(x, -1, order)


@implements(np.copy)
def _copy(x: Array, order: str = "K") -> Array:
    return x


def _made_like(
    make: Any, x: Array, dtype: Any = None, order: str = "K", subok: Any = None, shape: Any = None
) -> Array:
    shape = x.shape if shape is None else shape
    dtype = x.dtype if dtype is None else dtype
    return make(shape, dtype=dtype, chunks=x.chunks if shape == x.shape else "auto")


LAZY_FUNCTIONS |= {
    np.zeros_like: partial(_made_like, da.zeros),
    np.empty_like: partial(_made_like, da.empty),
    np.ones_like: partial(_made_like, da.ones),
}


@implements(np.full_like)
def _full_like(
    x: Array, value: Any, dtype: Any = None, order: str = "K", subok: Any = None, shape: Any = None
) -> Array:
    zeros = _made_like(da.zeros, x, dtype, shape=shape)
    np.broadcast_to(shape_without_memory(value), zeros.shape)
    return elementwise(_second, zeros, value)


def _second(first: Any, second: Any) -> Any:
    return np.broadcast_to(second, first.shape).astype(first.dtype)


@implements(np.roll)
def _roll(x: Array, shift: Any, axis: Any = None) -> Array:
    np.roll(np.zeros((1,) * x.ndim), shift, axis)  # refuses axes that are not there
    if axis is not None:
        shifts, axes = np.broadcast_arrays(shift, axis)
        return da.roll(x, tuple(shifts.ravel().tolist()), tuple(axes.ravel().tolist()))
    return _reshape(da.roll(_ravel(x), int(np.sum(shift)), 0), x.shape)


@implements(np.diff)
def _diff(x: Array, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    axis = normalize_axis_index(axis, x.ndim)
    if n < 1:
        if n:
            raise ValueError(f"np.diff must be taken n=0 times or more, got n={n}.")
        return x
    parts = [part for part in (prepend, x, append) if part is not None]
    one = with_length(x.shape, axis, 1)
    parts = [da.asarray(part) if np.ndim(part) else broadcast(part, one) for part in parts]
    y = da.concatenate(parts, axis)
    for _ in range(n):
        later, earlier = y[along(axis, slice(1, None))], y[along(axis, slice(None, -1))]
        y = later != earlier if y.dtype == bool else later - earlier
    return y


@implements(np.trace)
def _trace(x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Array:
    return da.sum(da.diagonal(x, offset, axis1, axis2), axis=-1, dtype=dtype)


@implements(np.diagflat)
def _diagflat(x: Array, k: int = 0) -> Array:
    return da.diag(_ravel(x), k)


def _triangle(x: Array, k: int = 0, *, lower: bool) -> Array:
    x = broadcast(x, (len(x), len(x))) if x.ndim < 2 else x
    inside = da.tri(*x.shape[-2:], k if lower else k - 1, dtype=bool)
    return elementwise(np.where, inside if lower else ~inside, x, x.dtype.type(0))


LAZY_FUNCTIONS[np.tril] = partial(_triangle, lower=True)
LAZY_FUNCTIONS[np.triu] = partial(_triangle, lower=False)


@implements(np.take)
def _take(x: Array, positions: Any, axis: Any = None, *, mode: str = "raise") -> Array:
    is_flat = axis is None or not x.ndim
    axis = normalize_axis_index(axis or 0, max(x.ndim, 1))
    # A boolean picks 0 or 1. NumPy converts lists, such as one of nothing, but no array of floats.
    casting: Any = "same_kind" if isinstance(positions, np.ndarray) else "unsafe"
    positions = known(positions, "positions of np.take").astype(np.intp, casting=casting)
    n = int(x.size) if is_flat else x.shape[axis]
    if mode != "raise":
        positions = positions % n if mode == "wrap" else np.clip(positions, 0, n - 1)
    if is_flat:
        return _taken_flat(x, positions, n)
    y = da.take(x, positions.ravel(), axis)
    return _reshape(y, (*x.shape[:axis], *positions.shape, *x.shape[axis + 1 :]))


def _taken_flat(x: Array, positions: Any, n: int) -> Array:
    """Return elements of the flattened array, each from its chunk; nothing is put in one line."""
    wrong = positions[(positions < -n) | (positions >= n)]
    if wrong.size:
        raise IndexError(f"index {wrong.flat[0]} is out of bounds for size {n}")
    if not x.ndim:
        return broadcast(x, positions.shape)
    if not positions.size:
        return da.zeros(positions.shape, dtype=x.dtype)
    at = np.unravel_index(positions.ravel() % n, x.shape)
    return _reshape(x.vindex[at], positions.shape)


@implements(np.take_along_axis)
def _take_along_axis(arr: Array, indices: Array, axis: int | None = -1) -> Array:
    if not isinstance(arr, da.Array):
        why = "the positions are lazy, and the elements are not"
        raise refused("np.take_along_axis", why, "Compute the positions first.")
    if axis is None:
        arr, axis = _ravel(arr), 0
    if arr.ndim != indices.ndim:
        raise ValueError(
            "np.take_along_axis takes as many axes of positions as of elements, got "
            f"{indices.ndim} and {arr.ndim}."
        )
    axis = normalize_axis_index(axis, arr.ndim)
    axes = tuple(range(arr.ndim))
    return da.blockwise(
        *(partial(np.take_along_axis, axis=axis), axes),
        *(in_one_chunk(arr, axis, "np.take_along_axis"), with_length(axes, axis, arr.ndim)),
        *(da.asarray(indices), axes),
        concatenate=True,
        dtype=arr.dtype,
        meta=np.empty((0,) * arr.ndim, arr.dtype),
    )


@implements(np.compress)
def _compress(condition: Any, x: Array, axis: Any = None) -> Array:
    return _take(x, np.flatnonzero(known(condition, "conditions of np.compress")), axis)


@implements(np.extract)
def _extract(condition: Any, x: Array) -> Array:
    return _take(x, np.flatnonzero(known(condition, "conditions of np.extract")))


@implements(np.tile)
def _tile(x: Array, reps: Any) -> Array:
    reps = (reps,) if np.ndim(reps) == 0 else tuple(reps)
    x = x[(None,) * (len(reps) - x.ndim)]
    for axis, times in enumerate((1,) * (x.ndim - len(reps)) + reps):
        if times != 1:
            x = da.concatenate([x] * times, axis) if times else _take(x, np.arange(0), axis)
    return x


@implements(np.pad)
def _pad(x: Array, widths: Any, mode: Any = "constant", *, constant_values: Any = 0) -> Array:
    widths = np.broadcast_to(widths, (x.ndim, 2))
    if widths.dtype.kind not in "iu" or (widths < 0).any():
        raise ValueError(f"np.pad takes widths that are integers of 0 or more, got {widths}.")
    if mode not in ("constant", "edge", "reflect", "symmetric", "wrap"):
        raise refused(
            f"np.pad with mode={mode!r}", "it is there for borders that repeat, or constants"
        )
    values = np.broadcast_to(known(constant_values, "constants of np.pad"), (x.ndim, 2))
    for axis, (before, after) in enumerate(widths.tolist()):
        if mode == "constant":
            first, last = (
                da.full(with_length(x.shape, axis, width), value, dtype=x.dtype)
                for width, value in zip((before, after), values[axis], strict=True)
            )
            x = joined([first, x, last], axis)
        elif before or after:
            n = x.shape[axis]
            sides = np.arange(-before, 0), np.arange(n, n + after)
            first, last = (da.take(x, _inside(at, n, mode), axis) for at in sides)
            x = da.concatenate([first, x, last], axis)
    return x


def _inside(at: Any, n: int, mode: str) -> Any:
    """Return which elements of an axis are repeated at positions outside of it."""
    if mode == "edge":
        return np.clip(at, 0, n - 1)
    if mode == "wrap":
        return at % n
    if mode == "symmetric":
        at = at % (2 * n)
        return np.minimum(at, 2 * n - 1 - at)
    at = at % max(2 * n - 2, 1)
    return np.minimum(at, abs(2 * n - 2 - at))


def _in_order(
    sort: Any, x: Array, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> Array:
    if axis is None:
        x, axis = _ravel(x), 0
    elif sort is np.argsort and not x.ndim:
        x = _ravel(x)  # the one order that NumPy gives, too
    in_one_chunk(x, axis, f"np.{sort.__name__}")
    dtype = x.dtype if sort is np.sort else np.intp
    return x.map_blocks(sort, axis=axis, dtype=dtype, kind=kind, stable=stable)


LAZY_FUNCTIONS[np.sort] = partial(_in_order, np.sort)
LAZY_FUNCTIONS[np.argsort] = partial(_in_order, np.argsort)
