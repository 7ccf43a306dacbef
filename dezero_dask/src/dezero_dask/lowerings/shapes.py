"""Functions that give elements another place."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np

from ..refusals import refused
from .table import LOWERINGS, Array, elementwise, lowers, shape_without_memory, whole

for _function, _lazy in (
    *((np.transpose, da.transpose), (np.swapaxes, da.swapaxes), (np.moveaxis, da.moveaxis)),
    *((np.rollaxis, da.rollaxis), (np.expand_dims, da.expand_dims), (np.squeeze, da.squeeze)),
    *((np.flip, da.flip), (np.fliplr, da.fliplr), (np.flipud, da.flipud), (np.rot90, da.rot90)),
    *((np.diagonal, da.diagonal), (np.diag, da.diag), (np.pad, da.pad)),
    *((np.atleast_1d, da.atleast_1d), (np.atleast_2d, da.atleast_2d)),
    *((np.atleast_3d, da.atleast_3d), (np.broadcast_arrays, da.broadcast_arrays)),
):
    LOWERINGS[_function] = _lazy


@lowers(np.broadcast_to)
def _broadcast_to(x: Array, shape: Any, subok: bool = False) -> Array:
    return da.broadcast_to(x, shape)


@lowers(np.reshape)
def _reshape(x: Array, shape: Any, order: str = "C") -> Array:
    shape = np.reshape(shape_without_memory(x), shape).shape
    if order == "F":
        return da.transpose(da.reshape(da.transpose(x), shape[::-1]))
    return da.reshape(x, shape)


@lowers(np.ravel)
def _ravel(x: Array, order: str = "C") -> Array:
    return _reshape(x, -1, order)


@lowers(np.copy)
def _copy(x: Array, order: str = "K") -> Array:
    return x


def _made_like(function: Any) -> Any:
    def made(x: Array, dtype: Any = None, order: str = "K", subok: Any = None, shape: Any = None) -> Array:
        shape = x.shape if shape is None else shape
        dtype = x.dtype if dtype is None else dtype
        return function(shape, dtype, x.chunks if shape == x.shape else "auto")

    return made


LOWERINGS[np.zeros_like] = _made_like(lambda n, dtype, chunks: da.zeros(n, dtype, chunks=chunks))
LOWERINGS[np.empty_like] = _made_like(lambda n, dtype, chunks: da.empty(n, dtype, chunks=chunks))
LOWERINGS[np.ones_like] = _made_like(lambda n, dtype, chunks: da.ones(n, dtype, chunks=chunks))


@lowers(np.full_like)
def _full_like(
    x: Array, value: Any, dtype: Any = None, order: str = "K", subok: Any = None, shape: Any = None
) -> Array:
    zeros = LOWERINGS[np.zeros_like](x, dtype, shape=shape)
    return elementwise(np.add, zeros, value).astype(zeros.dtype)


@lowers(np.matrix_transpose)
def _matrix_transpose(x: Array) -> Array:
    return da.swapaxes(x, -1, -2)


@lowers(np.roll)
def _roll(x: Array, shift: Any, axis: Any = None) -> Array:
    if axis is not None:
        return da.roll(x, shift, axis)
    return da.roll(da.ravel(x), int(np.sum(shift)), 0).reshape(x.shape)


@lowers(np.diff)
def _diff(
    x: Array, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None
) -> Array:
    axis %= x.ndim
    sides = [
        None if side is None else da.broadcast_to(side, (*x.shape[:axis], 1, *x.shape[axis + 1 :]))
        if not np.ndim(side)
        else da.asarray(side)
        for side in (prepend, append)
    ]
    parts = [part for part in (sides[0], x, sides[1]) if part is not None]
    y = da.concatenate(parts, axis) if len(parts) > 1 else x
    before = (slice(None),) * axis
    for _ in range(n):
        later, earlier = y[(*before, slice(1, None))], y[(*before, slice(None, -1))]
        y = later != earlier if y.dtype == bool else later - earlier
    return y


@lowers(np.trace)
def _trace(x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Array:
    return da.sum(da.diagonal(x, offset, axis1, axis2), axis=-1, dtype=dtype)


@lowers(np.diagflat)
def _diagflat(x: Array, k: int = 0) -> Array:
    return da.diag(da.ravel(x), k)


def _triangle(x: Array, k: int, lower: bool) -> Array:
    x = da.broadcast_to(x, (len(x), len(x))) if x.ndim == 1 else x
    inside = da.tri(*x.shape[-2:], k if lower else k - 1, dtype=bool)
    return elementwise(np.where, inside if lower else ~inside, x, x.dtype.type(0))


@lowers(np.tril)
def _tril(x: Array, k: int = 0) -> Array:
    return _triangle(x, k, True)


@lowers(np.triu)
def _triu(x: Array, k: int = 0) -> Array:
    return _triangle(x, k, False)


@lowers(np.take)
def _take(x: Array, positions: Any, axis: Any = None, mode: str = "raise") -> Array:
    if isinstance(positions, da.Array):
        raise refused("np.take", "its positions are lazy")
    if axis is None:
        x, axis = da.ravel(x), 0
    positions = np.asarray(positions)
    n = x.shape[axis]
    if mode != "raise":
        positions = positions % n if mode == "wrap" else np.clip(positions, 0, n - 1)
    y = da.take(x, positions.ravel(), axis)
    axis %= x.ndim
    return da.reshape(y, (*x.shape[:axis], *positions.shape, *x.shape[axis + 1 :]))


@lowers(np.compress)
def _compress(condition: Any, x: Array, axis: Any = None) -> Array:
    if isinstance(condition, da.Array):
        raise refused("np.compress", "its condition is lazy, so no shape is known")
    return _take(x, np.flatnonzero(condition), axis)


@lowers(np.extract)
def _extract(condition: Any, x: Array) -> Array:
    return _compress(np.ravel(condition), x)


@lowers(np.repeat)
def _repeat(x: Array, repeats: Any, axis: Any = None) -> Array:
    if axis is None or not x.ndim:
        x, axis = da.ravel(x), 0
    return _take(x, np.repeat(np.arange(x.shape[axis]), repeats), axis)


@lowers(np.tile)
def _tile(x: Array, reps: Any) -> Array:
    reps = (reps,) if np.ndim(reps) == 0 else tuple(reps)
    x = x[(None,) * (len(reps) - x.ndim)]
    for axis, times in enumerate((1,) * (x.ndim - len(reps)) + reps):
        if times != 1:
            n = x.shape[axis]
            x = da.concatenate([x] * times, axis) if times else _take(x, np.arange(0), axis)
            assert x.shape[axis] == n * times
    return x


@lowers(np.sort)
def _sort(x: Array, axis: int = -1) -> Array:
    return whole(x, axis, "np.sort").map_blocks(np.sort, axis=axis, dtype=x.dtype)


@lowers(np.argsort)
def _argsort(x: Array, axis: int = -1) -> Array:
    return whole(x, axis, "np.argsort").map_blocks(np.argsort, axis=axis, dtype=np.intp)
