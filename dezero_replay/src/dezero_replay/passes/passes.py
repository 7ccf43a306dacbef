"""Passes over a graph of calls: each gives a shorter or faster list that computes the same bits.

Most are rules that look at one call after another, on one way through the list; three look at all.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from ..tape.instructions import (
    Draw,
    Guard,
    Instruction,
    Method,
    Region,
    Value,
    as_array,
    same,
    written,
)
from ..tape.opaque import OpaqueBackward, OpaqueForward
from ..tape.rows import Rows
from .aliasing import FRESH, VIEW, escaping, escaping_of_loop, relation
from .constants import decided_numbers, folded, typed_literals
from .finite import with_quick_guards
from .forms import canonical
from .graph import Graph, Rewriting, hashable, renamed
from .hoisting import hoisted, sunk
from .placing import joined
from .rounds import Loop, every_call


def with_opaque(instructions: Rows, failed: frozenset[Region]) -> Sequence[Instruction]:
    """Return the instructions with each body in `failed` as one instruction."""
    regions = (each.region for each in instructions.models())
    if not any(
        region and (region.is_opaque or runs_as_it_is(region, failed)) for region in regions
    ):
        return instructions
    found = [
        region.opaque if (region := each.region) and runs_as_it_is(region, failed) else each
        for each in instructions
    ]
    return [_of_instance(each, failed) for each in dict.fromkeys(found)]  # type: ignore[arg-type]


def runs_as_it_is(region: Region, failed: frozenset[Region]) -> bool:
    """Return whether a body is one instruction: ``backward`` also if its ``forward`` is.

    The other way round ``forward`` stays recorded, since ``backward`` takes recorded arrays.
    """
    return region in failed or region.first in failed


def _of_instance(each: Instruction, failed: frozenset[Region]) -> Instruction:
    """Let an opaque ``backward`` run on the instance of its opaque ``forward``, if there is one."""
    if type(each.call) is not OpaqueBackward:
        return each
    first = each.region.first  # type: ignore[union-attr]
    instance, changing, *others = each.args
    runs = first in failed or first.is_opaque
    args = (instance, {}, *others) if runs else (None, changing, *others)
    return each.changed(each.call, args, each.kwargs)


_COPIES = (np.copy, Method("copy"))


def without_copies(rewriting: Rewriting, each: Instruction) -> Any:
    """Leave out copies, which nobody writes into, and calls that only return their argument."""
    if len(each.outputs) != 1 or not each.args or type(each.args[0]) is not Value:
        return each
    x, (y,), call = each.args[0], each.outputs, each.call
    is_alike = x.kind is y.kind and x.strides == y.strides
    if call is as_array and y.number not in rewriting.escaping:
        maker = rewriting.makers.get(x.number)
        if maker is not None and maker.call is operator.getitem and maker.args[1] == ():
            x = maker.args[0]  # of an array without axes: its number is taken out, and put back
            is_alike = x.kind is y.kind
    is_copy = call in _COPIES and is_alike if call is not written else _is_there(rewriting, each)
    if not (is_copy or call is same or (call is as_array and is_alike)):
        return each
    if is_copy and y.number in rewriting.escaping and not _moves(rewriting, x):
        return each
    rewriting.known[y.number] = x
    return None


def _is_there(rewriting: Rewriting, each: Instruction) -> bool:
    """Return whether a call is ``x[index] = x[index]``, the last step of ``x[index] += y``."""
    x, index, value = each.args
    maker = rewriting.makers.get(value.number) if type(value) is Value else None
    if maker is None or maker.call is not operator.getitem or maker.args[0].number != x.number:
        return False
    return bool(hashable(maker.args[1]) == hashable(index))


def _moves(rewriting: Rewriting, x: Value) -> bool:
    """Return whether the caller can have an array itself in place of a copy: nobody else has it."""
    chain: list[Value] = []
    while True:
        chain.append(x)
        maker = rewriting.makers.get(x.number)
        if maker is None or x.number in rewriting.escaping or x.shape is None:
            return False
        how, size = relation(maker), prod(x.shape)
        if how == FRESH:
            rewriting.escaping.update(value.number for value in chain)
            return True
        if how != VIEW or size != prod(maker.args[0].shape or ()):
            return False
        x = maker.args[0]


def without_repetitions(rewriting: Rewriting, each: Instruction) -> Any:
    """Make equal calls once: elimination of common subexpressions."""
    key = None if type(each.call) in (OpaqueForward, OpaqueBackward, Draw) else _key(each)
    if key is None:
        return each
    if key not in rewriting.seen:
        rewriting.seen[key] = each.outputs
        return each
    if any(value.number in rewriting.escaping for value in each.outputs):
        return each  # eager code has two arrays
    for y, x in zip(each.outputs, rewriting.seen[key], strict=True):
        rewriting.known[y.number] = x
    return None


def _key(each: Instruction) -> Any:
    """Return a key that calls share only if their results are equal; None if there is none."""
    more: Any = each.kwargs or each.errors or type(each) is Guard
    if more:
        more = hashable((each.kwargs, each.errors, getattr(each, "expected", None)))
    key = each.call, type(each.call), type(each), tuple(map(hashable, each.args)), more
    try:
        hash(key)
    except TypeError:
        return None
    return key


def without_dead(graph: Graph) -> Graph:
    """Leave out calls whose results nobody reads, but no guard and no drawing of numbers."""
    needed = {value.number for value in graph.wanted}
    found = []
    for each in reversed(graph.instructions):
        is_needed = not needed.isdisjoint([value.number for value in each.outputs])
        if is_needed or does_more(each):
            if type(each.call) is Loop:
                each = _needed_of_loop(each, needed)
            needed.update([value.number for value in each.reads()])
            found.append(each)
    return graph.changed(found[::-1])


def _needed_of_loop(each: Instruction, needed: set[int]) -> Instruction:
    """Return a loop without the results and the carried values that nobody needs."""
    loop: Loop = each.call
    inputs, results = loop.body.inputs, loop.body.wanted
    kept = {n for n, value in enumerate(each.outputs) if value.number in needed}
    carried: set[int] = set()
    while True:
        body = without_dead(replace(loop.body, wanted=[results[n] for n in sorted(kept)]))
        read = {x.number for one in body.instructions for x in one.reads()}
        read.update(value.number for value in body.wanted)
        carried = {n for n in range(loop.carried) if inputs[n].number in read}
        if carried <= kept:
            break
        kept |= carried
    order = [*sorted(carried), *sorted(kept - carried)]
    given = [n for n, x in enumerate(inputs) if x.number in read]
    body = replace(body, inputs=[inputs[n] for n in given], wanted=[results[n] for n in order])
    collected = frozenset([order.index(n) for n in loop.collected & kept])
    call = loop.changed(body=body, carried=len(carried), collected=collected)
    args = tuple([each.args[n] for n in given])
    return each.changed(call, args, {}, tuple([each.outputs[n] for n in order]))


def does_more(each: Instruction) -> bool:
    """Return whether a call does more than give its results: it may stop the run, or draws."""
    return any(type(one) is Guard or draws(one) for one in every_call([each]))


def draws(each: Instruction) -> bool:
    """Return whether a call draws random numbers."""
    return type(each.call) is Draw or (type(each.call) is OpaqueForward and each.call.draws)


#: Passes that make two recordings of one way comparable.
EARLY: tuple[Callable[..., Any], ...] = (without_copies, without_repetitions, without_dead)

#: Passes that make a graph fast.
PASSES: tuple[Callable[..., Any], ...] = (
    decided_numbers,
    without_copies,
    folded,
    canonical,
    typed_literals,
    without_repetitions,
    joined,
    with_quick_guards,
    without_dead,
)


def _with_constants(rewriting: Rewriting, each: Instruction) -> Instruction:
    """Return a loop whose body reads constants itself, if nobody keeps them or views of them."""
    loop: Loop = each.call
    body = loop.body
    kept = {value.number for value in body.inputs[: loop.carried]}
    kept |= escaping_of_loop(each, rewriting.escaping)
    known: dict[int, Any] = {}
    pairs = []
    for param, arg in zip(body.inputs, each.args, strict=True):
        x = rewriting.known.get(arg.number, arg)
        if param.number not in kept and (type(x) is int or x.number in rewriting.constants):
            known[param.number] = x
        else:
            pairs.append((param, rewriting.constant(x) if type(x) is int else x))
    instructions = [renamed(one, known) for one in body.instructions]
    body = replace(body, instructions=instructions, inputs=[param for param, _ in pairs])
    return each.changed(loop.changed(body=body), tuple([x for _, x in pairs]), {})


def _simplified_loop(
    rewriting: Rewriting, each: Instruction, passes: tuple[Callable[..., Any], ...]
) -> list[Instruction]:
    """Return a loop with a simplified body, between the calls that need not be in each round."""
    each = _with_constants(rewriting, each)
    loop = each.call
    users = escaping_of_loop(each, rewriting.escaping)
    body = simplified(replace(loop.body, constants=rewriting.constants), passes, users)
    rewriting.constants.update(body.constants)
    made = each.changed(loop.changed(body=body), each.args, {})
    *before, whole = hoisted(made, escaping_of_loop(made, rewriting.escaping))
    return [*before, *sunk(whole)]


def simplified(
    graph: Graph, passes: tuple[Callable[..., Any], ...] = PASSES, users: set[int] | None = None
) -> Graph:
    """Return a graph that computes the same bits, after some passes.

    `users` are the numbers of the Values whose memory users get, if these are not those of all
    results.
    """
    whole = [each for each in (joined, with_quick_guards, without_dead) if each in passes]
    rules = tuple(each for each in passes if each not in whole)
    if users is None:
        users = escaping(graph.instructions, graph.wanted)
    rewriting = Rewriting(graph, users)
    for each in graph.instructions:
        if type(each.call) is Loop:
            for one in _simplified_loop(rewriting, each, passes):
                rewriting.take(one, rules)
        else:
            rewriting.take(each, rules)
    found = rewriting.rewritten()
    for of_whole in whole:
        found = of_whole(found)
    return found
