"""Rules of functions that give elements other places: shapes, joining, picking, differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from .batch import Batch
from .batched import Batched
from .rules import behind, from_front, is_of, ndim_of, repeated, rule, whole, wrapped


@rule(np.reshape)
def _reshape(
    function: Any, batch: Batch, a: Any, shape: Any, order: Any = "C", copy: Any = None
) -> Any:
    shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if order != "C" or copy is not None or not is_of(a, batch):
        return NotImplemented
    if -1 in shape:  # also for no example
        shape = np.broadcast_to(0.0, a.shape).reshape(shape).shape
    return Batched(function(a.values, (batch.length, *shape)), batch)


@rule(np.ravel)
def _ravel(function: Any, batch: Batch, a: Any, order: Any = "C") -> Any:
    return np.reshape(a, (a.size,)) if order in "CKA" else NotImplemented


@rule(np.transpose, np.permute_dims)
def _transpose(function: Any, batch: Batch, a: Any, axes: Any = None) -> Any:
    axes = tuple(range(a.ndim)[::-1] if axes is None else axes)
    return Batched(np.transpose(a.values, (0, *behind(axes, a.ndim))), batch)


@rule(np.swapaxes)
def _swapaxes(function: Any, batch: Batch, a: Any, axis1: int, axis2: int) -> Any:
    return Batched(np.swapaxes(a.values, behind(axis1, a.ndim), behind(axis2, a.ndim)), batch)


@rule(np.moveaxis)
def _moveaxis(function: Any, batch: Batch, a: Any, source: Any, destination: Any) -> Any:
    return Batched(function(a.values, behind(source, a.ndim), behind(destination, a.ndim)), batch)


@rule(np.expand_dims)
def _expand_dims(function: Any, batch: Batch, a: Any, axis: Any) -> Any:
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    return Batched(function(a.values, behind(axis, a.ndim + count)), batch)


@rule(np.squeeze)
def _squeeze(function: Any, batch: Batch, a: Any, axis: Any = None) -> Any:
    axis = tuple(i for i, n in enumerate(a.shape) if n == 1) if axis is None else axis
    return Batched(function(a.values, behind(axis, a.ndim)), batch)


@rule(np.broadcast_to)
def _broadcast_to(function: Any, batch: Batch, array: Any, shape: Any, subok: Any = False) -> Any:
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return Batched(function(whole(array, batch, len(shape)), (batch.length, *shape)), batch)


@rule(np.broadcast_arrays)
def _broadcast_arrays(function: Any, batch: Batch, *args: Any, subok: Any = False) -> Any:
    shape = np.broadcast_shapes(*[np.shape(x) for x in args])
    return tuple(_broadcast_to(np.broadcast_to, batch, x, shape) for x in args)


@rule(np.flip)
def _flip(function: Any, batch: Batch, m: Any, axis: Any = None) -> Any:
    axis = tuple(range(m.ndim)) if axis is None else axis
    return Batched(function(m.values, behind(axis, m.ndim)), batch)


@rule(np.roll)
def _roll(function: Any, batch: Batch, a: Any, shift: Any, axis: Any = None) -> Any:
    if is_of(shift, batch):
        return NotImplemented
    if axis is None:
        return np.reshape(np.roll(np.ravel(a), shift, 0), a.shape)
    return Batched(function(a.values, shift, behind(axis, a.ndim)), batch)


@rule(np.repeat)
def _repeat(function: Any, batch: Batch, a: Any, repeats: Any, axis: Any = None) -> Any:
    if is_of(repeats, batch) or (axis is not None and not a.ndim):
        return NotImplemented
    if axis is None:
        a, axis = np.ravel(a), 0
    return Batched(function(a.values, repeats, behind(axis, a.ndim)), batch)


@rule(np.rot90)
def _rot90(function: Any, batch: Batch, m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    return Batched(function(m.values, k, behind(tuple(axes), m.ndim)), batch)


@rule(np.rollaxis)
def _rollaxis(function: Any, batch: Batch, a: Any, axis: int, start: int = 0) -> Any:
    if not -a.ndim <= start <= a.ndim:
        raise np.exceptions.AxisError(start, a.ndim)
    y = function(a.values, behind(axis, a.ndim), start + 1 if start >= 0 else start)
    return Batched(y, batch)


@rule(np.tile)
def _tile(function: Any, batch: Batch, A: Any, reps: Any) -> Any:  # noqa: N803 (NumPy's name)
    reps = (reps,) if isinstance(reps, (int, np.integer)) else tuple(reps)
    ndim = max(len(reps), A.ndim)
    reps = (1,) * (1 + ndim - len(reps)) + reps
    return Batched(function(whole(A, batch, ndim), reps), batch)


@rule(np.concatenate, np.concat)
def _concatenate(function: Any, batch: Batch, arrays: Any, axis: Any = 0, **kwargs: Any) -> Any:
    if axis is None:
        arrays, axis = [np.ravel(x) for x in arrays], 0
    ndim = ndim_of(arrays[0])
    every = [repeated(x, batch) for x in arrays]
    return Batched(np.concatenate(every, behind(axis, ndim), **kwargs), batch)


@rule(np.stack)
def _stack(function: Any, batch: Batch, arrays: Any, axis: int = 0, **kwargs: Any) -> Any:
    arrays = list(arrays)
    ndim = ndim_of(arrays[0]) + 1
    return Batched(
        function([repeated(x, batch) for x in arrays], behind(axis, ndim), **kwargs), batch
    )


@rule(np.hstack, np.vstack, np.dstack, np.column_stack)
def _stacked(function: Any, batch: Batch, tup: Any, **kwargs: Any) -> Any:
    if function is np.hstack:
        arrays = [np.atleast_1d(x) for x in tup]
        return np.concatenate(arrays, 0 if ndim_of(arrays[0]) == 1 else 1, **kwargs)
    if function is np.vstack:
        return np.concatenate([np.atleast_2d(x) for x in tup], 0, **kwargs)
    if function is np.dstack:
        return np.concatenate([np.atleast_3d(x) for x in tup], 2)
    columns = [np.transpose(np.atleast_2d(x)) if ndim_of(x) < 2 else x for x in tup]
    return np.concatenate(columns, 1)


@rule(np.atleast_1d, np.atleast_2d, np.atleast_3d)
def _atleast(function: Any, batch: Batch, *arys: Any) -> Any:
    shapes = [np.broadcast_to(0.0, np.shape(x)) for x in arys]
    found = tuple(np.reshape(x, function(like).shape) for x, like in zip(arys, shapes, strict=True))
    return found if len(found) > 1 else found[0]


@rule(np.split, np.array_split)
def _split(function: Any, batch: Batch, ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    return wrapped(function(ary.values, indices_or_sections, behind(axis, ary.ndim)), batch)


@rule(np.diagonal, np.trace, np.linalg.diagonal, np.linalg.trace)
def _diagonal(
    function: Any, batch: Batch, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1,
    *args: Any, **kwargs: Any,
) -> Any:  # fmt: skip
    if any(x is not None for x in (*args, *kwargs.values())):  # dtype and out
        return NotImplemented
    if function in (np.linalg.diagonal, np.linalg.trace):
        axis1, axis2 = -2, -1
    apply = np.trace if function in (np.trace, np.linalg.trace) else np.diagonal
    return Batched(apply(a.values, offset, behind(axis1, a.ndim), behind(axis2, a.ndim)), batch)


@rule(np.diag, np.diagflat)
def _diag(function: Any, batch: Batch, v: Any, k: int = 0) -> Any:
    if function is np.diagflat:
        v = np.ravel(v)
    if v.ndim == 2:
        return np.diagonal(v, k)
    n, positions = v.shape[0] + abs(k), np.arange(v.shape[0])
    made = np.zeros_like(v, shape=(n, n))
    made[positions + max(-k, 0), positions + max(k, 0)] = v
    return made


@rule(np.tril, np.triu)
def _triangle(function: Any, batch: Batch, m: Any, k: int = 0) -> Any:
    return Batched(function(m.values, k), batch) if m.ndim >= 2 else NotImplemented


@rule(np.pad)
def _pad(
    function: Any, batch: Batch, array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any
) -> Any:
    if isinstance(pad_width, dict) or callable(mode) or any(np.ndim(x) for x in kwargs.values()):
        return NotImplemented
    widths = np.broadcast_to(pad_width, (array.ndim, 2)).tolist()
    return Batched(function(array.values, [(0, 0), *widths], mode, **kwargs), batch)


@rule(np.diff)
def _diff(
    function: Any, batch: Batch, a: Any, n: int = 1, axis: int = -1, *args: Any, **kwargs: Any
) -> Any:
    if kwargs or any(x is not np._NoValue for x in args):  # prepend and append
        return NotImplemented
    return Batched(function(a.values, n, behind(axis, a.ndim)), batch)


@rule(np.trapezoid)
def _trapezoid(
    function: Any, batch: Batch, y: Any, x: Any = None, dx: float = 1.0, axis: int = -1
) -> Any:
    if is_of(x, batch) or is_of(dx, batch) or (x is not None and ndim_of(x) not in (1, y.ndim)):
        return NotImplemented
    from_behind = axis if axis < 0 else axis - y.ndim  # of x as well, which has no hidden axis
    return Batched(function(y.values, x, dx, from_behind), batch)


@rule(np.gradient)
def _gradient(
    function: Any, batch: Batch, f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1
) -> Any:
    if any(is_of(x, batch) for x in varargs):
        return NotImplemented
    axes = range(f.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if not axes:
        return NotImplemented
    at = behind(tuple(axes), f.ndim)
    y = function(f.values, *varargs, axis=at if len(at) > 1 else at[0], edge_order=edge_order)
    return wrapped(y, batch)


@rule(np.delete)
def _delete(function: Any, batch: Batch, arr: Any, obj: Any, axis: Any = None) -> Any:
    if not is_of(arr, batch) or is_of(obj, batch):
        return NotImplemented
    if axis is None:
        arr, axis = np.ravel(arr), 0
    return Batched(function(arr.values, obj, behind(axis, arr.ndim)), batch)


@rule(np.compress)
def _compress(function: Any, batch: Batch, condition: Any, a: Any, axis: Any = None) -> Any:
    if is_of(condition, batch):
        return NotImplemented
    if axis is None:
        a, axis = np.ravel(a), 0
    return Batched(function(condition, a.values, behind(axis, a.ndim)), batch)


@rule(np.meshgrid)
def _meshgrid(function: Any, batch: Batch, *xi: Any, **kwargs: Any) -> Any:
    like = function(*[np.broadcast_to(0.0, np.size(x)) for x in xi], **kwargs)
    found = []
    for number, (x, made) in enumerate(zip(xi, like, strict=True)):
        axis = {0: 1, 1: 0}.get(number, number) if kwargs.get("indexing", "xy") == "xy" else number
        axis = number if len(xi) < 2 else axis
        shape = [1] * len(xi)
        shape[axis] = -1
        found.append(np.broadcast_to(np.reshape(x, shape), made.shape))
    return tuple(found)


@rule(np.take)
def _take(
    function: Any, batch: Batch, a: Any, indices: Any, axis: Any = None, out: Any = None,
    mode: str = "raise",
) -> Any:  # fmt: skip
    if axis is None:
        a, axis = np.ravel(a), 0
    if out is not None:
        return NotImplemented
    axis = from_front(axis, ndim_of(a))
    if not is_of(indices, batch):
        return Batched(function(a.values, indices, axis + 1, mode=mode), batch)
    if not is_of(a, batch):
        y = function(a, indices.values, axis, mode=mode)
        return Batched(np.moveaxis(y, axis, 0), batch)
    if mode != "raise":
        return NotImplemented
    first = np.moveaxis(a, axis, 0)[indices]
    last = tuple(range(indices.ndim))
    return np.moveaxis(first, last, tuple(i + axis for i in last))


@rule(np.take_along_axis)
def _take_along_axis(function: Any, batch: Batch, arr: Any, indices: Any, axis: Any = -1) -> Any:
    if axis is None:
        arr, axis = np.ravel(arr), 0
    every = repeated(arr, batch), repeated(indices, batch)
    return Batched(function(*every, behind(axis, ndim_of(arr))), batch)
