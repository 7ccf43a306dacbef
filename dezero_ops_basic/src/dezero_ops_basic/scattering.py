"""Sums of values at positions that an index picks, to the accuracy of their dtype.

Of float32, one value after another would be added to a sum that is too large for it: a sum of 2**24
ones does not grow any more. So many values are added in float64.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from dezero_core.extend import Array, new_zeros

_FEW = 1000
"""So many equal float32, added one after another, give a sum that is right to 1e-5."""

_BLOCK = 2**16
"""Of so many elements at a time positions are made, and values converted: caches hold them."""


def scatter_add(values: Array, shape: tuple[int, ...], index: Any) -> Array:
    """Return zeros of a shape, with values added at an index: the gradient of ``x[index]``.

    The index has an array of integers in it. The relative error of sums of positive float32 is
    below 1e-5 for any number of values; those of float16 are rounded once.

    >>> scatter_add(np.array([1.0, 2.0]), (3,), np.array([0, 0]))
    array([3., 0., 0.])
    """
    dtype, size = values.dtype, prod(shape)
    few, is_dense = 1 if dtype.char == "e" else _FEW, 8 * values.size >= size
    if values.size <= few or not (is_dense or _picks_many(index, dtype, few)):
        total = new_zeros(values, shape)
        np.add.at(total, index, values)
        return total
    # One array picks whole rows; any other index picks elements.
    lead = shape[:1] if isinstance(index, np.ndarray) else shape
    count = prod(lead)
    if is_dense and _picks_nothing_twice(index, lead, values.size * count // size):
        total = new_zeros(values, shape)
        total[index] = values
        return total
    exact, numbers = np.result_type(dtype, np.float64), _numbers(index, lead)
    rows = values.reshape(len(numbers), -1)
    if is_dense:
        total = new_zeros(values, (count, size // count), exact)
        _add_rows(total, numbers, rows)
        return total.reshape(shape).astype(dtype, copy=False)
    # A row that is picked has one of its picks as its place: no exact table of all rows is made.
    place = new_zeros(numbers, (count,), np.intp)
    place[numbers] = np.arange(len(numbers))
    places, sums = place[numbers], new_zeros(rows, rows.shape, exact)
    _add_rows(sums, places, rows)
    total = new_zeros(values, (count, size // count))
    total[numbers] = sums[places]
    return total.reshape(shape)


def _picks_many(index: Any, dtype: Any, few: int) -> bool:
    """Return whether so many values may meet in one element that the dtype is too short for them.

    No element is picked more often than its number is in one of the arrays of positions. Numbers
    that are equal in their last bits are counted together: that takes less time than to add.
    """
    parts = index if isinstance(index, tuple) else (index,)
    arrays = [part for part in parts if isinstance(part, np.ndarray) and part.dtype != bool]
    picks = np.broadcast(*arrays).size
    if picks <= few or dtype.char not in "efF":
        return False
    for array in arrays:
        last_bits = (1 << max(12, array.size.bit_length() - 6)) - 1
        counts = np.bincount(array.reshape(-1).astype(np.intp, copy=False) & last_bits)
        # The same element may have a negative number as well, with other last bits.
        if 2 * int(counts.max()) * (picks // array.size) <= few:
            return False
    return True


def _picks_nothing_twice(index: Any, shape: tuple[int, ...], count: int) -> bool:
    picked = np.zeros(shape, bool)
    picked[index] = True
    return bool(np.count_nonzero(picked) == count)


def _numbers(index: Any, shape: tuple[int, ...]) -> Array:
    """Return which elements of an array of `shape` an index picks, as positions in one axis."""
    if isinstance(index, np.ndarray):
        return index.reshape(-1).astype(np.intp, copy=False)
    return np.arange(prod(shape)).reshape(shape)[index].reshape(-1)


def _add_rows(table: Array, numbers: Array, rows: Array) -> None:
    """Add each row to the row of a table that has its number."""
    width = table.shape[1]
    # NumPy has a fast way for positions in one axis, and values of the same dtype.
    elements = table.reshape(-1)
    positions = None if width == 1 else np.arange(table.size).reshape(table.shape)
    step = max(1, _BLOCK // width)
    for start in range(0, len(numbers), step):
        at = numbers[start : start + step]
        if positions is not None:
            at = positions.take(at, 0).reshape(-1)
        some = rows[start : start + step].reshape(-1)
        np.add.at(elements, at, some.astype(table.dtype, copy=False))
