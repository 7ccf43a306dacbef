"""Rules of functions of each element by itself, of functions of shapes, and of new arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .batch import Batch
from .batched import Batched
from .rules import aligned, is_of, ndim_of, rule, whole, wrapped


@rule(
    np.angle, np.around, np.clip, np.fix, np.i0, np.imag, np.isclose, np.iscomplex, np.isneginf,
    np.isposinf, np.isreal, np.nan_to_num, np.real, np.round, np.sinc, np.where,
)  # fmt: skip
def _elementwise(function: Any, batch: Batch, *args: Any, **kwargs: Any) -> Any:
    if function is np.where and len(args) != 3:
        return NotImplemented
    xs = aligned((*args, *kwargs.values()), batch)
    named = dict(zip(kwargs, xs[len(args) :], strict=True))
    return Batched(function(*xs[: len(args)], **named), batch)


@rule(np.searchsorted, np.digitize, np.interp)
def _of_a_table(function: Any, batch: Batch, *args: Any, **kwargs: Any) -> Any:
    """Look up elements in tables that are the same for all examples."""
    at = 1 if function is np.searchsorted else 0
    others = [*args[:at], *args[at + 1 :], *kwargs.values()]
    if len(args) <= at or any(is_of(x, batch) for x in others):
        return NotImplemented
    given = [x.values if index == at else x for index, x in enumerate(args)]
    return Batched(function(*given, **kwargs), batch)


@rule(np.shape, np.ndim, np.size)
def _of_the_form(function: Any, batch: Batch, a: Any, axis: Any = None) -> Any:
    if function is np.size:
        return a.size if axis is None else a.shape[axis]
    return a.shape if function is np.shape else a.ndim


@rule(np.iscomplexobj, np.isrealobj)
def _of_the_dtype(function: Any, batch: Batch, x: Any) -> bool:
    return (x.dtype.kind == "c") == (function is np.iscomplexobj)


@rule(np.result_type, np.can_cast, np.common_type, np.min_scalar_type)
def _of_dtypes(function: Any, batch: Batch, *args: Any, **kwargs: Any) -> Any:
    scalars = function is np.common_type
    given = [(np.zeros(1, x.dtype) if scalars else x.dtype) if is_of(x, batch) else x for x in args]
    return function(*given, **kwargs)


@rule(np.zeros_like, np.ones_like, np.empty_like)
def _like(
    function: Any, batch: Batch, a: Any, dtype: Any = None, order: Any = "K", subok: Any = True,
    shape: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    shape = a.shape if shape is None else (shape,) if isinstance(shape, int) else tuple(shape)
    return Batched(function(a.values, dtype=dtype, shape=(batch.length, *shape)), batch)


@rule(np.full_like)
def _full_like(
    function: Any, batch: Batch, a: Any, fill_value: Any, dtype: Any = None, order: Any = "K",
    subok: Any = True, shape: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    array = _like(np.empty_like, batch, a, dtype, shape=shape) if is_of(a, batch) else None
    if array is None:
        return NotImplemented
    array[...] = fill_value
    return array


@rule(np.copy)
def _copy(function: Any, batch: Batch, a: Any, order: Any = "K", subok: Any = False) -> Any:
    return a.copy()


@rule(np.copyto)
def _copyto(function: Any, batch: Batch, dst: Any, src: Any, *args: Any, **kwargs: Any) -> Any:
    if args or kwargs or not is_of(dst, batch):
        return NotImplemented
    dst[...] = src
    return None


@rule(np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.eig, np.linalg.eigh,
      np.linalg.eigvals, np.linalg.eigvalsh, np.linalg.svd, np.linalg.svdvals, np.linalg.qr,
      np.linalg.cholesky, np.linalg.pinv, np.linalg.matrix_power, np.linalg.matrix_transpose,
      np.linalg.cond, np.matrix_transpose)  # fmt: skip
def _of_matrices(function: Any, batch: Batch, a: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function that takes stacks of matrices."""
    if not is_of(a, batch) or a.ndim < 2 or any(is_of(x, batch) for x in (*args, *kwargs.values())):
        return NotImplemented
    return wrapped(function(a.values, *args, **kwargs), batch)


@rule(np.linalg.solve)
def _solve(function: Any, batch: Batch, a: Any, b: Any) -> Any:
    is_vector = ndim_of(b) == 1
    if is_vector:
        b = b[:, None]
    ndim = max(ndim_of(a), ndim_of(b))
    y = function(whole(a, batch, ndim), whole(b, batch, ndim))
    return Batched(y[..., 0] if is_vector else y, batch)
