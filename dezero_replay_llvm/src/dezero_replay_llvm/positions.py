"""Elements of arrays at positions that are computed, as steps of a region."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from operator import getitem
from typing import Any

import numpy as np
from dezero_replay.tape.instructions import Instruction, Method, Of, Value, Written

from .addresses import Addresses, check_conversion
from .steps import Array, Copy, Indexed, NotNative

_MOST = 2**13
"""The most elements: for more, the time is that of memory, and NumPy is as fast."""

ADD_AT = Written(Of(np.add, "at"))


def take(region: Addresses, each: Instruction) -> None:
    """Read the elements of an array at positions."""
    if not each.args:
        raise NotNative("its arguments have names")
    x, *args = each.args
    found = _FORMS[each.call](region, region.operand(x, in_memory=True), *args, **each.kwargs)
    y = each.outputs[0]
    region.steps.append(replace(found, operands=[found.out, *found.operands], out=region.new(y)))


def put(region: Addresses, each: Instruction) -> None:
    """Copy an array, and write values at positions of the copy, or add them there."""
    x, index, value = each.args
    y = each.outputs[0]
    source, operand = region.element(x), region.element(value, y.dtype)
    out = region.new(y)
    region.steps.append(Copy(None, [source], (y.dtype,), out))
    found = _indexed(region, out, index)
    check_conversion(operand, y.dtype)
    if each.call == ADD_AT and operand.dtype != y.dtype:
        raise NotNative("it adds numbers of another dtype")
    if isinstance(operand, Array):
        if len(operand.shape) > len(found.loops):
            raise NotNative("it writes what has more axes")
        operand = _like(operand, found.loops)
    operands = [operand, *found.operands]
    # NumPy goes through the positions in the order in which they, and the values, are in memory.
    if not all(_is_in_order(x) for x in operands if isinstance(x, Array)):
        raise NotNative("its positions are in another order in memory")
    how = "add" if each.call == ADD_AT else "put"
    if prod(found.loops):
        region.steps.append(replace(found, function=how, operands=operands))


def _indexed(region: Addresses, x: Array, index: Any) -> Indexed:
    """Return a step on the elements that ``x[index]`` picks, whose result is the array."""
    parts = [*index] if isinstance(index, tuple) else [index]
    at = next((n for n, part in enumerate(parts) if part is Ellipsis), len(parts))
    given = len(parts) - (at < len(parts))
    parts[at : at + 1] = [slice(None)] * (len(x.shape) - given)
    axes = [n for n, part in enumerate(parts) if type(part) is Value]
    if not axes or not all(type(part) in (slice, Value) for part in parts):
        raise NotNative("it is of elements at positions of several kinds")
    positions = [_positions(region, parts[n]) for n in axes]
    around = np.broadcast_shapes(*(p.shape for p in positions))
    slices = tuple([part if type(part) is slice else slice(None) for part in parts])
    x = region.viewed(x, getitem, (slices,), {})
    # If there are slices between the positions, the axes of the positions come first.
    first = axes[0] if axes[-1] - axes[0] == len(axes) - 1 else 0
    rest = [n for n in range(len(x.shape)) if n not in axes]
    loops = [x.shape[n] for n in rest]
    strides = [x.strides[n] for n in rest]
    loops[first:first], strides[first:first] = around, [0] * len(around)
    last = len(rest) - first
    for n, p in enumerate(positions):
        p = p._replace(shape=(*p.shape, *[1] * last), strides=(*p.strides, *[0] * last))
        positions[n] = _like(p, loops)
    return _step(region, x, loops, strides, positions, axes)


def _positions(region: Addresses, x: Any) -> Array:
    found: Array = region.operand(x, in_memory=True)
    if found.dtype.kind not in "iu":
        raise NotNative("it is of elements where a mask is true")
    return found


def _step(
    region: Addresses, x: Array, loops: Any, strides: Any, positions: list[Array], axes: list[int]
) -> Indexed:
    extents = tuple([(x.shape[n], x.strides[n]) for n in axes])
    if prod(loops) > _MOST:
        raise NotNative(f"it is of more than {_MOST:,} elements, for which NumPy is as fast")
    if not region.runs_again:
        raise NotNative("a program that draws random numbers cannot run again for its error")
    return Indexed("take", positions, (), x, tuple(loops), tuple(strides), extents)


def _taken(
    region: Addresses,
    x: Array,
    indices: Any,
    axis: Any = None,
    out: Any = None,
    mode: str = "raise",
) -> Indexed:
    """Return a step on ``np.take(x, indices, axis)``."""
    if out is not None or mode != "raise" or type(indices) is not Value:
        raise NotNative("it takes elements in a special way")
    x, axis = _along(region, x, axis)
    return _indexed(region, x, (*[slice(None)] * axis, indices))


def _taken_along(region: Addresses, x: Array, indices: Any, axis: Any = -1) -> Indexed:
    """Return a step on ``np.take_along_axis(x, indices, axis)``."""
    p = _positions(region, indices)
    x, axis = _along(region, x, axis)
    row = x._replace(shape=(*x.shape[:axis], 1, *x.shape[axis + 1 :]))
    loops = np.broadcast_shapes(row.shape, p.shape)
    return _step(region, x, loops, row.broadcast(loops), [_like(p, loops)], [axis])


def _along(region: Addresses, x: Array, axis: Any) -> tuple[Array, int]:
    """Return an array, or its elements in a row; and the axis, counted from the first."""
    if axis is None:
        return region.viewed(x, Method("reshape"), (-1,), {}), 0
    return x, axis % len(x.shape)


def _like(x: Array, shape: Any) -> Array:
    return x._replace(shape=tuple(shape), strides=x.broadcast(tuple(shape)))


def _is_in_order(x: Array) -> bool:
    moving = [stride for n, stride in zip(x.shape, x.strides, strict=True) if n > 1 and stride]
    return moving == sorted(map(abs, moving), reverse=True)


_FORMS: dict[Any, Any] = {getitem: _indexed, np.take: _taken, np.take_along_axis: _taken_along}
TAKES = {*_FORMS}
