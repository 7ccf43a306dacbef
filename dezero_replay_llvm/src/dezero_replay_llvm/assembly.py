"""Calls that put an array together of parts of others: which parts, and where they are put."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from dezero_replay.passes.rolls import parts_of_roll
from dezero_replay.tape.instructions import Instruction, Value

Part = tuple[Any, Any, Any]
"""An operand, the index of the elements that are taken of it, and the index where they are put."""


_TOLD = {"axis", "mode", "constant_values"}


def parts_of(each: Instruction) -> list[Part] | None:
    """Return the parts of which a call puts its result together; None for any other call."""
    find = _PARTS.get(each.call)
    if find is None or not each.kwargs.keys() <= {*_TOLD, "dtype", "casting"}:
        return None
    how = {name: x for name, x in each.kwargs.items() if name in _TOLD}
    return find(each, *each.args, **how)


def _of_roll(each: Instruction, x: Any, shift: Any, axis: Any = None) -> list[Part] | None:
    found = parts_of_roll(x, shift, axis)
    return None if found is None else [(x, taken, put) for taken, put in found]


def _of_pad(
    each: Instruction, x: Any, width: Any, mode: Any = "constant", constant_values: Any = 0
) -> list[Part] | None:
    if mode != "constant" or type(constant_values) not in (int, float):
        return None
    pairs = np.broadcast_to(np.asarray(width), (len(x.shape), 2)).tolist()
    inside = tuple([slice(a, a + n) for (a, _), n in zip(pairs, x.shape, strict=True)])
    found: list[Part] = [(x, (), inside)]
    for axis, (before, after) in enumerate(pairs):
        n = each.outputs[0].shape[axis]
        rest = inside[:axis]
        for first, last in ((0, before), (n - after, n)):
            if first < last:
                whole = [slice(None)] * (len(x.shape) - axis - 1)
                found.append((constant_values, (), (*rest, slice(first, last), *whole)))
    return found


def _of_concatenate(
    each: Instruction, arrays: Any, axis: Any = 0, out: Any = None
) -> list[Part] | None:
    if out is not None or type(arrays) not in (tuple, list) or type(axis) is not int:
        return None
    ndim, found, begin = len(each.outputs[0].shape), [], 0
    for x in arrays:
        if type(x) is not Value:
            return None
        end = begin + x.shape[axis]
        if end > begin:
            found.append((x, (), (*[slice(None)] * (axis % ndim), slice(begin, end))))
        begin = end
    return found


def _of_stack(each: Instruction, arrays: Any, axis: Any = 0, out: Any = None) -> list[Part] | None:
    if out is not None or type(arrays) not in (tuple, list) or type(axis) is not int:
        return None
    before = [slice(None)] * (axis % len(each.outputs[0].shape))
    return [(x, (), (*before, n)) for n, x in enumerate(arrays)]


_PARTS: dict[Any, Callable[..., list[Part] | None]] = {
    np.roll: _of_roll,
    np.pad: _of_pad,
    np.concatenate: _of_concatenate,
    np.stack: _of_stack,
}
