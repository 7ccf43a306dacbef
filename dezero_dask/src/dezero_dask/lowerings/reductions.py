"""Sums, means, extrema and variances: in each chunk, and then over the results of chunks."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np

from ..refusals import refused
from .table import LOWERINGS, Array, elementwise, known, lowers


def _reduction(function: Any, neutral: Any, join: Any) -> Any:
    def reduced(
        x: Array,
        axis: Any = None,
        dtype: Any = None,
        *,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Array:
        if where is not True:
            filled = initial if neutral is None else x.dtype.type(neutral)
            x = elementwise(np.where, where, x, filled)
        more = {} if dtype is None else {"dtype": dtype}
        y = function(x, axis=axis, keepdims=keepdims, **more)
        return y if initial is None else elementwise(join, y, initial)

    return reduced


for _function, _lazy, _neutral, _join in (
    (np.sum, da.sum, 0, np.add),
    (np.prod, da.prod, 1, np.multiply),
    (np.nansum, da.nansum, 0, np.add),
    (np.nanprod, da.nanprod, 1, np.multiply),
    (np.max, da.max, None, np.maximum),
    (np.min, da.min, None, np.minimum),
    (np.nanmax, da.nanmax, None, np.fmax),
    (np.nanmin, da.nanmin, None, np.fmin),
    (np.all, da.all, True, np.logical_and),
    (np.any, da.any, False, np.logical_or),
):
    LOWERINGS[_function] = _reduction(_lazy, _neutral, _join)


def _simple(function: Any) -> Any:
    def reduced(x: Array, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
        more = {} if dtype is None else {"dtype": dtype}
        return function(x, axis=axis, keepdims=keepdims, **more)

    return reduced


for _function, _lazy in (
    *((np.mean, da.mean), (np.nanmean, da.nanmean), (np.argmax, da.argmax)),
    (np.argmin, da.argmin),
):
    LOWERINGS[_function] = _simple(_lazy)


def _deviation(function: Any) -> Any:
    def reduced(
        x: Array,
        axis: Any = None,
        dtype: Any = None,
        *,
        ddof: Any = 0,
        correction: Any = None,
        keepdims: bool = False,
    ) -> Array:
        ddof = ddof if correction is None else correction
        return function(x, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)

    return reduced


for _function, _lazy in (
    *((np.var, da.var), (np.std, da.std)),
    *((np.nanvar, da.nanvar), (np.nanstd, da.nanstd)),
):
    LOWERINGS[_function] = _deviation(_lazy)


@lowers(np.count_nonzero)
def _count_nonzero(x: Array, axis: Any = None, *, keepdims: bool = False) -> Array:
    return da.sum(x != 0, axis=axis, keepdims=keepdims, dtype=np.intp)


@lowers(np.average)
def _average(
    x: Array,
    axis: Any = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Array:
    if returned:
        raise refused("np.average with returned=True", "the sum of the weights is not there")
    if weights is None:
        return da.mean(x, axis=axis, keepdims=keepdims)
    if np.shape(weights) != x.shape:
        axes = [i % x.ndim for i in ((axis,) if np.ndim(axis) == 0 else axis)]
        weights = np.transpose(weights, tuple(np.argsort(np.argsort(axes)).tolist()))
        weights = weights[tuple(slice(None) if i in axes else None for i in range(x.ndim))]
    total = da.sum(elementwise(np.multiply, da.ones_like(x), weights), axis=axis, keepdims=keepdims)
    return da.sum(elementwise(np.multiply, x, weights), axis=axis, keepdims=keepdims) / total


def _cumulative(function: Any) -> Any:
    def accumulated(x: Array, axis: Any = None, dtype: Any = None) -> Array:
        if axis is None or not x.ndim:
            x, axis = da.ravel(x), 0
        return function(x, axis=axis, dtype=dtype)

    return accumulated


for _function, _lazy in (
    *((np.cumsum, da.cumsum), (np.cumprod, da.cumprod)),
    *((np.nancumsum, da.nancumsum), (np.nancumprod, da.nancumprod)),
):
    LOWERINGS[_function] = _cumulative(_lazy)


@lowers(np.bincount)
def _bincount(at: Any, weights: Any = None, minlength: int = 0) -> Array:
    at = known(at, "positions of np.bincount")
    length = max(int(np.max(at, initial=-1)) + 1, minlength)
    positions = da.from_array(at, chunks=weights.chunks)
    counts = da.map_blocks(
        *(_counted, positions, weights, length),
        dtype=float,
        new_axis=1,
        chunks=(tuple(1 for _ in weights.chunks[0]), (length,)),
        meta=np.empty((0, 0)),
    )
    return da.sum(counts, axis=0)


def _counted(at: Any, weights: Any, length: int) -> Any:
    return np.bincount(at, weights, length)[np.newaxis]


@lowers(np.trapezoid)
def _trapezoid(y: Array, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Array:
    y = da.moveaxis(y, axis, -1)
    if x is not None:
        x = np.asarray(x) if not isinstance(x, da.Array) else x
        x = x if x.ndim == 1 else da.moveaxis(x, axis, -1)
        dx = x[..., 1:] - x[..., :-1]
    return da.sum(dx * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
