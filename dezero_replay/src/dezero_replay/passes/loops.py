"""The pass that finds what repeats: calls that come again and again become a loop.

The rounds of a run that are alike become a loop. They are alike if each operand is the same in all
rounds, or made in this round or one before, or the next item of a list; and if the numbers among
the arguments are the same, or grow by a fixed step. Rounds at the ends of a run that are not alike
stay as they are. Loops in loops are found from the inside to the outside.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..tape.instructions import Instruction, Template
from ..tape.rows import rows_of
from .aliasing import VIEW, relation
from .graph import Graph, inlined
from .loop_bodies import Body, Folding, is_item
from .runs import Rounds, alike, runs

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
        found = _folded(graph)
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
    rows = rows_of(graph.instructions)
    lengths = [
        len(each.call.instructions) if type(each.call) is Template else 1 for each in rows.models()
    ]
    made = (y for each in rows.models() for y in each.outputs)
    calls = np.dot(np.unique(rows.kinds, return_counts=True)[1], lengths)
    return calls <= _SHORT and all(prod(y.shape or ()) <= _SMALL for y in made)


def _folded(graph: Graph) -> Graph | None:
    """Return a graph with its runs as loops; None if there are none."""
    folding = Folding(graph)
    kinds = folding.sequence.kinds
    covered, found = np.zeros(len(kinds), bool), []
    for start, period, end in runs(kinds):
        start, end = _longest(covered, start, end)
        rounds = alike(folding.sequence, start, period, end)
        if rounds is not None and not _is_of_views(graph, rounds):
            covered[rounds.start : rounds.end] = True
            found.append(rounds)
    loops: dict[int, tuple[int, Instruction]] = {}
    for rounds in sorted(found, key=lambda each: each.start):
        loop = Body(folding, rounds).loop()
        if loop is not None:
            loops[rounds.start] = rounds.end, loop
    return _with(folding, loops) if loops else None


def _is_of_views(graph: Graph, rounds: Rounds) -> bool:
    """Return whether rounds make views or items alone, which those take who need them."""
    body = map(rows_of(graph.instructions).model, range(rounds.start, rounds.start + rounds.period))
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


def _longest(covered: Any, start: int, end: int) -> tuple[int, int]:
    """Return the longest part of a range that no loop covers."""
    edges = np.flatnonzero(np.concatenate([[True], covered[start:end], [True]]))
    longest = int(np.argmax(np.diff(edges)))
    return start + int(edges[longest]), start + int(edges[longest + 1]) - 1
