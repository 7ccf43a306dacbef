"""The functions of NumPy that Dask's arrays are given to, each with a function that is lazy.

A function is in this table if Dask's own one, or one written here, computes nothing early, and is
right for every keyword that it lets through. All others are refused by name.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np

from .blocks import Blocks
from .refusals import refused

Array = Any

LOWERINGS: dict[Any, Callable[..., Any]] = {}
"""Function of NumPy -> the one that takes its place."""

#: Keywords that say how to compute, and not what; or where results are placed.
_WITHOUT_EFFECT = {"device", "optimize", "stable", "kind", "copy", "mean", "order"}


def name_of(function: Any) -> str:
    """Return how messages name a function of NumPy."""
    module = getattr(function, "__module__", None) or "numpy"
    return f"{module.replace('numpy', 'np', 1)}.{function.__name__}"


def lowers(*functions: Any) -> Callable[[Any], Any]:
    """Let the decorated function take the place of functions of NumPy's."""

    def enter(lowering: Any) -> Any:
        LOWERINGS.update(dict.fromkeys(functions, lowering))
        return lowering

    return enter


def of_function(function: Any, args: Any, kwargs: Any) -> Any:
    """Return the lazy result of a function of NumPy's.

    Raises
    ------
    LazyArrayError (TypeError)
        If the function, or a keyword, is refused.
    """
    if function in FORMS:
        return function(*map(FORMS[function], args), **kwargs)
    lowering = LOWERINGS.get(function)
    if lowering is None:
        raise refused(name_of(function), "it is not among the functions that are certain to be lazy")
    given = {
        name: value
        for name, value in kwargs.items()
        if not (value is None or value is np._NoValue or name in _WITHOUT_EFFECT)
        and not (name == "where" and value is True)
    }
    allowed = inspect.signature(lowering).parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in allowed.values())
    for name in given:
        if name not in allowed and not takes_any:
            raise refused(f"{name_of(function)} with {name}=", f"{name}= is not there for them")
    return lowering(*args, **given)


def of_ufunc(ufunc: np.ufunc, method: str, inputs: Any, kwargs: Any) -> Any:
    """Return the lazy result of a ufunc.

    Raises
    ------
    LazyArrayError (TypeError)
        For a method such as ``reduce``, and for keywords.
    """
    if method != "__call__":
        raise refused(f"np.{ufunc.__name__}.{method}", "methods of ufuncs are not there for them")
    if ufunc.signature is not None:
        return of_function(ufunc, inputs, kwargs)
    if kwargs:
        raise refused(f"np.{ufunc.__name__} with {', '.join(kwargs)}=", "it takes arrays alone")
    if ufunc.nout == 1:
        return elementwise(ufunc, *inputs)
    return tuple(elementwise(_Output(ufunc, index), *inputs) for index in range(ufunc.nout))


def elementwise(function: Any, *inputs: Any, **kwargs: Any) -> Array:
    """Return the result of an elementwise function, chunk by chunk.

    Parameters
    ----------
    function : callable
    *inputs : dask.array.Array, ndarray or number
        They are broadcast to each other.
    **kwargs
        Numbers.
    """
    blocks = Blocks(functools.partial(function, **kwargs) if kwargs else function, inputs)
    with np.errstate(all="ignore"):
        dtype = blocks.task(*blocks.trial_operands()).dtype
    return blocks.array(dtype)


class _Output:
    """One of the results of a ufunc."""

    def __init__(self, ufunc: np.ufunc, index: int) -> None:
        self._ufunc, self._index = ufunc, index
        self.__name__ = f"{ufunc.__name__}_{index}"

    def __call__(self, *xs: Any) -> Any:
        return self._ufunc(*xs)[self._index]


def _dtype_or_number(x: Any) -> Any:
    return x.dtype if isinstance(x, da.Array) else x


def _of_its_form(x: Any) -> Any:
    """Return an array of the shape and dtype of one of Dask's, which takes no memory."""
    return np.broadcast_to(np.zeros((), x.dtype), x.shape) if isinstance(x, da.Array) else x


#: Functions whose results follow from shapes and dtypes -> that which stands for an array.
FORMS: dict[Any, Callable[[Any], Any]] = {
    np.shape: _of_its_form,
    np.ndim: _of_its_form,
    np.size: _of_its_form,
    np.iscomplexobj: _of_its_form,
    np.isrealobj: _of_its_form,
    np.result_type: _dtype_or_number,
    np.can_cast: _dtype_or_number,
}

# Elementwise functions that are no ufuncs.
for _function in (
    *(np.angle, np.fix, np.imag, np.iscomplex, np.isneginf, np.isposinf, np.isreal, np.isclose),
    *(np.nan_to_num, np.real, np.round, np.sinc, np.where),
):
    LOWERINGS[_function] = functools.partial(elementwise, _function)


@lowers(np.clip)
def _clip(x: Array, low: Any = None, high: Any = None) -> Array:
    x = x if low is None else elementwise(np.maximum, x, low)
    return x if high is None else elementwise(np.minimum, x, high)


# Reductions.


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
            if initial is None and neutral is None:
                raise refused("a maximum or minimum with where=", "it needs initial=")
            x = da.where(where, x, initial if neutral is None else x.dtype.type(neutral))
        more = {} if dtype is None else {"dtype": dtype}
        y = function(x, axis=axis, keepdims=keepdims, **more)
        return y if initial is None else join(y, initial)

    return reduced


