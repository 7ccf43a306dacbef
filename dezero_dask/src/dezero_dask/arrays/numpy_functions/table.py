"""The table, the calls of NumPy that are looked up in it, and what is calculated chunk by chunk."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

import dask.array as da
import numpy as np

from dezero_core.extend import added_up, public_name

from ...errors import LazyArrayError, refused

Array = Any

LAZY_FUNCTIONS: dict[Any, Callable[..., Any]] = {}
"""Function of NumPy -> the one that takes its place."""

#: Keywords that say how to compute, or where the result is, and not its values.
_WITHOUT_EFFECT = {"device", "optimize", "stable", "kind", "copy", "subok"}

#: A body may refuse some values: one of these will do.
VALUES = (1, 0, -1, 2, 0.5)


def implements(*functions: Any) -> Callable[[Any], Any]:
    """Let the decorated function take the place of functions of NumPy's."""

    def enter(implementation: Any) -> Any:
        LAZY_FUNCTIONS.update(dict.fromkeys(functions, implementation))
        return implementation

    return enter


def of_function(function: Any, args: Any, kwargs: Any) -> Any:
    """Return the lazy result of a function of NumPy's; refuse it, if it is not in the table."""
    if function in _FORMS:
        return function(*map(_FORMS[function], args), **kwargs)
    implementation = LAZY_FUNCTIONS.get(function)
    if implementation is None:
        name = public_name(function)
        raise refused(name, f"{name} is not among the functions that are certain to be lazy")
    sizes: list[int] = []
    mapped(lambda x: sizes.append(x.size), da.Array, (args, kwargs))
    if not any(sizes) and function is not added_up:
        # Without elements there is nothing to compute; many of Dask's functions fail there.
        args, kwargs = mapped(lambda x: np.zeros(x.shape, x.dtype), da.Array, (args, kwargs))
        return mapped(da.asarray, (np.ndarray, np.generic), function(*args, **kwargs))
    takes = inspect.signature(implementation).parameters
    given = {
        name: value
        for name, value in kwargs.items()
        if value is not np._NoValue and (name in takes or not _is_default(name, value))
    }
    args = [None if x is np._NoValue else x for x in args]
    try:
        inspect.signature(implementation).bind(*args, **given)
    except TypeError:
        names = ", ".join(f"{name}=" for name in given if name not in takes) or "an argument"
        raise refused(
            f"{public_name(function)} with {names}",
            f"{names} of {public_name(function)} is not there",
        ) from None
    return implementation(*args, **given)


def _is_default(name: str, value: Any) -> bool:
    is_everywhere = name == "where" and value is True
    return name in _WITHOUT_EFFECT or value is None or is_everywhere


def mapped(change: Callable[[Any], Any], kind: Any, x: Any) -> Any:
    """Change each object of a kind in nested tuples, lists and dicts; return the result."""
    if isinstance(x, kind):
        return change(x)
    if type(x) in (list, tuple):
        return type(x)(mapped(change, kind, item) for item in x)
    return {key: mapped(change, kind, item) for key, item in x.items()} if type(x) is dict else x


def known(x: Any, what: str) -> Any:
    """Return an argument as an ndarray for a task, and refuse a lazy one."""
    if isinstance(x, da.Array):
        raise refused(what, "they are lazy, and each chunk needs all of them")
    return np.asarray(x)


def of_ufunc(ufunc: np.ufunc, method: str, inputs: Any, kwargs: Any) -> Any:
    """Return the lazy result of a ufunc; refuse a method such as ``reduce``, and keywords."""
    if method != "__call__":
        raise refused(f"np.{ufunc.__name__}.{method}", "methods of ufuncs are not there for them")
    if ufunc.signature is not None:
        return of_function(ufunc, inputs, kwargs)
    if kwargs:
        raise refused(f"np.{ufunc.__name__} with {', '.join(kwargs)}=", "it takes arrays alone")
    if ufunc.nout == 1:
        return elementwise(ufunc, *inputs)
    outputs = (partial(_output, ufunc, index) for index in range(ufunc.nout))
    return tuple(elementwise(output, *inputs) for output in outputs)


def _output(ufunc: np.ufunc, index: int, *xs: Any) -> Any:
    return ufunc(*xs)[index]


