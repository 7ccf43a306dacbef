"""Loops of a program as steps of a region: the body is a region of its own."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from dezero_replay.passes.rounds import Loop
from dezero_replay.tape.instructions import Instruction, Value
from dezero_replay.tape.notes import name_of

from .copies import taken_over, without_copies
from .region import Region
from .splitting import split
from .steps import Array, Map, NotNative, Rounds, whole


class RegionWithLoops(Region):
    """A region that may have loops of the program."""

    def _take(self, each: Instruction) -> None:
        if type(each.call) is Loop:
            _take_rounds(self, each)
        else:
            super()._take(each)


def _take_rounds(region: Region, each: Instruction) -> None:
    """Add a loop to a region; raise NotNative if a call of its body is not native."""
    loop: Loop = each.call
    rounds = {**region.rounds, loop.counter: loop.rounds}
    body = RegionWithLoops(region.machine, {**region.constants}, region.runs_again, rounds)
    inputs, operands = [], []
    for n, (param, x) in enumerate(zip(loop.body.inputs, each.args, strict=True)):
        found = region.operand(x, in_memory=n >= loop.carried)
        if n < loop.carried:
            found = _laid_out(region, found, param)
        body.arrays[param.number] = found._replace(root=param, offset=0, moves=())
        body.inputs.append(param)
        inputs.append(param)
        operands.append(found)
    first = operands[: loop.carried]
    for one in loop.body.instructions:
        try:
            body.take(one)
        except NotNative as why:
            where = f"its call of {name_of(one)}, at {one.where}, stays with NumPy"
            raise NotNative(f"{where}: {why}") from None
    for x in body.inputs[len(inputs) :]:
        inputs.append(x)
        operands.append(region.operand(x, in_memory=True))
    wanted: list[Value] = []
    for value in loop.body.wanted:
        wanted.append(_root_of(body, value, wanted))
    split(body, wanted)
    for n in _in_place(body, inputs, wanted, loop.carried):
        # What it is at first is copied into the memory of the result, where all rounds write.
        inputs[n] = body.inputs[n] = wanted[n]
        operands[n] = region.new(each.outputs[n])
        region.steps.append(Map(None, [first[n]], (operands[n].dtype,), operands[n]))
    outs = [
        _rows(region, y, wanted[n], loop) if n in loop.collected else region.new(y)
        for n, y in enumerate(each.outputs)
    ]
    flags = [region.temporary(()) for _ in body.guards]
    region.guards += [(guard, flag) for (guard, _), flag in zip(body.guards, flags, strict=True)]
    out, *others = [*outs, *flags]
    region.steps.append(Rounds(None, operands, (), out, others, body, inputs, wanted, loop))


def _in_place(body: Region, inputs: list[Value], wanted: list[Value], carried: int) -> list[int]:
    """Return which carried values are written into, in the memory where they are."""
    following = {x.number: y for x, y in zip(inputs[:carried], wanted, strict=False)}
    own = set(following)
    while own:
        taken, _ = taken_over(body, wanted, own)
        # Of one that is not what the next round begins with, the memory is not the loop's.
        others = {number for number in own & taken.keys() if taken[number] is not following[number]}
        if not others:
            break
        own -= others
    taken = without_copies(body, wanted, own)
    return [n for n in range(carried) if inputs[n].number in taken]


def _laid_out(region: Region, x: Any, like: Value) -> Array:
    """Return an operand in memory, laid out as a Value: it may have to be copied."""
    if isinstance(x, Array) and x.strides == (like.strides or ()):
        return x
    return _copied(region, x, like)


def _copied(region: Region, x: Any, like: Value) -> Array:
    value = Value(-2_000_000_000 - len(region.arrays), None)
    value.kind, value.shape, value.strides = np.ndarray, like.shape or (), like.strides or ()
    value.dtype = whole(like).dtype
    out = region.new(value)
    region.steps.append(Map(None, [x], (out.dtype,), out))
    region._made.add(value.number)
    return out


def _root_of(body: Region, value: Value, taken: list[Value]) -> Value:
    """Return the array that the body writes for a wanted value: no other one has it."""
    x = body.operand(value)
    if isinstance(x, Array) and x.is_whole() and body.makes(x.root) and x.root not in taken:
        return x.root
    return _copied(body, x, value).root


def _rows(region: Region, values: Value, item: Value, loop: Loop) -> Array:
    """Return the memory for a list of values, one beside the other."""
    row = whole(item)
    size = prod(row.shape) * row.dtype.itemsize
    strides = size, *row.strides
    region.arrays[values.number] = Array(values, 0, values.shape, strides, row.dtype)
    return region.arrays[values.number]
