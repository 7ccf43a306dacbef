"""The pass that finds what repeats: calls that come again and again become a loop.

A run is a part of a program in which each call is of the kind of the call one period before: the
same function, with operands of the same forms. It is a loop if the operands are alike, too: each is
the same in all rounds, or made in this round or one before, or the next item of a list; and if the
numbers among the arguments are the same, or grow by a fixed step. Rounds at the ends of a run that
are not alike stay as they are. Loops in loops are found from the inside to the outside.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..tape.instructions import Guard, Instruction, Template, Through, Value
from .aliasing import VIEW, relation
from .graph import Graph, inlined
from .rounds import Counter, Linear, Loop
from .sequences import FLOAT, INT_OF_BODY, OUTPUTS, Sequence, rebuilt, with_numbers

LEAST_ROUNDS, LEAST_SAVED = 4, 40
"""A loop has so many rounds, and takes the place of so many instructions more than its own."""

_FARTHEST = 4
"""A value that is made more rounds before is not carried."""


_DEEPEST = 8
"""Loops in each other are looked for so often: each search takes n log n steps."""

_SHORT, _SMALL = 8000, 64
"""A program of so few calls, on arrays of so few elements, is faster without loops."""


def with_loops(graph: Graph, small: bool = False) -> Graph:
    """Return a graph that does the same, with what repeats as loops.

    One that may become arithmetic of single numbers, call by call, has loops only if `small` says
    so.
    """
    for _ in range(_DEEPEST if small or not _is_small(graph) else 0):
        found = _Folding(graph).folded()
        if found is None or len(found.instructions) >= len(graph.instructions):
            break  # the items of a new list may be as many as the calls that make them
        graph = found
    calls: list[Instruction] = []
    seen: set[Template] = set()
    for each in graph.instructions:
        calls += inlined(graph, each, each.call in seen)
        if type(each.call) is Template:
            seen.add(each.call)
    return graph.changed(calls)


def _is_small(graph: Graph) -> bool:
    """Return whether a program may become arithmetic of single numbers, call by call."""
    calls = sum(
        len(each.call.instructions) if type(each.call) is Template else 1
        for each in graph.instructions
    )
    made = (y for each in graph.instructions for y in each.outputs)
    return calls <= _SHORT and all(prod(y.shape or ()) <= _SMALL for y in made)


def runs(kinds: Any) -> Iterator[tuple[int, int, int]]:
    """Yield the start, the period and the end of each run, those of short periods first.

    Two windows of calls are of one kind if their halves are. In a run, a window as long as the
    period, or longer, is of the kind of the window one period before, and of no nearer one. So
    windows that get twice as long each time find all periods, in n log n steps.

    >>> list(runs(np.array([7, *[1, 2, 3] * 20, 8])))
    [(1, 3, 61)]
    """
    width, seen = 1, set()
    ranks, order = _ranked(kinds)
    while width <= len(kinds) // LEAST_ROUNDS:
        is_same = ranks[order[1:]] == ranks[order[:-1]]
        apart = np.zeros(len(ranks), np.int64)
        apart[order[1:]] = np.where(is_same, np.diff(order), 0)
        ends = np.flatnonzero(np.diff(apart, append=-1)) + 1
        for first, last in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
            period = int(apart[first])
            start, end = first - period, last + width - 1
            is_long = end - start >= period * LEAST_ROUNDS
            if 0 < period <= width and is_long and (start, period) not in seen:
                seen.add((start, period))
                yield start, period, end
        ranks, order = _ranked(ranks[:-width] * (int(ranks.max()) + 1) + ranks[width:])
        width *= 2


def _ranked(keys: Any) -> tuple[Any, Any]:
    """Return the rank of each key among those that differ, and the positions in the order of keys.

    The order is stable.
    """
    # NumPy sorts numbers of two bytes in linear time, and the kinds of a loop are few.
    sorts = keys.astype(np.uint16) if keys.max(initial=0) < 2**16 else keys
    order = np.argsort(sorts, kind="stable")
    following = sorts[order]
    ranks = np.empty(len(keys), np.int64)
    ranks[order] = np.cumsum(np.concatenate([[False], following[1:] != following[:-1]]))
    return ranks, order


@dataclass
class Rounds:
    """Rounds that are alike, with a row for each: of the operands, and of the numbers."""

    start: int
    period: int
    #: The places of the operands, and how many rounds before this one each is made: -1 if it is
    #: made before all rounds.
    places: Any
    behind: Any
    bits: Any

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.places)

    @property
    def end(self) -> int:
        """The position of the first instruction behind them."""
        return self.start + self.number * self.period


class _Run:
    """A run, with a row for each round: of the places of its operands, and of its numbers."""

    def __init__(self, sequence: Sequence, start: int, period: int, end: int) -> None:
        self.start, self.period = start, period
        self.number = (end - start) // period
        self._sequence = sequence
        self.places = self._rows(sequence.places, sequence.first_operand)
        self.bits = self._rows(sequence.bits, sequence.first_literal)
        types = self._rows(sequence.types, sequence.first_literal)[0]
        moves, steps = np.diff(self.places, axis=0), np.diff(self.bits, axis=0)
        #: The round whose way to the next one is that of all.
        self.middle = self.number // 2 - 1
        self.behind = self._rounds_behind(moves[self.middle])
        #: By round and operand, or number: whether the way to the next round is that of the middle.
        self.is_same = moves == moves[self.middle]
        self.is_step = (steps == steps[self.middle]) | (types == FLOAT)
        self.is_step &= (steps == 0) | (types <= INT_OF_BODY)
        self.good = self.is_same.all(axis=1) & self.is_step.all(axis=1)

    def _rows(self, of: Any, firsts: list[int]) -> Any:
        part = of[firsts[self.start] : firsts[self.start + self.number * self.period]]
        return part.reshape(self.number, -1)

    def _rounds_behind(self, moves: Any) -> Any:
        """Return how many rounds before its own each operand is made; -1 if outside of the run."""
        here = self.start + (self.middle + 1) * self.period
        places = self.places[self.middle + 1]
        is_inside = (moves == self.period * OUTPUTS) & (places >= self.start * OUTPUTS)
        return np.where(is_inside, np.maximum(0, -((places // OUTPUTS - here) // self.period)), -1)

    def alike(self) -> Rounds | None:
        """Return the rounds around the middle that are alike; None if these are too few."""
        if not self.good[self.middle] or (self.behind > _FARTHEST).any():
            return None
        bad = np.flatnonzero(~self.good)
        low = int(max(bad[bad < self.middle], default=-1)) + 1
        high = int(min(bad[bad > self.middle], default=self.number - 1))
        low = self._with_given(low)
        # What is the same for all rounds, or an item of a list, is made before the first one.
        outside = self.places[low : high + 1, self.behind < 0]
        is_late = outside >= (self.start + low * self.period) * OUTPUTS
        low += int(np.count_nonzero(is_late.any(axis=1)))
        number = high + 1 - low
        if number < LEAST_ROUNDS or (number - 1) * self.period < LEAST_SAVED:
            return None
        rows, start = slice(low, high + 1), self.start + low * self.period
        return Rounds(start, self.period, self.places[rows], self.behind, self.bits[rows])

    def _with_given(self, low: int) -> int:
        """Return the first round: in that, what is carried may come from anywhere before."""
        for first in range(low - 1, max(-1, low - 1 - _FARTHEST), -1):
            at = np.arange(first, low)
            is_before = self.places[at] < (self.start + first * self.period) * OUTPUTS
            is_given = (self.behind > (at - first)[:, None]) & is_before
            if self.is_step[at].all() and (self.is_same[at] | is_given).all():
                return first
        return low

    def last_bad(self) -> int | None:
        """Return the position of the last instruction before the middle that is not alike."""
        bad = np.flatnonzero(~self.good[: self.middle])
        if not len(bad):
            return None
        at, sequence = bad[-1], self._sequence
        found = []
        for is_good, firsts in (
            (self.is_same, sequence.first_operand),
            (self.is_step, sequence.first_literal),
        ):
            columns = np.flatnonzero(~is_good[at])
            if len(columns):
                first = (
                    np.array(firsts[self.start : self.start + self.period + 1]) - firsts[self.start]
                )
                found.append(int(np.searchsorted(first, columns[-1], side="right")) - 1)
        return self.start + int(at) * self.period + max(found)


def alike(sequence: Sequence, start: int, period: int, end: int) -> Rounds | None:
    """Return rounds of a run that are alike, around its middle; None if these are too few."""
    if (end - start) // period < LEAST_ROUNDS:
        return None
    run = _Run(sequence, start, period, end)
    found, bad = run.alike(), run.last_bad()
    if bad is not None and (end - bad - 1) // period >= LEAST_ROUNDS:
        other = _Run(sequence, bad + 1, period, end).alike()  # its rounds begin behind that
        if other is not None and (found is None or other.start < found.start):
            found = other
    if found is None:
        return None
    # Where fewer values are carried, a round of the user's loop may begin.
    start = found.start + int(np.argmin(_alive(sequence, found)))
    if start > found.start and (end - start) // period >= found.number:
        other = _Run(sequence, start, period, end).alike()
        if other is not None and other.number >= found.number:
            return other
    return found


def _alive(sequence: Sequence, rounds: Rounds) -> Any:
    """Return for each instruction of a round how many values are alive before it."""
    start, period, middle = rounds.start, rounds.period, rounds.number // 2
    firsts = np.array(sequence.first_operand[start : start + period + 1])
    readers = np.repeat(np.arange(period), np.diff(firsts))
    last: dict[int, int] = {}
    for place, reader, behind in zip(rounds.places[middle], readers, rounds.behind, strict=True):
        if behind >= 0:
            last[place] = max(int(reader), last.get(place, 0))
    here = start + middle * period
    ways = [np.arange(place // OUTPUTS - here + 1, reader + 1) for place, reader in last.items()]
    return np.bincount(np.concatenate([*ways, []]).astype(np.int64) % period, minlength=period)


def _longest(covered: Any, start: int, end: int) -> tuple[int, int]:
    """Return the longest part of a range that no loop covers."""
    edges = np.flatnonzero(np.concatenate([[True], covered[start:end], [True]]))
    longest = int(np.argmax(np.diff(edges)))
    return start + int(edges[longest]), start + int(edges[longest + 1]) - 1


class _Folding:
    """A graph whose runs become loops."""

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

    def folded(self) -> Graph | None:
        """Return the graph with loops; None if there are none."""
        covered, found = np.zeros(len(self.sequence.kinds), bool), []
        for start, period, end in runs(self.sequence.kinds):
            start, end = _longest(covered, start, end)
            rounds = alike(self.sequence, start, period, end)
            if rounds is not None and not self._is_of_views(rounds):
                covered[rounds.start : rounds.end] = True
                found.append(rounds)
        loops: dict[int, tuple[int, Instruction]] = {}
        for rounds in sorted(found, key=lambda each: each.start):
            loop = _Body(self, rounds).loop()
            if loop is not None:
                loops[rounds.start] = rounds.end, loop
        return self._with(loops) if loops else None

    def _is_of_views(self, rounds: Rounds) -> bool:
        """Return whether rounds make views or items alone, which those take who need them."""
        body = self.graph.instructions[rounds.start : rounds.start + rounds.period]
        return all(relation(each) == VIEW or _is_item(each) for each in body)

    def _with(self, loops: dict[int, tuple[int, Instruction]]) -> Graph:
        graph, sequence, kept, position = self.graph, self.sequence, list[Instruction](), 0
        needed = {value.number for value in graph.wanted}
        for start in (*sorted(loops), len(graph.instructions)):
            kept += graph.instructions[position:start]
            first, last = sequence.first_operand[position], sequence.first_operand[start]
            needed.update([x.number for x in sequence.operands[first:last]])
            if start in loops:
                position, loop = loops[start]
                kept.append(loop)
                needed.update([x.number for x in loop.reads()])
        items = self.items
        with_items = (
            (each, *(x for y in each.outputs for x in items.get(y.number, ()))) for each in kept
        )
        found = (one for each in with_items for one in each)
        return graph.changed([x for x in found if not _is_item(x) or x.outputs[0].number in needed])

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


class _Body:
    """The first of some rounds, as it becomes the body of a loop."""

    def __init__(self, folding: _Folding, rounds: Rounds) -> None:
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


def _is_item(each: Instruction) -> bool:
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
