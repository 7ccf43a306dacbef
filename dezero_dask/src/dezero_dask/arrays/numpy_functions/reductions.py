"""Sums, means, extrema and variances: in each chunk, and then over the results of chunks."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from dezero_core.extend import added_up

from ...errors import refused
from .table import LAZY_FUNCTIONS, Array, along, elementwise, implements, known


def _as_element(number: Any, dtype: Any) -> Any:
    """Return a number in the dtype of the elements, which it does not change."""
    return known(number, "initial values").astype(dtype)


def _simple(
    function: Any, x: Array, axis: Any = None, dtype: Any = None, *, keepdims: bool = False
) -> Array:
    more = {} if dtype is None else {"dtype": dtype}
    return function(x, axis=axis, keepdims=keepdims, **more)


def _deviation(
    function: Any,
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


def _cumulative(function: Any, x: Array, axis: Any = None, dtype: Any = None) -> Array:
    if axis is None:
        x, axis = da.ravel(x), 0
    elif not x.ndim:
        x, axis = da.ravel(x), normalize_axis_index(axis, 1)
    return function(x, axis=axis, dtype=dtype)


def _with_initial(
    function: Any,
    neutral: Any,
    join: Any,
    x: Array,
    axis: Any = None,
    dtype: Any = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    if where is not True:
        if np.broadcast_shapes(np.shape(where), x.shape) != x.shape:
            raise ValueError(f"where= of shape {np.shape(where)} is for no array of {x.shape}")
        filled = initial if neutral is None else neutral
        if filled is None:
            raise ValueError("a maximum or minimum needs an initial value beside where=")
        x = elementwise(np.where, where, x, _as_element(filled, x.dtype))
    y = _simple(function, x, axis, dtype, keepdims=keepdims)
    return y if initial is None else elementwise(join, y, _as_element(initial, y.dtype))


LAZY_FUNCTIONS |= {
    np.sum: partial(_with_initial, da.sum, 0, np.add),
    np.prod: partial(_with_initial, da.prod, 1, np.multiply),
    np.nansum: partial(_with_initial, da.nansum, 0, np.add),
    np.nanprod: partial(_with_initial, da.nanprod, 1, np.multiply),
    np.max: partial(_with_initial, da.max, None, np.maximum),
    np.min: partial(_with_initial, da.min, None, np.minimum),
    np.nanmax: partial(_with_initial, da.nanmax, None, np.fmax),
    np.nanmin: partial(_with_initial, da.nanmin, None, np.fmin),
    np.all: partial(_with_initial, da.all, True, np.logical_and),
    np.any: partial(_with_initial, da.any, False, np.logical_or),
}
for _family, _functions in {
    _simple: (np.mean, np.nanmean, np.argmax, np.argmin),
    _deviation: (np.var, np.std, np.nanvar, np.nanstd),
    _cumulative: (np.cumsum, np.cumprod, np.nancumsum, np.nancumprod),
}.items():
    for _function in _functions:
        LAZY_FUNCTIONS[_function] = partial(_family, getattr(da, _function.__name__))


@implements(np.count_nonzero)
def _count_nonzero(x: Array, axis: Any = None, *, keepdims: bool = False) -> Array:
    return da.sum(x != 0, axis=axis, keepdims=keepdims, dtype=np.intp)


@implements(np.average)
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


@implements(np.bincount)
def _bincount(at: Any, weights: Any = None, minlength: int = 0) -> Array:
    at = known(at, "positions of np.bincount")
    length = max(int(np.max(at, initial=-1)) + 1, minlength)
    if at.shape != weights.shape:
        raise ValueError("np.bincount takes one weight for each position")
    return LAZY_FUNCTIONS[added_up](weights.astype(np.float64), (length,), at)


@implements(np.trapezoid)
def _trapezoid(y: Array, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Array:
    y = da.asarray(y)
    at = normalize_axis_index(axis, y.ndim)
    later, earlier = y[along(at, slice(1, None))], y[along(at, slice(None, -1))]
    if x is not None:
        x = da.asarray(x)  # it may have axes that y does not have; `axis` is counted in each
        if x.ndim == 1:
            dx = LAZY_FUNCTIONS[np.diff](x)[(slice(None), *(None,) * (y.ndim - at - 1))]
        else:
            dx = LAZY_FUNCTIONS[np.diff](x, axis=axis)
    pairs = elementwise(np.add, later, earlier)
    return da.sum(elementwise(np.multiply, dx, pairs) / 2.0, axis=axis)