for _function, _lazy, _neutral, _join in (
    (np.sum, da.sum, 0, np.add),
    (np.prod, da.prod, 1, np.multiply),
    (np.nansum, da.nansum, 0, np.add),
    (np.nanprod, da.nanprod, 1, np.multiply),
    (np.max, da.max, None, np.maximum),
    (np.min, da.min, None, np.minimum),
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
    *((np.argmin, da.argmin), (np.nanargmax, da.nanargmax), (np.nanargmin, da.nanargmin)),
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
def _average(x: Array, axis: Any = None, weights: Any = None, *, keepdims: bool = False) -> Array:
    if weights is None:
        return da.mean(x, axis=axis, keepdims=keepdims)
    weights = da.asarray(weights)
    if weights.shape != x.shape:
        weights = weights[tuple(slice(None) if i == axis % x.ndim else None for i in range(x.ndim))]
    total = da.sum(weights * da.ones_like(x), axis=axis, keepdims=keepdims)
    return da.sum(x * weights, axis=axis, keepdims=keepdims) / total


def _cumulative(function: Any) -> Any:
    def accumulated(x: Array, axis: Any = None, dtype: Any = None) -> Array:
        if axis is None:
            x, axis = da.ravel(x), 0
        return function(x, axis=axis, dtype=dtype)

    return accumulated


for _function, _lazy in (
    *((np.cumsum, da.cumsum), (np.cumprod, da.cumprod)),
    *((np.nancumsum, da.nancumsum), (np.nancumprod, da.nancumprod)),
):
    LOWERINGS[_function] = _cumulative(_lazy)


# Shapes.


@lowers(np.reshape)
def _reshape(x: Array, shape: Any, order: str = "C") -> Array:
    if order in ("C", "A"):
        return da.reshape(x, shape)
    shape = tuple(np.reshape(_of_its_form(x), shape).shape)
    return da.transpose(da.reshape(da.transpose(x), shape[::-1]))


@lowers(np.ravel)
def _ravel(x: Array, order: str = "C") -> Array:
    return _reshape(x, (-1,), order)


@lowers(np.copy)
def _copy(x: Array, order: str = "K") -> Array:
    return x


for _function, _lazy in (
    *((np.transpose, da.transpose), (np.swapaxes, da.swapaxes), (np.moveaxis, da.moveaxis)),
    *((np.rollaxis, da.rollaxis), (np.expand_dims, da.expand_dims), (np.squeeze, da.squeeze)),
    *((np.flip, da.flip), (np.fliplr, da.fliplr), (np.flipud, da.flipud), (np.rot90, da.rot90)),
    *((np.roll, da.roll), (np.stack, da.stack), (np.tile, da.tile), (np.diff, da.diff)),
    *((np.hstack, da.hstack), (np.vstack, da.vstack), (np.dstack, da.dstack)),
    *((np.tril, da.tril), (np.triu, da.triu), (np.diagonal, da.diagonal), (np.trace, da.trace)),
    *((np.append, da.append), (np.insert, da.insert), (np.delete, da.delete), (np.pad, da.pad)),
    *((np.atleast_1d, da.atleast_1d), (np.atleast_2d, da.atleast_2d)),
    *((np.atleast_3d, da.atleast_3d), (np.meshgrid, da.meshgrid), (np.diag, da.diag)),
    *((np.broadcast_arrays, da.broadcast_arrays), (np.take, da.take), (np.block, da.block)),
    *((np.zeros_like, da.zeros_like), (np.ones_like, da.ones_like), (np.full_like, da.full_like)),
    *((np.empty_like, da.empty_like), (np.dot, da.dot), (np.tensordot, da.tensordot)),
    *((np.vdot, da.vdot), (np.outer, da.outer), (np.matmul, da.matmul), (np.einsum, da.einsum)),
    *((np.median, da.median), (np.nanmedian, da.nanmedian), (np.repeat, da.repeat)),
):
    LOWERINGS[_function] = _lazy


@lowers(np.broadcast_to)
def _broadcast_to(x: Array, shape: Any) -> Array:
    return da.broadcast_to(x, shape)


@lowers(np.concatenate)
def _concatenate(arrays: Any, axis: Any = 0) -> Array:
    arrays = list(map(da.asarray, arrays))
    if axis is None:
        arrays, axis = list(map(da.ravel, arrays)), 0
    return da.concatenate(arrays, axis=axis)


@lowers(np.matrix_transpose)
def _matrix_transpose(x: Array) -> Array:
    return da.swapaxes(x, -1, -2)


@lowers(np.inner)
def _inner(x: Array, y: Array) -> Array:
    return da.tensordot(x, y, axes=(-1, -1)) if np.ndim(x) and np.ndim(y) else x * y


@lowers(np.vecdot)
def _vecdot(x: Array, y: Array, axis: int = -1) -> Array:
    return da.sum(da.conj(x) * y, axis=axis)


@lowers(np.matvec)
def _matvec(x: Array, y: Array) -> Array:
    return da.matmul(x, y[..., None])[..., 0]


@lowers(np.vecmat)
def _vecmat(x: Array, y: Array) -> Array:
    return da.matmul(da.conj(x)[..., None, :], y)[..., 0, :]


for _name in (
    *("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2"),
    *("fftn", "ifftn", "rfftn", "irfftn", "fftshift", "ifftshift"),
):
    LOWERINGS[getattr(np.fft, _name)] = getattr(da.fft, _name)
