"""The bodies of loops: the first of some rounds that are alike stands for all."""

from __future__ import annotations

import operator
from collections import defaultdict
from math import prod
from typing import Any

import numpy as np

from ..tape.instructions import Guard, Instruction, Template, Through, Value
from .graph import Graph, inlined
from .rounds import Counter, Linear, Loop
from .runs import Rounds
from .sequences import FLOAT, OUTPUTS, Sequence, rebuilt, with_numbers


class Folding:
    """A graph of which rounds become loops: who makes its Values, and who reads them."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.sequence = graph, Sequence(graph)
        #: Number of a Value that is an item of a list from now on -> what takes it out of that.
        self._takers: dict[int, Instruction] = {}
        #: Number of a list -> the instructions that take its items.
        self.items: dict[int, list[Instruction]] = defaultdict(list)
        sequence = self.sequence
        counts = np.diff(sequence.first_operand)
        #: The position of the instruction that has each operand.
        self.readers = np.repeat(np.arange(len(counts)), counts)
        self.wanted = np.array([sequence.place_of(value) for value in graph.wanted], np.int64)

    def read_outside(self, rounds: Rounds) -> dict[int, set[int]]:
        """Return the places in the first round of what is read outside, and of which rounds."""
        places, low, high = self.sequence.places, rounds.start * OUTPUTS, rounds.end * OUTPUTS
        is_outside = (self.readers < rounds.start) | (self.readers >= rounds.end)
        is_read = (places >= low) & (places < high) & is_outside
        wanted = self.wanted[(self.wanted >= low) & (self.wanted < high)]
        found: dict[int, set[int]] = defaultdict(set)
        for place in np.unique(np.concatenate([places[is_read], wanted])).tolist():
            number, inside = divmod(place - low, rounds.period * OUTPUTS)
            found[low + inside].add(number)
        return found

    def maker(self, value: Value) -> Instruction | None:
        """Return the instruction that makes a Value, or takes it out of a list."""
        place = self.sequence.place_of(value)
        made = self.graph.instructions[place // OUTPUTS] if place >= 0 else None
        return self._takers.get(value.number, made)

    def add_item(self, item: Instruction) -> None:
        """Add an instruction that takes a Value out of a list."""
        (value,) = item.outputs
        self._takers[value.number] = item
        self.items[item.args[0].number].append(item)

    def at(self, place: int) -> Value:
        """Return the Value that is made at a place."""
        position, n = divmod(place, OUTPUTS)
        return self.graph.instructions[position].outputs[n]


class Body:
    """The first of some rounds, as it becomes the body of a loop."""

    def __init__(self, folding: Folding, rounds: Rounds) -> None:
        self.folding, self.rounds, self.counter = folding, rounds, Counter()
        sequence = folding.sequence
        self._operand = sequence.first_operand[rounds.start]
        self._width = rounds.places.shape[1]
        self._literal = sequence.first_literal[rounds.start]
        self._types = sequence.types[self._literal : self._literal + rounds.bits.shape[1]]
        #: Key of a carried value -> its Value in the body, what it is at first, and in the next
        #: round.
        self._carried: dict[Any, tuple[Value, Value, Value]] = {}
        #: Number of a Value of the first round -> the one in the body, which is that of all rounds.
        self._made: dict[int, Value] = {}
        #: Number of a Value that all rounds share -> its Value in the body, and it.
        self._shared: dict[int, tuple[Value, Value]] = {}
        #: Instructions that take an item of a list, by list and number.
        self._taken: dict[Any, Instruction] = {}

    def loop(self) -> Instruction | None:
        """Return the loop; None if an operand is neither the same nor an item of a list."""
        folding, rounds = self.folding, self.rounds
        graph = folding.graph
        self._operands = iter(range(self._width))
        self._literals = iter(range(rounds.bits.shape[1]))
        template = graph.instructions[rounds.start : rounds.start + rounds.period]
        try:
            body = [one for each in template for one in self._rebuilt(each)]
        except _NotAlikeError:
            return None
        self._merge_regions(template)
        carried = list(self._carried.values())
        outside = folding.read_outside(rounds)
        following, outputs = [after for _, _, after in carried], list[Value]()
        wanted = [self._made.get(after.number, after) for after in following]
        last = (rounds.number - 1) * rounds.period * OUTPUTS
        for after in following:
            place = folding.sequence.place_of(after)
            is_final = outside.get(place) == {rounds.number - 1}
            outputs.append(folding.at(place + last) if is_final else graph.like(after))
            if is_final:
                del outside[place]
        collected = set()
        for place, numbers in outside.items():
            value = folding.at(place)
            if numbers == {rounds.number - 1}:
                outputs.append(folding.at(place + last))
            else:
                collected.add(len(wanted))
                outputs.append(self._list_of(place, sorted(numbers)))
            wanted.append(self._made[value.number])
        inputs = [param for param, _, _ in carried] + [x for x, _ in self._shared.values()]
        args = [first for _, first, _ in carried] + [x for _, x in self._shared.values()]
        whole = Graph(
            [*self._taken.values(), *body], inputs, wanted, graph.constants, (), graph.numbers
        )
        call = Loop(whole, rounds.number, len(carried), frozenset(collected), self.counter)
        where = template[0].where
        return Instruction(call, tuple(args), {}, tuple(outputs), True, None, where)

    def _list_of(self, place: int, numbers: list[int]) -> Value:
        """Return a list of the values that are made at a place in each round."""
        folding, rounds = self.folding, self.rounds
        found = _list_like(folding.graph, folding.at(place), rounds.number)
        for number in numbers:
            at = place + number * rounds.period * OUTPUTS
            where, made = folding.graph.instructions[at // OUTPUTS].where, (folding.at(at),)
            folding.add_item(
                Instruction(operator.getitem, (found, number), {}, made, False, None, where)
            )
        return found

    def _merge_regions(self, template: list[Instruction]) -> None:
        """Let the guards of a body stand for those of all rounds."""
        instructions, rounds = self.folding.graph.instructions, self.rounds
        for n, each in enumerate(template):
            if type(each) is Guard and each.region is not None:
                same = instructions[rounds.start + n : rounds.end : rounds.period]
                each.region.alike.update(one.region for one in same if one.region is not None)

    # The arguments of an instruction.

    def _rebuilt(self, each: Instruction) -> list[Instruction]:
        call = each.call
        if type(call) is Template:
            calls = with_numbers(call.instructions, self._of_number)
            call = Template(calls, call.inputs, call.wanted)
        elif type(call) is Loop:
            calls = with_numbers(call.body.instructions, self._of_number)
            call = call.changed(body=call.body.changed(calls))
        elif type(call) is Through:
            call = rebuilt(call, self._leaf)
        args, kwargs = rebuilt(each.args, self._leaf), rebuilt(each.kwargs, self._leaf)
        if type(each) is Guard:
            return [Guard(call, args[0], each.expected, each.region, each.where)]
        graph = self.folding.graph
        self._made.update((y.number, graph.like(y)) for y in each.outputs)
        outputs = tuple([self._made[y.number] for y in each.outputs])
        return inlined(graph, each.changed(call, args, kwargs, outputs))

    def _leaf(self, x: Any) -> Any:
        return self._of_value(x) if type(x) is Value else self._of_number(x)

    def _of_value(self, x: Value) -> Value:
        column = next(self._operands)
        behind = int(self.rounds.behind[column])
        if behind == 0:
            return self._made[x.number]
        if behind > 0:
            return self._before(column, behind)
        places = self.rounds.places[:, column]
        if places[0] == places[-1]:
            return self._common(x)
        return self._item([self._value(row, column) for row in range(len(places))])

    def _value(self, row: int, column: int) -> Value:
        sequence, rounds = self.folding.sequence, self.rounds
        first = sequence.first_operand[rounds.start + row * rounds.period]
        return sequence.operands[first + column]

    def _before(self, column: int, behind: int) -> Value:
        """Return the Value that stands for what is made some rounds before."""
        after = self._value(behind, column)
        for number in range(1, behind + 1):
            given = [self._value(row, column) for row in range(behind - number, behind)]
            key = after.number, *[value.number for value in given]
            if key not in self._carried:
                self._carried[key] = self.folding.graph.like(after), given[0], after
            after = self._carried[key][0]
        return after

    def _common(self, x: Value) -> Value:
        graph = self.folding.graph
        if x.number in graph.constants:
            return x
        if x.number not in self._shared:
            self._shared[x.number] = graph.like(x), x
        return self._shared[x.number][0]

    def _item(self, values: list[Value]) -> Value:
        """Return the Value that stands for the items of a list."""
        graph = self.folding.graph
        if all(value.number in graph.constants for value in values):
            return self._of_list([graph.constants[value.number] for value in values], values[0])
        makers = map(self.folding.maker, values)
        made = [each for each in makers if each is not None and each.call is operator.getitem]
        if len(made) < len(values):
            raise _NotAlikeError
        source, numbers = made[0].args[0], [each.args[1] for each in made]
        step = numbers[1] - numbers[0] if type(numbers[0]) is type(numbers[1]) is int else 0
        expected = [numbers[0] + step * row for row in range(len(numbers))] if step else None
        if numbers != expected or any(each.args[0] is not source for each in made):
            raise _NotAlikeError
        return self._take(self._common(source), numbers[0], step, made[0])

    def _take(self, source: Value, start: int, step: int, like: Instruction) -> Value:
        key = source.number, start, step
        if key not in self._taken:
            number = Linear(start, ((self.counter, step),))
            value = self.folding.graph.like(like.outputs[0])
            self._taken[key] = like.changed(operator.getitem, (source, number), {}, (value,))
        return self._taken[key].outputs[0]

    def _of_list(self, items: list[Any], like: Value) -> Value:
        """Return the Value that stands for the items of a list that is the same in every run."""
        graph = self.folding.graph
        source = _list_like(graph, like, len(items))
        graph.constants[source.number] = items
        maker = Instruction(operator.getitem, (), {}, (like,))
        return self._take(source, 0, 1, maker)

    def _of_number(self, x: Any) -> Any:
        column = next(self._literals)
        bits = self.rounds.bits[:, column]
        start, step = int(bits[0]), int(bits[1]) - int(bits[0])
        kind = self._types[column]
        if (bits == bits[0]).all():
            return x
        if kind == FLOAT:
            sequence, rounds = self.folding.sequence, self.rounds
            firsts = sequence.first_literal[rounds.start : rounds.end : rounds.period]
            items = [sequence.literals[first + column] for first in firsts]
            return self._of_list(items, Value(next(self.folding.graph.numbers), 0.0))
        steps = x.steps if type(x) is Linear else ()
        return Linear(start, (*steps, (self.counter, step)))


class _NotAlikeError(Exception):
    """An operand differs from round to round in a way that a loop cannot follow."""


def is_item(each: Instruction) -> bool:
    """Return whether an instruction takes an item of a list out of it."""
    return each.call is operator.getitem and each.args[0].kind is list


def _list_like(graph: Graph, value: Value, number: int) -> Value:
    """Return a new Value for a list of so many values like one."""
    found, shape = graph.like(value), value.shape or ()
    found.kind, found.shape = list, (number, *shape)
    found.dtype = np.dtype(float) if value.kind is float else value.dtype
    if found.dtype is not None:  # as if the items were one beside the other
        found.strides = prod(shape) * found.dtype.itemsize, *(value.strides or ())
    return found
