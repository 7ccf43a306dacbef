"""The way back in another order, in which it repeats.

The engine goes back by generations. In a loop that takes two calls for one value and five for
another, the way back of the second one is soon rounds ahead of that of the first one.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..tape.instructions import Draw, Guard, Instruction
from ..tape.opaque import OpaqueBackward, OpaqueForward
from .graph import Graph
from .sequences import OUTPUTS, Sequence

_NEAR = 4
"""A value so few calls behind the results of the way there is made right before it is read."""


def by_need(graph: Graph) -> Graph | None:
    """Return a graph in which a call of the way back runs when the first other one needs it.

    Return None if there is no way back. All calls get the operands of before. Guards, random
    numbers, and calls that no recording can follow keep their order.
    """
    sequence = Sequence(graph)
    back = np.flatnonzero(sequence.of_kinds(_is_of_backward))
    if not len(back):
        return None
    first, rows = int(back[0]), sequence.rows
    makers = (sequence.places // OUTPUTS).tolist()
    operands = [
        [n for n in makers[begin:end] if n >= first]
        for begin, end in pairwise(sequence.first_operand.tolist())
    ]
    lengths = [0] * len(rows)  # of the longest ways to each call from those that stay in place
    for n in range(first, len(rows)):
        lengths[n] = 1 + max([lengths[m] for m in operands[n]], default=0)
    results = [sequence.place_of(value) // OUTPUTS for value in graph.wanted]
    waiting = [*reversed(results), *np.flatnonzero(sequence.of_kinds(_is_fixed))[::-1].tolist()]
    found = rows.others()
    found.take(rows, 0, first)
    is_there = [n < first for n in range(len(rows))]
    while waiting:
        n = waiting.pop()
        if n < 0 or is_there[n]:  # it is given, or two calls need it
            continue
        needed = [m for m in operands[n] if not is_there[m]]
        if needed:
            needed.sort(key=lambda m: lengths[m] <= _NEAR)
            waiting += [n, *reversed(needed)]
        else:
            is_there[n] = True
            found.take(rows, n, n + 1)
    return graph.changed(found)


def _is_of_backward(each: Instruction) -> bool:
    return each.region is not None and each.region.method == "backward"


def _is_fixed(each: Instruction) -> bool:
    return type(each) is Guard or type(each.call) in (Draw, OpaqueForward, OpaqueBackward)
