"""Short rows that are sorted, as steps of a region."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from dezero_replay.tape.instructions import Instruction

from .addresses import Addresses
from .steps import Array, NotNative, Sort

_MOST = 2**9
"""The most comparisons: for more, a call of NumPy's would be faster."""


def sort(region: Addresses, each: Instruction) -> None:
    """Sort an array along an axis."""
    x, *args = each.args
    how: dict[str, Any] = dict(zip(("axis", "kind", "order"), args, strict=False)) | each.kwargs
    axis, operand = how.pop("axis", -1), region.operand(x, in_memory=True)
    if type(axis) is not int or any(way is not None for way in how.values()):
        raise NotNative("it is sorted in a special way")
    if operand.dtype.kind not in "fi" or prod(operand.shape) * operand.shape[axis] > _MOST:
        raise NotNative(f"it sorts no numbers with at most {_MOST} comparisons")
    rows, out = (_with_last(a, axis) for a in (operand, region.new(each.outputs[0])))
    region.steps.append(Sort(np.sort, [rows], (), out))


def _with_last(x: Array, axis: int) -> Array:
    """Return an array with one axis behind the others."""
    order = [*range(len(x.shape))]
    order.append(order.pop(axis))
    return x._replace(
        shape=tuple([x.shape[n] for n in order]), strides=tuple([x.strides[n] for n in order])
    )
