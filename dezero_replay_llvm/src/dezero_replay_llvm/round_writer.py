"""Loops of a program in machine code: a loop around the code of the body.

The body has a table of addresses of its own, in which the addresses of what is carried or collected
change from round to round.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

from .ir import BYTE, I32, I64, Function, V, i64, literal
from .memory import Bases, Memory
from .steps import Rounds

LONG_LOOP = 20_000_000
"""About so many elements take ten milliseconds or more: Python handles signals meanwhile."""


class RoundsWriter:
    """Writes a loop into a function of the table, given what writes a call of its body."""

    def __init__(self, step: Rounds, memory: Memory, body: Any, f: Function, bases: Bases) -> None:
        self._step, self._memory, self._body = step, memory, body
        self._f, self._bases = f, bases
        self._table = f.space(memory.scratch + 2 + len(memory.counters))

    def _set(self, slot: int, address: V) -> None:
        self._f.store(address, self._f.add(self._table, 8 * slot))

    def write(self) -> None:
        """Write the loop."""
        f, step, bases, memory = self._f, self._step, self._bases, self._memory
        loop, slots = step.loop, memory.slots
        for value, x in list(zip(step.inputs, step.operands, strict=True))[loop.carried :]:
            self._set(slots[value.number], bases.of(x))
        self._set(memory.scratch, bases.room(memory.scratch_bytes))
        for counter, slot in memory.counters.items():
            if counter is not loop.counter:
                self._set(slot, bases.counter(counter))
        results = step.outs[: len(step.wanted)]
        places = [bases.of(out) for out in results]
        moving = [n for n in range(loop.carried) if step.inputs[n] is not step.wanted[n]]
        carried = [x for n in moving for x in self._buffers(n, places[n])]
        for n, value in enumerate(step.wanted):
            if n not in loop.collected and n not in moving:
                self._set(slots[value.number], places[n])
        flags = [bases.of(out) for out in step.outs[len(step.wanted) :]]
        for (guard, _), flag in zip(step.body.guards, flags, strict=True):
            f.store(literal(int(guard.expected), BYTE), flag)
        if memory.signals_slot is not None:
            self._set(memory.signals_slot, bases.signals())
        with f.loop(loop.rounds, carried=carried) as turn:
            self._set(memory.counters[loop.counter], turn.index)
            following = []
            for turned, n in enumerate(moving):
                now, to, other = turn.values[3 * turned : 3 * turned + 3]
                self._set(slots[step.inputs[n].number], now)
                self._set(slots[step.wanted[n].number], to)
                following += [to, other, to]
            for n in loop.collected:
                row = f.add(places[n], f.times(turn.index, results[n].strides[0]))
                self._set(slots[step.wanted[n].number], row)
            with self._unless_interrupted(turn.index):
                self._body(f, self._table)
                self._look(flags)
            turn.values = following

    @contextmanager
    def _unless_interrupted(self, index: V) -> Iterator[None]:
        """Let Python handle signals now and then, in a long loop; write what runs if none raises.

        After an interruption the other rounds do nothing.
        """
        f, work = self._f, max(1, self._step.work // self._step.loop.rounds)
        if self._memory.signals is None or self._step.work < LONG_LOOP:
            yield
            return
        state = self._bases.signals()
        interrupted = f.add(state, 8)
        every = max(1, LONG_LOOP // 4 // work)
        since = f.op("urem", index, i64(every))
        with f.when(f.compare("icmp eq", since, i64(0))):
            f.call_void("PyEval_RestoreThread", f.load(state, I64))
            status = f.call("PyErr_CheckSignals", I32)
            f.store(f.call("PyEval_SaveThread", I64), state)
            with f.when(f.compare("icmp ne", status, literal(0, I32))):
                f.store(i64(1), interrupted)
        with f.when(f.compare("icmp eq", f.load(interrupted, I64), i64(0))):
            yield

    def _buffers(self, n: int, place: V) -> list[V]:
        """Return where a carried value is, where the next one is written, and the one after it.

        The last one is written to the place of the result.
        """
        out = self._step.outs[n]
        size = prod(out.shape) * out.dtype.itemsize
        both = [place, self._bases.room(size)]
        if self._step.loop.rounds % 2 == 0:
            both.reverse()
        return [self._bases.of(self._step.operands[n]), *both]

    def _look(self, flags: list[V]) -> None:
        """Note the guards that fail in this round."""
        f = self._f
        bases = Bases(self._memory, f, self._table)
        for (guard, array), flag in zip(self._step.body.guards, flags, strict=True):
            found, before = f.load(bases.of(array), BYTE), f.load(flag, BYTE)
            f.store(f.op("and" if guard.expected else "or", found, before), flag)
