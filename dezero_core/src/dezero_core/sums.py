"""Sums over what was broadcast, to the accuracy of the dtype however many are added.

Along contiguous memory NumPy adds in pairs, and its sums are exact to a few units in the last
place. Along other axes it adds one row after another: a float32 sum of a million rows has three
digits, and one of 2**24 ones does not grow any more. The gradient of an operand that was broadcast
is such a sum, which the user has not written. So here many rows are added in blocks, and the sums
of the blocks are added in float64.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

Array = Any

add = np.add.reduce

_ROWS = 128
"""Rows of a block. NumPy's own error in one of float32 is below 2e-6."""

FEW_ROWS = 4 * _ROWS
"""Up to so many rows, blocks hardly save a digit, and cost more than the sum. Then a sum of equal
float32 is right to 8e-6, with more rows to 2e-6, or 4e-6 if they are wide."""

_WIDE_ROW = 1024
"""Narrow rows are joined to wide rows of so many elements, which fit the processor's cache."""

WIDER = {"e": np.float64, "f": np.float64, "F": np.complex128}
"""By the character of a dtype, which does not depend on the order of bytes."""


def sum_to(array: Array, shape: tuple[int, ...]) -> Array:
    """Sum an ndarray over the axes along which `shape` was repeated; more in `extend.sum_to`."""
    if not broadcasts(shape, array.shape):
        raise ValueError(f"cannot sum an array of shape {array.shape} to shape {shape}")
    lead = array.ndim - len(shape)
    repeated = tuple(
        axis for axis in range(array.ndim) if axis < lead or shape[axis - lead] != array.shape[axis]
    )
    size, dtype = prod(shape), array.dtype
    many = array.size > FEW_ROWS * size or dtype.char == "e"
    # The shortest way for the most usual sum, of all elements: as in `_sum_along`.
    in_pairs = size == 1 and array.flags.forc and dtype.char != "e"
    if not many or in_pairs or dtype.kind not in "fc":
        return array.sum(axis=repeated, keepdims=True).reshape(shape)
    total = array
    for axis in repeated:
        total = _sum_along(total, axis)
    return total.reshape(shape).astype(dtype, copy=False)


def broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Return whether an array of `shape` can be repeated to the shape `to`."""
    return len(shape) <= len(to) and all(
        n in (1, m) for n, m in zip(reversed(shape), reversed(to), strict=False)
    )


def _sum_along(array: Array, axis: int) -> Array:
    """Sum along one axis, which stays, of length 1; in a wider dtype where that is more exact."""
    lengths, strides = array.shape, list(map(abs, array.strides))
    others = [strides[i] for i, n in enumerate(lengths) if n > 1 and i != axis]
    in_pairs = not others or 0 < strides[axis] < min(others)
    if in_pairs or lengths[axis] <= FEW_ROWS:
        dtype = np.float32 if array.dtype.char == "e" else None
        return add(array, axis=axis, dtype=dtype, keepdims=True)
    return _sum_rows(array.swapaxes(0, axis)).swapaxes(0, axis)


def _sum_rows(array: Array) -> Array:
    """Sum along the first axis, which is long: in blocks, whose sums are added in float64."""
    rows, *rest = array.shape
    half = np.float32 if array.dtype.char == "e" else None
    # `together` rows, which are neighbours in memory, become one wide row.
    together = min(-(-rows // _ROWS), max(1, _WIDE_ROW // max(1, prod(rest))))
    wide_rows = rows // together
    wide = array[: wide_rows * together].reshape(wide_rows, together, *rest)
    # If rows are wide by themselves, blocks of 128 rows would take a third longer than one sum.
    block = _ROWS if together > 1 else 2 * _ROWS
    sums = np.empty((-(-wide_rows // block), together, *rest), half or array.dtype)
    for number, start in enumerate(range(0, wide_rows, block)):
        add(wide[start : start + block], axis=0, dtype=half, out=sums[number])
    total = add(sums, axis=0, dtype=WIDER.get(array.dtype.char))
    left = array[wide_rows * together :]
    if len(left):
        total[: len(left)] += left
    return _sum_along(total, 0)
