"""Rules of functions along axes: reductions, norms, sorting and Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core.extend import call_by_type

from .batch import Batch
from .batched import Batched
from .rules import behind, is_of, rule, whole


@rule(
    np.sum, np.prod, np.mean, np.std, np.var, np.min, np.max, np.amin, np.amax, np.any, np.all,
    np.argmin, np.argmax, np.cumsum, np.cumprod, np.median, np.ptp, np.count_nonzero, np.nansum,
    np.nanprod, np.nanmean, np.nanstd, np.nanvar, np.nanmin, np.nanmax, np.nanargmin,
    np.nanargmax, np.nancumsum, np.nancumprod, np.nanmedian,
)  # fmt: skip
def _reduced(
    function: Any, batch: Batch, a: Any, axis: Any = None, *args: Any, **kwargs: Any
) -> Any:
    args = tuple(x for x in args if x is not None)  # dtype and out
    if kwargs.get("dtype", 0) is None:
        del kwargs["dtype"]
    if args or not is_of(a, batch) or "out" in kwargs or (axis is not None and not a.ndim):
        return NotImplemented
    ndim, values = a.ndim, a.values
    keepdims = axis is None and kwargs.pop("keepdims", False) is True
    if axis is None and ndim != 1:
        values = np.reshape(values, (batch.length, a.size))
    at = 1 if axis is None else behind(axis, ndim)
    for name, x in kwargs.items():
        if name in ("where", "mean") and not isinstance(x, bool):
            x = whole(x, batch, ndim)
            if axis is None:
                x = np.reshape(np.broadcast_to(x, a.values.shape), values.shape)
            kwargs[name] = x
    # NumPy does not look at all arguments for arrays of a batch around this one.
    y = call_by_type(function, (values,), {"axis": at, **kwargs})
    return Batched(np.reshape(y, (batch.length, *(1,) * ndim)) if keepdims else y, batch)


@rule(np.quantile, np.percentile, np.nanquantile, np.nanpercentile)
def _quantiles(function: Any, batch: Batch, a: Any, q: Any, axis: Any = None, **kwargs: Any) -> Any:
    if not is_of(a, batch) or np.ndim(q) > 1 or not kwargs.keys() <= {"method", "keepdims"}:
        return NotImplemented  # of nan, NumPy puts the axes of a matrix q elsewhere
    values, keepdims = a.values, kwargs.get("keepdims", False) is True
    if axis is None:
        values = np.reshape(values, (batch.length, a.size))
    y = function(values, q, axis=1 if axis is None else behind(axis, a.ndim), **kwargs)
    y = np.moveaxis(y, np.ndim(q), 0)
    shape = (batch.length, *np.shape(q), *(1,) * a.ndim)
    return Batched(np.reshape(y, shape) if keepdims and axis is None else y, batch)


@rule(np.sort, np.argsort)
def _sorted(function: Any, batch: Batch, a: Any, axis: Any = -1, *args: Any, **kwargs: Any) -> Any:
    if axis is None:
        a, axis = np.ravel(a), -1
    return Batched(function(a.values, behind(axis, a.ndim), *args, **kwargs), batch)


@rule(np.partition, np.argpartition)
def _partitioned(
    function: Any, batch: Batch, a: Any, kth: Any, axis: Any = -1, *args: Any, **kwargs: Any
) -> Any:
    if axis is None:
        a, axis = np.ravel(a), -1
    return Batched(function(a.values, kth, behind(axis, a.ndim), *args, **kwargs), batch)


@rule(*(vars(np.fft)[name] for name in ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]))
def _transformed(
    function: Any, batch: Batch, a: Any, n: Any = None, axis: int = -1, norm: Any = None
) -> Any:
    return Batched(function(a.values, n, behind(axis, a.ndim), norm), batch)


@rule(
    *(
        vars(np.fft)[name]
        for name in ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"]
    )
)
def _transformed_over(
    function: Any, batch: Batch, a: Any, s: Any = None, axes: Any = None, norm: Any = None
) -> Any:
    if axes is None:
        count = a.ndim if s is None else len(s)
        axes = (-2, -1) if function.__name__.endswith("2") else range(-count, 0)
    return Batched(function(a.values, s, behind(tuple(axes), a.ndim), norm), batch)


@rule(np.fft.fftshift, np.fft.ifftshift)
def _shifted(function: Any, batch: Batch, x: Any, axes: Any = None) -> Any:
    axes = range(x.ndim) if axes is None else (axes,) if isinstance(axes, int) else axes
    return Batched(function(x.values, behind(tuple(axes), x.ndim)), batch)


@rule(np.linalg.norm, np.linalg.vector_norm)
def _norm(
    function: Any, batch: Batch, x: Any, ord: Any = None,  # noqa: A002 (NumPy's name)
    axis: Any = None, *args: Any, **kwargs: Any,
) -> Any:  # fmt: skip
    if args or not kwargs.keys() <= {"keepdims"} or kwargs.get("keepdims"):
        return NotImplemented
    if function is np.linalg.vector_norm:
        ord = kwargs.pop("ord", 2 if ord is None else ord)
    if axis is None and (function is np.linalg.vector_norm or ord is None):
        x, axis = np.ravel(x), 0
    elif axis is None:
        axis = (0,) if x.ndim == 1 else (0, 1)
    axis = behind(axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis, x.ndim)
    if function is np.linalg.vector_norm and isinstance(axis, tuple):
        return Batched(function(x.values, axis=axis, ord=ord), batch)
    return Batched(np.linalg.norm(x.values, ord, axis), batch)
