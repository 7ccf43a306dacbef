"""Writes of values into parts of arrays, and arrays that are put together of parts."""

from __future__ import annotations

from math import prod
from operator import getitem
from typing import Any

from dezero_replay.tape.instructions import Instruction, Value, written
from dezero_replay.tape.nested import has_any

from .addresses import Addresses, check_conversion
from .assembly import Part
from .boxes import LEAST, MOST, all_of, beside, indexed, part_of, squeezed, within
from .positions import put
from .steps import Array, Box, Copy, Map, NotNative, Patch


def write(region: Addresses, each: Instruction) -> None:
    """Copy an array, and write a part of the copy. `without_copies` may leave out the copy."""
    if has_any(each.args[1:-1], Value):
        put(region, each)
        return
    x, *place, value = each.args
    y = each.outputs[0]
    views = each.call.views if each.call is not written else ((getitem, tuple(place), ()),)
    source = region.element(x)
    operand = region.element(value, y.dtype)
    check_conversion(source, y.dtype)
    check_conversion(operand, y.dtype)
    out = part = region.new(y)
    if has_any(views, Value):
        raise NotNative("it writes at positions that are computed")
    for call, args, kwargs in views:
        part = region.viewed(part, call, args, dict(kwargs))
    if len(operand.shape) > len(part.shape):
        raise NotNative("it writes what has more axes")
    box = indexed(place[0], out.shape) if place else None
    if box is None or not _write_patches(region, source, box, operand, part, out):
        region.steps.append(Copy(None, [source], (y.dtype,), out))
        if prod(part.shape):
            region.steps.append(Map(None, [operand], (y.dtype,), part))


def _write_patches(
    region: Addresses, x: Any, box: Box, value: Any, part: Array, out: Array
) -> bool:
    """Put a large array together of a part, and of patches or equal numbers beside it.

    Return whether it was done.
    """
    shape = out.shape
    if prod(shape) < LEAST:
        return False
    if not isinstance(x, Array):
        before = [(all_of(shape), x)]
    elif x.is_whole() and x.shape == shape and x.root.number in region.patches:
        patches = region.patches[x.root.number]
        before = [(each.box, squeezed(each.operands[0], each.shape)) for each in patches]
    else:
        return False
    pieces = [
        (piece, within(source, around, piece))
        for around, source in before
        for piece in beside(around, box)
    ]
    if len(pieces) >= MOST:
        return False
    for piece, source in pieces:
        _patch(region, out, piece, source, part_of(out, shape, piece))
    _patch(region, out, box, value, part)
    return True


def _patch(region: Addresses, out: Array, box: Box, value: Any, part: Array) -> None:
    """Add a write to a box of an array, which is addressed as `part`."""
    patch = Patch(None, [value], (out.dtype,), part, box)
    region.steps.append(patch)
    region.patches.setdefault(out.root.number, []).append(patch)


def assemble(region: Addresses, parts: list[Part], y: Value) -> None:
    """Copy parts of arrays into a new one."""
    out = region.new(y)
    for x, taken, to in parts:
        operand = region.element(x, y.dtype)
        check_conversion(operand, y.dtype)
        if isinstance(operand, Array) and taken:
            operand = region.viewed(operand, getitem, (taken,), {})
        box = indexed(to, out.shape)
        if box is not None:  # else, nothing is put there
            _patch(region, out, box, operand, region.viewed(out, getitem, (to,), {}))
