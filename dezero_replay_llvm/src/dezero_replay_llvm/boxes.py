"""Boxes: parts of arrays that have a beginning and an end along each axis."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dezero_replay.passes.aliasing import is_basic
from dezero_replay.passes.rounds import Linear
from dezero_replay.tape.nested import has_any

from .steps import Array, Box, whole

LEAST = 1024
"""Arrays of fewer elements are stored: more loops would cost more than that."""

MOST = 32
"""The most boxes into which an array is cut."""


def all_of(shape: tuple[int, ...]) -> Box:
    """Return the box of a whole array."""
    return tuple([(0, n) for n in shape])


def indexed(index: Any, shape: tuple[int, ...]) -> Box | None:
    """Return the box that an index picks; None if that is nothing, or is no box.

    An index that adds axes does not count.
    """
    if not is_basic(index) or has_any(index, Linear):
        return None
    parts = [*index] if isinstance(index, tuple) else [index]
    if None in parts:
        return None
    at = next((n for n, part in enumerate(parts) if part is Ellipsis), len(parts))
    given = len(parts) - (at < len(parts))
    parts[at : at + 1] = [slice(None)] * (len(shape) - given)
    found = []
    for part, n in zip(parts, shape, strict=True):
        if not isinstance(part, slice):
            part = slice(part % n, part % n + 1)
        begin, end, step = part.indices(n)
        if begin >= end or step != 1:
            return None
        found.append((begin, end))
    return tuple(found)


def squeezed(x: Any, shape: tuple[int, ...]) -> Any:
    """Return an operand of a shape without axes of length 1; a scalar stays."""
    if not isinstance(x, Array):
        return x
    axes = [(n, by) for n, by in zip(shape, x.broadcast(shape), strict=True) if n != 1]
    return x._replace(shape=tuple([n for n, _ in axes]), strides=tuple([by for _, by in axes]))


def within(x: Any, box: Box, part: Box) -> Any:
    """Return a part of a squeezed operand that has the shape of a box."""
    if not isinstance(x, Array):
        return x
    strides, offset = iter(x.strides), x.offset
    axes = list[tuple[int, int]]()
    for (begin, end), (first, last) in zip(box, part, strict=True):
        stride = next(strides) if end - begin != 1 else 0
        offset += (first - begin) * stride
        if last - first != 1:
            axes.append((last - first, stride))
    shape, steps = tuple([n for n, _ in axes]), tuple([by for _, by in axes])
    return x._replace(offset=offset, shape=shape, strides=steps)


def part_of(x: Any, shape: tuple[int, ...], box: Box) -> Any:
    """Return the part of an operand, broadcast to a shape, in a box; no axis has length 1."""
    return within(squeezed(x, shape), all_of(shape), box)


def box_of(x: Array) -> Box | None:
    """Return the box of its root that an array is; None if it is no box."""
    root, offset = whole(x.root), x.offset
    begins = {}
    for axis in sorted(range(len(root.shape)), key=lambda axis: -root.strides[axis]):
        begins[axis], offset = divmod(offset, root.strides[axis])
    lengths = dict(zip(x.strides, x.shape, strict=True))
    box = tuple(
        (begins[axis], begins[axis] + (lengths.get(stride, 1) if n != 1 else 1))
        for axis, (n, stride) in enumerate(zip(root.shape, root.strides, strict=True))
    )
    is_inside = all(end <= n for (_, end), n in zip(box, root.shape, strict=True))
    same = squeezed(x, x.shape)
    return box if is_inside and same == part_of(root, root.shape, box) else None


def common(a: Box, b: Box) -> Box | None:
    """Return the common part of two boxes; None if there is none."""
    found = tuple([(max(c, e), min(d, f)) for (c, d), (e, f) in zip(a, b, strict=True)])
    return found if all(begin < end for begin, end in found) else None


def refined(boxes: Iterable[Box], by: Iterable[Box]) -> list[Box]:
    """Cut boxes where others begin and end, which cover them."""
    by = [*by]
    return [found for a in boxes for b in by if (found := common(a, b)) is not None]


def beside(whole: Box, box: Box) -> list[Box]:
    """Return boxes that make up what of a box is not in another one."""
    hole = common(whole, box)
    if hole is None:
        return [whole]
    found, inside = list[Box](), list[tuple[int, int]]()
    for axis, ((begin, end), (first, last)) in enumerate(zip(whole, hole, strict=True)):
        for a, b in ((begin, first), (last, end)):
            if a < b:
                found.append((*inside, (a, b), *whole[axis + 1 :]))
        inside.append((first, last))
    return found
