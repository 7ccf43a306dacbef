"""Passes over a tape: each gives a shorter list of instructions that computes the same bits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .bodies import OpaqueBackward, OpaqueForward, as_array
from .tape import Guard, Instruction, Method, Of, Region, Value, replaced, same

#: Calls that give another array of the same bits in the same order.
_COPIES = {np.copy, Method("copy")}


def with_opaque(instructions: Iterable[Instruction], failed: frozenset[Region]) -> list[Instruction]:
    """Return the instructions with each body of the Functions in `failed` as one instruction.

    `failed` are regions of ``forward``.
    """
    found: list[Instruction] = []
    done: set[int] = set()
    for each in instructions:
        region = each.region
        if region is None or region.first not in failed:
            found.append(each)
        elif id(region) not in done:
            done.add(id(region))
            found.append(region.opaque)  # type: ignore[arg-type]
    return [_of_instance(each, failed) for each in found]


def _of_instance(each: Instruction, failed: frozenset[Region]) -> Instruction:
    """Let an opaque ``backward`` run on the instance of its opaque ``forward``, if there is one."""
    if type(each.call) is not OpaqueBackward:
        return each
    first = each.region.first  # type: ignore[union-attr]
    instance, changing, *others = each.args
    if first in failed or first.is_opaque:
        return _changed(each, (instance, {}, *others))
    return _changed(each, (None, changing, *others))


def _changed(each: Instruction, args: tuple[Any, ...]) -> Instruction:
    return Instruction(
        *(each.call, args, each.kwargs, each.outputs, each.several, each.region, each.where),
        each.errors,
    )


def without_copies(
    instructions: Iterable[Instruction], results: list[Value]
) -> tuple[list[Instruction], list[Value]]:
    """Leave out copies, which nobody writes into, and names for what has one already."""
    known: dict[int, Value] = {}

    def of(value: Value) -> Value:
        return known.get(value.number, value)

    found = []
    for each in instructions:
        now = _renamed(each, of)
        if _is_copy(now):
            known[now.outputs[0].number] = now.args[0]
        else:
            found.append(now)
    return found, [of(value) for value in results]


def _is_copy(each: Instruction) -> bool:
    if not each.args or type(each.args[0]) is not Value or len(each.outputs) != 1:
        return False
    (x, *_), (y,) = each.args, each.outputs
    if each.call is same:
        return True
    if each.call is as_array or each.call in _COPIES:
        return bool(x.kind is y.kind and x.strides == y.strides)
    return False


def _renamed(each: Instruction, of: Any) -> Instruction:
    if type(each) is Guard:
        return Guard(each.call, of(each.args[0]), each.expected, each.region, each.where)
    return Instruction(
        each.call,
        replaced(each.args, Value, of),
        replaced(each.kwargs, Value, of),
        *(each.outputs, each.several, each.region, each.where, each.errors),
    )


def without_repetitions(
    instructions: Iterable[Instruction], results: list[Value]
) -> tuple[list[Instruction], list[Value]]:
    """Compute each thing once: common subexpressions."""
    known: dict[int, Value] = {}
    seen: dict[Any, tuple[Value, ...]] = {}

    def of(value: Value) -> Value:
        return known.get(value.number, value)

    found = []
    for each in instructions:
        now = _renamed(each, of)
        key = _key(now)
        if key is not None and key in seen:
            before = seen[key]
            known.update((y.number, x) for x, y in zip(before, now.outputs, strict=True))
            continue
        if key is not None:
            seen[key] = now.outputs
        found.append(now)
    return found, [of(value) for value in results]


def _key(each: Instruction) -> Any:
    """Return what is equal of two calls with equal results; None where that is not known."""
    if type(each.call) in (OpaqueForward, OpaqueBackward):
        return None
    try:
        arguments = _hashable((each.args, each.kwargs))
        expected = each.expected if type(each) is Guard else None
        key = (type(each), each.call, arguments, expected, _hashable(each.errors))
        hash(key)
    except TypeError:
        return None
    return key


def _hashable(tree: Any) -> Any:
    """Return nested arguments so that they are equal if they are the same to the bit."""
    if type(tree) is Value:
        return Value, tree.number
    if isinstance(tree, (tuple, list)):
        return type(tree), tuple(map(_hashable, tree))
    if isinstance(tree, dict):
        return dict, tuple((key, _hashable(x)) for key, x in sorted(tree.items()))
    if isinstance(tree, slice):
        return slice, _hashable((tree.start, tree.stop, tree.step))
    if isinstance(tree, float):
        return float, tree.hex()
    return type(tree), tree


def without_dead(
    instructions: list[Instruction], results: Iterable[Value]
) -> list[Instruction]:
    """Leave out what nobody reads; guards are read."""
    needed = {value.number for value in results}
    found = []
    for each in reversed(instructions):
        is_needed = type(each) is Guard or draws(each)
        if is_needed or any(value.number in needed for value in each.outputs):
            needed.update(value.number for value in each.reads())
            found.append(each)
    return found[::-1]


def draws(each: Instruction) -> bool:
    """Return whether a call draws random numbers."""
    return type(each.call) is OpaqueForward and each.call.draws


def is_elementwise(each: Instruction) -> bool:
    """Return whether a call is a ufunc of one result, elementwise."""
    call = each.call
    return isinstance(call, np.ufunc) and call.nout == 1 and call.signature is None


__all__ = ["Of", "is_elementwise", "with_opaque", "without_copies", "without_dead"]
