"""The bodies of loops: the first of some rounds that are alike stands for all."""

from __future__ import annotations

import operator
from bisect import bisect_right
from collections.abc import Iterable
from itertools import groupby, pairwise
from math import prod
from typing import Any

import numpy as np

from ..tape.instructions import Guard, Instruction, Template, Through, Value, as_array
from ..tape.rows import Rows, rebuilt
from .graph import Graph, inlined
from .rounds import Counter, Linear, Loop
from .runs import Rounds
from .sequences import FLOAT, LEAVES, OUTPUTS, Sequence, with_numbers


class Folding:
    """A graph of which rounds become loops: who makes its Values, and who reads them."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.sequence = graph, Sequence(graph)
        #: The loops that were made, in their order, with the list for each place in the first round
        #: of which all rounds are read outside.
        self._lists: list[tuple[Rounds, dict[int, Value]]] = []
        sequence = self.sequence
        counts = np.diff(sequence.first_operand)
        #: The position of the instruction that has each operand.
        self.readers = np.repeat(np.arange(len(counts)), counts)
        #: The operands in the order of their places.
        self._by_place = np.argsort(sequence.places, kind="stable")
        self._places = sequence.places[self._by_place]
        self.wanted = np.array([sequence.place_of(value) for value in graph.wanted], np.int64)

    def read_outside(self, rounds: Rounds) -> dict[int, bool]:
        """Return the places in the first round of what is read outside: is it of the last one?"""
        low, high = rounds.start * OUTPUTS, rounds.end * OUTPUTS
        own = slice(*np.searchsorted(self._places, (low, high)))
        readers = self.readers[self._by_place[own]]
        read = self._places[own][readers >= rounds.end]
        wanted = self.wanted[(self.wanted >= low) & (self.wanted < high)]
        number, inside = np.divmod(
            np.unique(np.concatenate([read, wanted])) - low, rounds.period * OUTPUTS
        )
        early = {*inside[number < rounds.number - 1].tolist()}
        return {low + place: place not in early for place in np.unique(inside).tolist()}

    def add_lists(self, rounds: Rounds, lists: dict[int, Value]) -> None:
        """Add the lists of a loop, by place in the first round."""
        self._lists.append((rounds, lists))

    def taken(self, place: int) -> tuple[Value, Any, str] | None:
        """Return out of what an item is taken, its number, and the line; None if it is no item."""
        at = self._index(place // OUTPUTS)
        if at >= 0 and place < self._lists[at][0].end * OUTPUTS:
            rounds, lists = self._lists[at]
            low = rounds.start * OUTPUTS
            number, inside = divmod(place - low, rounds.period * OUTPUTS)
            found = lists.get(low + inside)
            return None if found is None else (found, number, self._where(place))
        call = None if place < 0 else self.sequence.rows.model(place // OUTPUTS).call
        if call is operator.getitem:
            source, number = self.graph.instructions[place // OUTPUTS].args
            return source, number, self._where(place)
        if call is as_array:  # of an array, as a result of a body: it is the item itself
            (x,) = self.graph.instructions[place // OUTPUTS].args
            return self.taken(self.sequence.place_of(x)) if x.kind is np.ndarray else None
        return None

    def _index(self, position: int) -> int:
        """Return the index of the last loop that begins at or before a position; or -1."""
        return bisect_right(self._lists, position, key=lambda each: each[0].start) - 1

    def _where(self, place: int) -> str:
        return self.sequence.rows.model(place // OUTPUTS).where

    def add_items(self, rows: Rows, start: int, needed: set[int]) -> None:
        """Add the instructions that take what is needed out of the lists of a loop."""
        rounds, lists = self._lists[self._index(start)]
        steps = np.arange(rounds.number) * rounds.period
        for place, found in lists.items():
            model = item(found, 0, self.sequence.made_at(place), self._where(place))
            kind = rows.kind(model)
            for number, made in enumerate(self.sequence.numbers_at(place, steps).tolist()):
                if made in needed:
                    rows.add(kind, [found.number, made, number])


class Body:
    """The first of some rounds, as it becomes the body of a loop."""

    def __init__(self, folding: Folding, rounds: Rounds) -> None:
        self.folding, self.rounds, self.counter = folding, rounds, Counter()
        sequence = folding.sequence
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

    def loop(self) -> Instruction:
        """Return the loop.

        Raise a NotAlikeError if an operand is neither the same nor an item of a list.
        """
        folding, rounds = self.folding, self.rounds
        graph = folding.graph
        self._operands = iter(range(self._width))
        self._literals = iter(range(rounds.bits.shape[1]))
        template = graph.instructions[rounds.body]
        body = [one for each in template for one in self._rebuilt(each)]
        self._merge_regions(template)
        carried = list(self._carried.values())
        outside = folding.read_outside(rounds)
        following, outputs = [after for _, _, after in carried], list[Value]()
        wanted = [self._made.get(after.number, after) for after in following]
        last = (rounds.number - 1) * rounds.period * OUTPUTS
        made_at = folding.sequence.made_at
        for after in following:
            place = folding.sequence.place_of(after)
            is_final = outside.get(place, False)
            outputs.append(made_at(place + last) if is_final else graph.like(after))
            if is_final:
                del outside[place]
        lists: dict[int, Value] = {}
        collected = set()
        for place, is_final in outside.items():
            value = made_at(place)
            if is_final:
                outputs.append(made_at(place + last))
            else:
                collected.add(len(wanted))
                lists[place] = _list_like(graph, value, rounds.number)
                outputs.append(lists[place])
            wanted.append(self._made[value.number])
        folding.add_lists(rounds, lists)
        inputs = [param for param, _, _ in carried] + [x for x, _ in self._shared.values()]
        args = [first for _, first, _ in carried] + [x for _, x in self._shared.values()]
        whole = Graph(
            [*self._taken.values(), *body], inputs, wanted, graph.constants, (), graph.numbers
        )
        call = Loop(whole, rounds.number, len(carried), frozenset(collected), self.counter)
        where = template[0].where
        return Instruction(call, tuple(args), {}, tuple(outputs), True, None, where)

    def _merge_regions(self, template: Iterable[Instruction]) -> None:
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
            call = rebuilt(call, self._leaf, LEAVES)
        args, kwargs = (rebuilt(x, self._leaf, LEAVES) for x in (each.args, each.kwargs))
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
            return self._before(x, column, behind)
        places = self.rounds.places[:, column]
        if places[0] == places[-1]:
            return self._common(x)
        return self._item(x, column)

    def _operands_of(self, x: Value, column: int, rows: range) -> list[Value]:
        """Return the operands in some rounds that belong to one of the first round."""
        sequence, rounds = self.folding.sequence, self.rounds
        firsts = sequence.first_operand[rounds.start + np.array(rows) * rounds.period]
        return [sequence.rows.value(n, x) for n in sequence.operands[firsts + column].tolist()]

    def _before(self, x: Value, column: int, behind: int) -> Value:
        """Return the Value that stands for what is made some rounds before."""
        operands = self._operands_of(x, column, range(behind + 1))
        after = operands[-1]
        for number in range(1, behind + 1):
            given = operands[behind - number : behind]
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

    def _item(self, x: Value, column: int) -> Value:
        """Return the Value that stands for the items of a list."""
        graph, places = self.folding.graph, self.rounds.places[:, column]
        values = self._operands_of(x, column, range(len(places)))
        if all(value.number in graph.constants for value in values):
            return self._of_list([graph.constants[value.number] for value in values], x)
        taken: list[Any] = [*map(self.folding.taken, places.tolist())]
        first, last = _longest(taken)
        if last - first < len(taken):
            raise NotAlikeError(first, last)
        source, number, where = taken[0]
        return self._take(self._common(source), number, taken[1][1] - number, x, where)

    def _take(self, source: Value, start: int, step: int, like: Value, where: str = "") -> Value:
        key = source.number, start, step
        if key not in self._taken:
            number = Linear(start, ((self.counter, step),))
            self._taken[key] = item(source, number, self.folding.graph.like(like), where)
        return self._taken[key].outputs[0]

    def _of_list(self, items: list[Any], like: Value) -> Value:
        """Return the Value that stands for the items of a list that is the same in every run."""
        graph = self.folding.graph
        source = _list_like(graph, like, len(items))
        graph.constants[source.number] = items
        return self._take(source, 0, 1, like)

    def _of_number(self, x: Any) -> Any:
        column = next(self._literals)
        bits = self.rounds.bits[:, column]
        start, step = int(bits[0]), int(bits[1]) - int(bits[0])
        kind = self._types[column]
        if (bits == bits[0]).all():
            return x
        if kind == FLOAT:
            items = bits.astype(np.int64).view(np.float64).tolist()
            return self._of_list(items, Value(next(self.folding.graph.numbers), 0.0))
        steps = x.steps if type(x) is Linear else ()
        return Linear(start, (*steps, (self.counter, step)))


class NotAlikeError(Exception):
    """An operand is no item of one list in all rounds, but in those from `first` to `last`."""

    def __init__(self, first: int, last: int) -> None:
        super().__init__(first, last)
        self.first, self.last = first, last


def _longest(taken: list[Any]) -> tuple[int, int]:
    """Return where the most items begin and end that are taken from one list by a fixed step."""
    found, first = (0, 0), 0
    for step, pairs in groupby(pairwise(taken), _step):
        last = first + len([*pairs])
        if step and last - first > found[1] - found[0]:
            found = first, last
        first = last
    return found[0], found[1] + 1


def _step(pair: tuple[Any, Any]) -> Any:
    """Return the list of two items, and how far one is behind the other; None if it is no list."""
    if None in pair:
        return None
    (source, a, _), (other, b, _) = pair
    is_list = source.number == other.number and type(a) is type(b) is int and a != b
    return (source.number, b - a) if is_list else None


def item(source: Value, number: Any, value: Value, where: str) -> Instruction:
    """Return the instruction that takes a Value out of a list, or an array."""
    return Instruction(operator.getitem, (source, number), {}, (value,), False, None, where)


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