class Chunkwise:
    """Tasks for each chunk of some operands, which are broadcast to each other.

    A task takes the operands, Dask's arrays, ndarrays, numbers and None, with chunks in place of
    arrays. Operands that do not fit together are refused: Dask lets those without elements through.
    """

    def __init__(self, operands: Sequence[Any]) -> None:
        self._operands = [
            x if isinstance(x, da.Array) or not np.ndim(x) else da.asarray(x) for x in operands
        ]
        shapes = [x.shape for x in self._operands if isinstance(x, da.Array)]
        self.ndim = len(np.broadcast_shapes(*shapes))

    def trial_operands(self, value: Any = 1, length: int = 1) -> list[Any]:
        """Return arrays of one value in place of those of the operands, with axes of a length."""
        arrays = (da.Array, np.ndarray)
        return [
            np.full((length,) * x.ndim, value).astype(x.dtype) if isinstance(x, arrays) else x
            for x in self._operands
        ]

    def tried(self, task: Any) -> Any:
        """Return the result of a task for operands of one element: it has the dtype of all."""
        return first_result(lambda value: task(*self.trial_operands(value)))

    def array(self, task: Any, dtype: Any) -> Array:
        """Return the array of which each chunk is the result of a task."""
        pairs: list[Any] = []
        for x in self._operands:
            pairs += [x, tuple(range(x.ndim))[::-1] if isinstance(x, da.Array) else None]
        axes, meta = tuple(range(self.ndim))[::-1], np.empty((0,) * self.ndim, dtype)
        return da.blockwise(task, axes, *pairs, dtype=dtype, meta=meta)


def first_result(run: Callable[[Any], Any]) -> Any:
    """Return the result of `run`, for the first of the `VALUES` for which it does not raise.

    If it raises for all of them, the error is that for the first value.
    """
    errors = []
    for value in VALUES:
        try:
            with np.errstate(all="ignore"):
                return run(value)
        except LazyArrayError:
            raise
        except Exception as error:
            errors.append(error)
    raise errors[0]


def broadcast_chunks(operands: Sequence[Any]) -> list[Any]:
    """Return the operands of one chunk with arrays of one shape; numbers stay what they are."""
    shape = np.broadcast_shapes(*(x.shape for x in operands if isinstance(x, np.ndarray)))
    return [np.broadcast_to(x, shape) if isinstance(x, np.ndarray) else x for x in operands]


def elementwise(function: Any, *inputs: Any) -> Array:
    """Return the result of an elementwise function of inputs that broadcast, chunk by chunk."""
    chunkwise = Chunkwise(inputs)
    return chunkwise.array(function, chunkwise.tried(function).dtype)


def broadcast(x: Any, shape: Any) -> Array:
    """Return an array repeated to a shape."""
    x = x if isinstance(x, da.Array) else da.asarray(x)
    shape = (shape,) if np.ndim(shape) == 0 else tuple(shape)
    try:
        return da.broadcast_to(x, shape)
    except NotImplementedError:  # of its expressions
        np.broadcast_shapes(x.shape, shape)
        return elementwise(_first, x, da.zeros(shape, dtype=bool))


def _first(x: Any, like: Any) -> Any:
    return np.broadcast_to(x, np.broadcast_shapes(x.shape, like.shape))


def along(axis: int, index: Any) -> tuple[Any, ...]:
    """Return an index of one axis, and of all elements along the axes before it."""
    return (*(slice(None),) * axis, index)


def picked_along(x: Array, axis: int, at: Any) -> Array:
    """Return the elements at some positions along an axis; by a slice if they are in a row."""
    return x[along(axis, slice(at[0], at[-1] + 1) if (np.diff(at) == 1).all() else at)]


def with_length(lengths: Sequence[Any], axis: int, length: Any) -> tuple[Any, ...]:
    """Return a shape, or chunks, with another length of one axis."""
    return (*lengths[:axis], length, *lengths[axis + 1 :])


def resized(x: Array, axis: int, length: int, function: Any, *args: Any) -> Array:
    """Return the result of a function of chunks that has a length along an axis, in one chunk."""
    chunks = with_length(x.chunks, axis, (length,))
    return x.map_blocks(function, *args, dtype=x.dtype, chunks=chunks, meta=x._meta)


def joined(parts: Sequence[Array], axis: int) -> Array:
    """Return arrays in a row along an axis, those without elements left out."""
    parts = [part for part in parts if part.shape[axis]] or parts[-1:]
    return da.concatenate(parts, axis) if len(parts) > 1 else parts[0]


def in_one_chunk(x: Array, axis: int, what: str) -> Array:
    """Return an array that has one chunk along an axis; refuse one that has several."""
    if x.ndim and len(x.chunks[axis]) > 1:
        axis %= x.ndim
        raise refused(
            what,
            f"it needs axis {axis} in one chunk, and it has {len(x.chunks[axis])}",
            f"Write x.rechunk({{{axis}: -1}}) where the array is made.",
        )
    return x


def shape_without_memory(x: Any) -> Any:
    """Return an array of the shape and dtype of one of Dask's, which takes no memory."""
    return np.broadcast_to(np.zeros((), x.dtype), x.shape) if isinstance(x, da.Array) else x


#: Functions whose results follow from shapes and dtypes -> what is given to them for an array.
_FORMS: dict[Any, Callable[[Any], Any]] = {
    **dict.fromkeys(
        (np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj), shape_without_memory
    ),
    **dict.fromkeys((np.result_type, np.can_cast), partial(mapped, attrgetter("dtype"), da.Array)),
}
