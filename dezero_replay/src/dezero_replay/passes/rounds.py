"""A loop in a graph: a body that runs in rounds, as one instruction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import GuardError
from ..tape.instructions import Guard, Instruction, Through, Value, replaced
from ..tape.nested import leaves
from .graph import Graph


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
