"""Functions that put arrays together, or take them apart."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
from dezero_tools.functional.trees import leaves_of, tree_map

from ..refusals import refused
from .table import LAZY_FUNCTIONS, Array, along, implements


def _joined(join: Any) -> Any:
    def of_arrays(
        arrays: Any, axis: Any = 0, *, dtype: Any = None, casting: Any = "same_kind"
    ) -> Array:
        arrays = list(map(da.asarray, arrays))
        dtype = np.result_type(*(x.dtype for x in arrays)) if dtype is None else np.dtype(dtype)
        at = axis + arrays[0].ndim if axis < 0 else axis
        sides = {x.shape if join is da.stack else x.shape[:at] + x.shape[at + 1 :] for x in arrays}
        if len(sides) > 1:  # of arrays without elements, Dask does not look at them
            raise ValueError(f"the other axes must be the same, got {sorted(sides)}")
        for x in arrays:
            if not np.can_cast(x.dtype, dtype, casting):
                raise TypeError(f"Cannot cast from {x.dtype} to {dtype} by the rule {casting!r}.")
        return join([x.astype(dtype) for x in arrays], axis)

    return of_arrays


_concatenated = _joined(da.concatenate)
LAZY_FUNCTIONS[np.stack] = _joined(da.stack)


@implements(np.concatenate)
def _concatenate(
    arrays: Any, axis: Any = 0, *, dtype: Any = None, casting: Any = "same_kind"
) -> Array:
    if axis is None:
        arrays, axis = list(map(LAZY_FUNCTIONS[np.ravel], map(da.asarray, arrays))), 0
    return _concatenated(arrays, axis, dtype=dtype, casting=casting)


@implements(np.column_stack)
def _column_stack(arrays: Any) -> Array:
    arrays = list(map(da.asarray, arrays))
    return _concatenated([x if x.ndim > 1 else da.atleast_2d(x).T for x in arrays], 1)


@implements(np.append)
def _append(x: Any, values: Any, axis: Any = None) -> Array:
    return _concatenate((x, values), axis)


@implements(np.block)
def _block(arrays: Any) -> Array:
    # It refuses lists that are empty, or nested to several depths. Arrays without elements fit
    # together in any case.
    np.block(tree_map(lambda _: np.zeros((0,) * 16), arrays))
    leaves = list(map(da.asarray, leaves_of(arrays)))
    depth, first = 0, arrays
    while type(first) is list:
        depth, first = depth + 1, first[0]
    ndim = max(depth, *(x.ndim for x in leaves))
    dtype = np.result_type(*(x.dtype for x in leaves))

    def joined(part: Any, axis: int) -> Array:
        if axis == 0:
            part = da.asarray(part)
            return part[(None,) * (ndim - part.ndim)].astype(dtype)
        return _concatenated([joined(each, axis + 1) for each in part], axis, dtype=dtype)

    return joined(arrays, -depth)


LAZY_FUNCTIONS[np.meshgrid] = da.meshgrid


@implements(np.array_split)
def _array_split(x: Array, sections: Any, axis: int = 0) -> list[Array]:
    if np.ndim(sections):
        ends = [*sections]
    else:
        each, more = divmod(x.shape[axis], sections)
        ends = list(np.cumsum([each + 1] * more + [each] * (sections - more))[:-1])
    starts = zip([0, *ends], [*ends, None], strict=True)
    return [x[along(axis % x.ndim, slice(start, end))] for start, end in starts]


@implements(np.unstack)
def _unstack(x: Array, axis: int = 0) -> tuple[Array, ...]:
    return tuple(da.moveaxis(x, axis, 0)[i] for i in range(x.shape[axis]))


@implements(np.array_equal)
def _array_equal(x: Any, y: Any, equal_nan: bool = False) -> Any:
    if np.shape(x) != np.shape(y):
        return False
    if equal_nan:
        raise refused("np.array_equal with equal_nan=True", "it is not there for them")
    return da.all(da.asarray(x) == da.asarray(y))
