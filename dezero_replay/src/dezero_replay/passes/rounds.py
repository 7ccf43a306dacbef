"""A loop in a graph: a body that runs in rounds, as one instruction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import GuardError
from ..tape.instructions import Draw, Guard, Instruction, Through, Value, replaced
from ..tape.nested import leaves
from ..tape.opaque import OpaqueBackward, OpaqueForward
from .graph import Graph, renamed


class Counter:
    """The number of the present round of a loop, from 0 on: a variable."""

    __slots__ = ()


@dataclass(frozen=True)
class Linear:
    """A whole number in a body that grows by fixed steps: `start`, and a step for each counter."""

    start: int
    steps: tuple[tuple[Counter, int], ...]

    def at(self, rounds: dict[Counter, int]) -> int:
        """Return the number in a round, with the counters that are known."""
        return self.start + sum(step * rounds[counter] for counter, step in self.steps)


@dataclass(eq=False)
class Loop:
    """The `call` of an instruction that runs a body `rounds` times.

    The arguments are what the carried values are before the first round, and then what is shared
    by all rounds: the inputs of the body. The body's wanted values are what the carried ones are in
    the next round, and then others. The results are the wanted values of the last round. Those at
    the positions in `collected` are lists, with the value of each round.
    """

    body: Graph
    rounds: int
    carried: int
    collected: frozenset[int]
    counter: Counter

    @property
    def shared(self) -> list[Value]:
        """The inputs of the body that are the same in all rounds."""
        return self.body.inputs[self.carried :]

    def changed(self, **how: Any) -> Loop:
        """Return a loop with some of these attributes."""
        return replace(self, **how)

    def __call__(self, *args: Any) -> list[Any]:
        """Run it, one instruction after the other."""
        return self.run(args, {})

    def run(self, args: Sequence[Any], around: dict[Counter, int]) -> list[Any]:
        """Run it in a round of the loops around it."""
        body = self.body
        inputs = [value.number for value in body.inputs]
        values = {**body.constants, **dict(zip(inputs, args, strict=True))}
        lists: dict[int, list[Any]] = {n: [] for n in self.collected}
        for number in range(self.rounds):
            rounds = {**around, self.counter: number}
            for each in body.instructions:
                run(each, values, rounds)
            found = [values[value.number] for value in body.wanted]
            values.update(zip(inputs[: self.carried], found, strict=False))
            for n, items in lists.items():
                items.append(found[n])
        return [lists.get(n, x) for n, x in enumerate(found)]

    def __repr__(self) -> str:
        return f"loop of {self.rounds} rounds"


def run(each: Instruction, values: dict[int, Any], rounds: dict[Counter, int]) -> None:
    """Run an instruction: take the values by number, and put the results there.

    Raise a GuardError if a value decides otherwise than in the recording.
    """

    def of(value: Value) -> Any:
        return values[value.number]

    each = at_round(each, rounds)
    args, kwargs = replaced(each.args, of), replaced(each.kwargs, of)
    if type(each.call) is Loop:
        found: Any = each.call.run(args, rounds)
    else:
        with np.errstate(**(each.errors or {})):
            found = each.call(*args, **kwargs)
    if type(each) is not Guard:
        results = found if each.several else [found]
        values.update((y.number, x) for y, x in zip(each.outputs, results, strict=True))
    elif found != each.expected:
        raise GuardError(each)


def at_round(each: Instruction, rounds: dict[Counter, int]) -> Instruction:
    """Return an instruction as it is in a round: with numbers in place of those that grow."""
    call = each.call if type(each.call) is Through else ()
    if not leaves((each.args, each.kwargs, call), Linear):
        return each

    def of(x: Linear) -> int:
        return x.at(rounds)

    args, kwargs, call = replaced((each.args, each.kwargs, call), of, (Linear,))
    return each.changed(call or each.call, args, kwargs)


def every_call(instructions: Iterable[Instruction]) -> Iterator[Instruction]:
    """Go through instructions, and those in the bodies of loops."""
    for each in instructions:
        yield each
        if type(each.call) is Loop:
            yield from every_call(each.call.body.instructions)


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
    """Return whether a call in a body gives the same for the same operands, and does no more."""
    is_own = type(each) is Guard or type(each.call) in (Draw, OpaqueForward, OpaqueBackward, Loop)
    call = each.call if type(each.call) is Through else ()
    return not (is_own or leaves((each.args, each.kwargs, call), Linear))
