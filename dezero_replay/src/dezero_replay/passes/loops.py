"""The pass that finds what repeats: calls that come again and again become a loop.

The rounds of a run that are alike become a loop. They are alike if each operand is the same in all
rounds, or made in this round or one before, or the next item of a list; and if the numbers among
the arguments are the same, or grow by a fixed step. Rounds at the ends of a run that are not alike
stay as they are. Loops in loops are found from the inside to the outside.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from math import inf, prod
from typing import Any

import numpy as np

from ..tape.instructions import Instruction, Template
from ..tape.rows import rows_of
from .aliasing import VIEW, relation
from .graph import Graph, inlined
from .loop_bodies import Body, Folding, NotAlikeError, is_item
from .ordering import by_need
from .rounds import Counter, Loop
from .runs import LEAST_ROUNDS, Rounds, alike, runs

_DEEPEST = 8
"""Loops in each other are looked for so often: each search takes n log n steps."""

LEAST_SAVED = 40
"""Loops with the same calls take the place of so many instructions more than their own."""

_LONG = 400
"""With more calls outside of loops, another order of the way back may be one with more loops."""

_SHORT, _SMALL = 8000, 64
"""A program of so few calls, on arrays of so few elements, is faster without loops."""


def with_loops(graph: Graph, small: bool = False, least: int | None = None) -> Graph:
    """Return a graph that does the same, with what repeats as loops.

    One that may become arithmetic of single numbers, call by call, has loops only if `small` says
    so. Loops with the same calls save `least` calls, by default `LEAST_SAVED`.
    """
    if small or not _is_small(graph):
        graph = _shorter(graph, LEAST_SAVED if least is None else least)
    calls: list[Instruction] = []
    seen: set[Template] = set()
    for each in graph.instructions:
        calls += inlined(graph, each, each.call in seen)
        if type(each.call) is Template:
            seen.add(each.call)
    return graph.changed(calls)


def _shorter(graph: Graph, least: int) -> Graph:
    """Return a graph with loops, in the order of the way back in which more of it is in loops."""
    found = _without_chance(graph, least)
    if len(found.instructions) <= max(_LONG, len(graph.instructions) // 4):
        return found
    ordered = by_need(graph)
    other = found if ordered is None else _without_chance(ordered, least)
    return other if 2 * len(other.instructions) < len(found.instructions) else found


def _without_chance(graph: Graph, least: int) -> Graph:
    """Return a graph with loops, but for those that save little and are in no other one.

    Many calls in a row that are alike by chance, all together, would seem to save enough.
    """
    found, places = _in_loops(graph, least, set())
    alone = {places.get(each.call.counter) for each in found.instructions if _saves(each) < least}
    alone.discard(None)  # it was found in a later pass
    return _in_loops(graph, least, alone)[0] if alone else found


def _in_loops(graph: Graph, least: int, refused: set[Any]) -> tuple[Graph, dict[Counter, Any]]:
    """Return a graph with loops, but for those at `refused` places, and the places of the others.

    A place is where a loop that is in no other one begins, and its period.
    """
    places: dict[Counter, Any] = {}
    for number in range(_DEEPEST):
        found = _folded(graph, least, {} if number else places, set() if number else refused)
        if found is None or len(found.instructions) >= len(graph.instructions):
            break  # the items of a new list may be as many as the calls that make them
        graph = found
    return graph, places


def _saves(each: Instruction) -> float:
    """Return how many calls a loop saves; infinitely many for a call that is no loop."""
    is_loop = type(each.call) is Loop
    return (each.call.rounds - 1) * (_weight(each) - 1) if is_loop else inf


def _is_small(graph: Graph) -> bool:
    """Return whether a program may become arithmetic of single numbers, call by call."""
    rows = rows_of(graph.instructions)
    lengths = [
        len(each.call.instructions) if type(each.call) is Template else 1 for each in rows.models()
    ]
    made = (y for each in rows.models() for y in each.outputs)
    calls = np.dot(np.unique(rows.kinds, return_counts=True)[1], lengths)
    return calls <= _SHORT and all(prod(y.shape or ()) <= _SMALL for y in made)


def _folded(
    graph: Graph, least: int, places: dict[Counter, Any], refused: set[Any]
) -> Graph | None:
    """Return a graph with its runs as loops, and add their places; None if there are none."""
    folding = Folding(graph)
    while found := _chosen(folding, least, refused):
        loops: dict[int, tuple[int, Instruction]] = {}
        for rounds in found:
            made = _loops(folding, rounds)
            places.update(
                (each.call.counter, (at, rounds.period)) for at, (_, each) in made.items()
            )
            loops |= made
        if loops:
            return _with(folding, loops)
        refused.update((rounds.start, rounds.period) for rounds in found)
    return None


def _loops(folding: Folding, rounds: Rounds) -> dict[int, tuple[int, Instruction]]:
    """Return the loops that some rounds become: where each begins, where it ends, and it.

    They are several if the items that the rounds take are of several lists, one behind the other.
    """
    found: dict[int, tuple[int, Instruction]] = {}
    waiting = [rounds]
    while waiting:
        rounds = waiting.pop()
        if rounds.number < LEAST_ROUNDS:
            continue
        try:
            found[rounds.start] = rounds.end, Body(folding, rounds).loop()
        except NotAlikeError as error:
            cuts = rounds.number, error.last, error.first, 0
            parts = [rounds.part(first, last) for last, first in pairwise(cuts)]
            waiting += parts if error.last else []
    return found


def _chosen(folding: Folding, least: int, refused: set[Any]) -> list[Rounds]:
    """Return the rounds that are to become loops, in their order.

    Those of short periods come first, and no other ones may be where they are. Loops with the same
    calls have to save `least` instructions, all together; else they are `refused`.
    """
    sequence, kinds = folding.sequence, folding.sequence.kinds
    weights = sequence.of_kinds(_weight)
    while True:
        is_free, found = np.ones(len(kinds), bool), list[Rounds]()
        saved: dict[Any, int] = defaultdict(int)
        for start, period, end in runs(kinds):
            edges = np.flatnonzero(np.diff(is_free[start:end], prepend=False, append=False)) + start
            for first, last in edges.reshape(-1, 2).tolist():
                for rounds in alike(sequence, first, period, last):
                    key = _calls_of(rounds, kinds)
                    if {key, (rounds.start, period)} & refused or _is_of_views(folding, rounds):
                        continue
                    is_free[rounds.start : rounds.end] = False
                    found.append(rounds)
                    saved[key] += (rounds.number - 1) * int(sum(weights[rounds.body]))
        few = {key for key, number in saved.items() if number < least}
        if not few:
            return sorted(found, key=lambda each: each.start)
        refused |= few


def _calls_of(rounds: Rounds, kinds: Any) -> Any:
    """Return a key that rounds with the same calls share, wherever they begin."""
    return np.sort(kinds[rounds.body]).tobytes()


def _weight(each: Instruction) -> int:
    """Return how many calls a call stands for."""
    return 1 + sum(map(_weight, each.call.body.instructions)) if type(each.call) is Loop else 1


def _is_of_views(folding: Folding, rounds: Rounds) -> bool:
    """Return whether rounds make views or items alone, which those take who need them."""
    rows = folding.sequence.rows
    body = map(rows.model, range(len(rows))[rounds.body])
    return all(relation(each) == VIEW or is_item(each) for each in body)


def _with(folding: Folding, loops: dict[int, tuple[int, Instruction]]) -> Graph:
    """Return the graph with loops, by position, and without items of lists that nobody needs."""
    graph, sequence = folding.graph, folding.sequence
    rows, found = sequence.rows, sequence.rows.others()
    is_kept = np.ones(len(rows), bool)
    for start, (end, _) in loops.items():
        is_kept[start:end] = False
    needed = {value.number for value in graph.wanted}
    needed.update(sequence.operands[is_kept[folding.readers]].tolist())
    needed.update(x.number for _, loop in loops.values() for x in loop.reads())
    are_items = np.flatnonzero(is_kept & sequence.of_kinds(is_item))
    made = sequence.numbers_at(0, are_items)
    is_kept[are_items] = np.isin(made, np.array([*needed], np.int64))
    edges = np.flatnonzero(np.diff(is_kept, prepend=False, append=False))
    parts = [(first, last) for first, last in edges.reshape(-1, 2).tolist()]
    for start, end in sorted([*parts, *((start, -1) for start in loops)]):
        if end >= 0:
            found.take(rows, start, end)
            continue
        found.append(loops[start][1])
        folding.add_items(found, start, needed)
    return graph.changed(found)
