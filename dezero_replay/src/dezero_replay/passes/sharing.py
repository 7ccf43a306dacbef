"""Results of loops that share memory with others: users may write into one of them.

In eager code, a view and the array that it is a view of share memory. NumPy's replay makes the same
objects. Machine code writes each result of a loop into memory of its own.
"""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

import numpy as np

from ..tape.instructions import Instruction, Value
from .aliasing import RESHAPES, VIEW, escaping, relation
from .rounds import Loop


class _Memory(NamedTuple):
    """Whose memory a result of a loop is: an array that was made some rounds before."""

    root: int
    before: int


def gives_copies(each: Instruction, users: Set[int]) -> bool:
    """Return whether a loop gives users copies, if each of its results has memory of its own.

    `users` are the numbers of the Values whose memory users get. In eager code, an array that they
    get is a view of another one, or was there before the loop.
    """
    loop: Loop = each.call
    body = loop.body
    results = zip(body.wanted, each.outputs, strict=True)
    given = [n for n, (x, y) in enumerate(results) if y.number in users and x.kind is np.ndarray]
    memories: list[_Memory] = []
    for n in given:
        memory = _memory_of(body.wanted[n], loop)
        if memory is None or (memory.before and n in loop.collected):
            return True
        memories.append(memory)
    roots = [memory.root for memory in memories]
    lists = [root for n, root in zip(given, roots, strict=True) if n in loop.collected]
    if len({*memories}) < len(memories) or any(roots.count(root) > 1 for root in lists):
        return True
    inside = escaping(body.instructions, [body.wanted[n] for n in given])
    return any(type(one.call) is Loop and gives_copies(one, inside) for one in body.instructions)


def _memory_of(x: Value, loop: Loop) -> _Memory | None:
    """Return whose memory an array in a body is; None if it was there before the loop."""
    body = loop.body
    makers = {y.number: one for one in body.instructions for y in one.outputs}
    given = zip([value.number for value in body.inputs], body.wanted[: loop.carried], strict=False)
    following, before = dict(given), 0
    while before < loop.rounds:
        maker = makers.get(x.number)
        if maker is not None and (relation(maker) == VIEW or maker.call in RESHAPES):
            x = maker.args[0]
        elif maker is not None:
            return _Memory(x.number, before)
        elif x.number in following:  # it was made in the round before
            x, before = following[x.number], before + 1
        else:
            break
    return None
