"""Calls in the body of a loop that run once: before the loop, or behind its last round."""

from __future__ import annotations

from dataclasses import replace

from ..tape.instructions import Draw, Instruction, Through
from ..tape.nested import leaves
from ..tape.opaque import OpaqueBackward, OpaqueForward
from .graph import renamed
from .rounds import Linear, Loop


def hoisted(each: Instruction, escaping: set[int]) -> list[Instruction]:
    """Return a loop behind the calls of its body that come to the same in all rounds.

    Calls of which a result is `escaping` stay in it: users get that array, and in each round they
    get a new one.
    """
    loop = each.call
    body, args = loop.body, list(each.args)
    known = dict(zip([value.number for value in loop.shared], args[loop.carried :], strict=True))
    before: list[Instruction] = []
    inside: list[Instruction] = []
    inputs = list(body.inputs)
    for one in body.instructions:
        is_fixed = all(x.number in known or x.number in body.constants for x in one.reads())
        is_kept = any(y.number in escaping for y in one.outputs)
        if is_kept or not (is_fixed and _is_pure(one)):
            inside.append(one)
            continue
        before.append(renamed(one, known))
        known.update((y.number, y) for y in one.outputs)
        inputs += one.outputs
        args += one.outputs
    if not before:
        return [each]
    made = loop.changed(body=replace(body, instructions=inside, inputs=inputs))
    return [*before, each.changed(made, tuple(args), {})]


def sunk(each: Instruction) -> list[Instruction]:
    """Return a loop before the calls of its body of which the last round alone is needed."""
    loop: Loop = each.call
    after = _of_last_round(loop)
    if not after:
        return [each]
    body, shared = loop.body, each.args[loop.carried :]
    moved = {id(one) for one in after}
    inside = [one for one in body.instructions if id(one) not in moved]
    results = [*zip(body.wanted, each.outputs, strict=True)]
    known = dict(zip([x.number for x in loop.shared], shared, strict=True))
    known |= {x.number: y for n, (x, y) in enumerate(results) if n not in loop.collected}
    gone = {y.number for one in after for y in one.outputs}
    kept = [n for n, (value, _) in enumerate(results) if value.number not in gone]
    # What the last round has made, and the calls behind the loop read, comes out of it.
    read = {x.number for one in after for x in one.reads()} - known.keys() - gone
    made = [y for one in inside for y in one.outputs if y.number in read]
    known |= {value.number: body.like(value) for value in made}
    wanted = [body.wanted[n] for n in kept] + made
    outputs = [each.outputs[n] for n in kept] + [known[value.number] for value in made]
    collected = frozenset([kept.index(n) for n in loop.collected])
    call = loop.changed(body=replace(body, instructions=inside, wanted=wanted), collected=collected)
    found = [each.changed(call, each.args, {}, tuple(outputs))]
    for one in after:
        found.append(renamed(one, known))
        found[-1].outputs = tuple([known.get(y.number, y) for y in one.outputs])
    return found


def _of_last_round(loop: Loop) -> list[Instruction]:
    """Return the calls of a body of which nobody needs results but those of the last round."""
    body, carried = loop.body, loop.carried
    numbers = [value.number for value in body.wanted]
    needed = {x for n, x in enumerate(numbers) if n < carried or n in loop.collected}
    needed.update(x for x in numbers if numbers.count(x) > 1)
    last = {*numbers} - needed
    before = {param.number for param in body.inputs[:carried]}  # these are gone after the round
    found: list[Instruction] = []
    for one in reversed(body.instructions):
        made, reads = {y.number for y in one.outputs}, {x.number for x in one.reads()}
        if made & last and not made & needed and not reads & before and _is_pure(one):
            last |= reads
            found.append(one)
        else:
            needed |= reads
    return found[::-1]


def _is_pure(each: Instruction) -> bool:
    """Return whether a call in a body gives the same for the same operands, and does no more.

    A guard is one, too: if it stops a round, it stops all.
    """
    is_own = type(each.call) in (Draw, OpaqueForward, OpaqueBackward, Loop)
    call = each.call if type(each.call) is Through else ()
    return not (is_own or leaves((each.args, each.kwargs, call), Linear))
