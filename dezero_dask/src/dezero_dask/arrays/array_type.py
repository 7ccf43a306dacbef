"""Dask's arrays as a type of arrays: how a Function runs on them, and the rest of an ArrayType."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

import dask
import dask.array as da
import numpy as np

from dezero_core import Function
from dezero_core.extend import described

from ..errors import LazyArrayError, refused
from .body_array import BodyArray, unwrapped, wrapped
from .elementwise_bodies import backward_by_chunks, forward_by_chunks
from .numpy_functions.table import LAZY_FUNCTIONS, Array, of_function

_WIDER = {"e": np.float64, "f": np.float64, "F": np.complex128}


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the results of a function of arrays, lazily; refuse those that could not be lazy."""
    owner = getattr(function, "__self__", None)
    is_method = isinstance(owner, Function)
    what = described(owner, function.__name__) if is_method else f"np.{function.__name__}"
    arrays, named = unwrapped(args), unwrapped(kwargs)
    _require_known_shapes(what, (*arrays, *named.values()))
    try:
        if is_method:
            return _of_method(owner, function.__name__, arrays)
        if function in LAZY_FUNCTIONS:
            y = of_function(function, arrays, named)
        else:
            y = unwrapped(function(*wrapped(arrays), **wrapped(named)))
    except NotImplementedError as error:  # a case that a function of Dask's does not have
        reason = str(error).strip().split("\n")[0].rstrip(".") or "Dask does not have it"
        raise refused(what, reason) from error
    within = any(isinstance(x, BodyArray) for x in (*args, *kwargs.values()))
    return wrapped(y) if within else y  # the body of an operation called the function


def _of_method(function: Any, method: str, arrays: tuple[Array, ...]) -> Any:
    if function.elementwise:
        by_chunks = forward_by_chunks if method == "forward" else backward_by_chunks
        return by_chunks(function, arrays)
    own = vars(function)
    own.update(wrapped(dict(own)))  # until the body has returned
    try:
        if method == "forward":
            return unwrapped(function.forward(*wrapped(arrays)))
        node = function.with_arrays(*wrapped(function.saved_arrays()))
        return unwrapped(node.backward(*wrapped(arrays)))
    finally:
        own.update(unwrapped(dict(own)))


def _require_known_shapes(what: str, arrays: tuple[Array, ...]) -> None:
    """Raise if an array has chunks of unknown size."""
    for x in arrays:
        if isinstance(x, da.Array) and any(n != n for n in x.shape):
            shape = tuple(None if n != n else n for n in x.shape)
            raise refused(
                what,
                f"the shape {shape} is not known, since it depends on values",
                "Call x.compute_chunk_sizes() on the array first; or write np.where(condition, x, "
                "0.0) in place of x[condition].",
            )


def zeros(shape: tuple[int, ...], dtype: Any, like: Array) -> Array:
    """Return zeros, in the chunks of `like` if they are of its shape."""
    array = unwrapped(like)
    made = da.zeros(shape, dtype=dtype, chunks=array.chunks if shape == array.shape else "auto")
    return wrapped(made) if isinstance(like, BodyArray) else made


def sum_to(array: Array, shape: tuple[int, ...]) -> Array:
    """Undo broadcasting; short floats are added in double precision."""
    x = unwrapped(array)
    lead = x.ndim - len(shape)
    axes = [i for i, n in enumerate(x.shape) if i < lead or shape[i - lead] != n]
    wider = _WIDER.get(x.dtype.char)
    total = da.sum(x, axis=tuple(axes), dtype=wider, keepdims=True) if axes else x
    total = total[(0,) * lead].astype(x.dtype)
    return wrapped(total) if isinstance(array, BodyArray) else total


def to_numpy(array: Array) -> Any:
    """Compute an array."""
    return np.asarray(unwrapped(array).compute())


def from_numpy(array: Any) -> Array:
    """Return an array in chunks, for the conformance kit: as the setting ``dezero.chunks`` says.

    By default the first chunk of each axis has one element less than half.
    """
    parts = dask.config.get("dezero.chunks", 2)
    chunks = tuple(_uneven(n, parts) for n in np.shape(array))
    return da.from_array(np.asarray(array), chunks=chunks)


def _uneven(length: int, parts: int) -> tuple[int, ...]:
    """Return the lengths of some parts of an axis, the first of which are shorter."""
    cuts = sorted({length * part // parts for part in range(1, parts)} - {0, length})
    cuts = [max(1, cut - 1) if cut == cuts[0] and length > 2 else cut for cut in cuts]
    return tuple(int(n) for n in np.diff([0, *cuts, length])) if length else (0,)


def fitted(gradient: Array, array: Array) -> Array:
    """Return a gradient in the chunks of its array, as an object of its own.

    Dask's ``x[0] = 1`` changes the object `x` alone, so gradients must not share an object.
    """
    x, of = unwrapped(gradient), unwrapped(array)
    return copy(x) if x.chunks == of.chunks else x.rechunk(of.chunks)


@contextmanager
def without_computing() -> Iterator[None]:
    """Raise if one of Dask's arrays is computed in a block."""

    def scheduler(*args: Any, **kwargs: Any) -> Any:
        raise LazyArrayError("an array was computed, and must stay lazy.", got="compute")

    with dask.config.set(scheduler=scheduler):
        yield
