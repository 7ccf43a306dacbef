"""Where the arrays of a region are in memory: those of the caller, and those in scratch memory."""

from __future__ import annotations

from collections import defaultdict
from math import prod

from dezero_replay.passes.rounds import Counter
from dezero_replay.tape.instructions import Value

from .ir import I64, Function, V
from .nest import is_stored
from .nests import Schedule
from .steps import Array

_ALIGNED = 64
"""Arrays of so many bytes or more begin at a multiple of it."""


class Memory:
    """The places of arrays: in the table of addresses that each function gets, or in the scratch.

    The table has the addresses of the `arguments`, of the scratch memory, and of the `numbers`.
    """

    def __init__(self, arguments: list[Value], numbers: list[Value], schedule: Schedule) -> None:
        #: Place of the address of the scratch memory, in the table.
        self.scratch = len(arguments)
        #: Number of a Value -> place in the table.
        self.slots = {value.number: n for n, value in enumerate(arguments)}
        for n, value in enumerate(numbers):
            self.slots[value.number] = self.scratch + 1 + n
        #: Number of a Value -> place in the scratch memory.
        self.offsets: dict[int, int] = {}
        self.scratch_bytes = 0
        #: Places of the counters of the loops around it, in the table.
        self.counters: dict[Counter, int] = {}
        #: Where a long run keeps the state of the thread, and whether it was interrupted: in the
        #: scratch memory; in the body of a loop, the place of the address in the table.
        self.signals: int | None = None
        self.signals_slot: int | None = None
        self._place(schedule)

    def room(self, size: int) -> int:
        """Return a new place in the scratch memory, for so many bytes."""
        unit = _ALIGNED if size >= _ALIGNED else 8
        place = -(-self.scratch_bytes // unit) * unit
        self.scratch_bytes = place + size
        return place

    def _place(self, schedule: Schedule) -> None:
        """Find a place for each array that only the region sees: its own, or that of a dead one."""
        free: defaultdict[int, list[int]] = defaultdict(list)
        stored = schedule.stored
        ends: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for index, nest in enumerate(schedule.nests):
            for out in [out for step in nest.steps for out in step.outs]:
                number = out.root.number
                if number in self.slots or number in self.offsets or not is_stored(out, stored):
                    continue
                size = -(-prod(out.root.shape or ()) * out.dtype.itemsize // 8) * 8
                place = free[size].pop() if free[size] else self.room(size)
                self.offsets[number] = place
                ends[schedule.last[number]].append((size, place))
            for size, place in ends[index]:
                free[size].append(place)


class Bases:
    """Addresses from the table that a function gets; each is read once.

    `given` has those that it gets as parameters.
    """

    def __init__(
        self, memory: Memory, f: Function, table: V, given: dict[Array, V] | None = None
    ) -> None:
        self._memory, self._f, self._table, self._given = memory, f, table, given or {}
        self._read: dict[int, V] = {}

    def _slot(self, number: int) -> V:
        if number not in self._read:
            self._read[number] = self._f.load(self._f.add(self._table, 8 * number), I64)
        return self._read[number]

    def of(self, x: Array) -> V:
        """Return the address of an array."""
        if x in self._given:
            return self._given[x]
        number, memory = x.root.number, self._memory
        slot = memory.slots.get(number)
        at = self.scratch(memory.offsets[number]) if slot is None else self._slot(slot)
        for counter, step in x.moves:
            moved = self._f.times(self.counter(counter), step)
            at = self._f.add(at, moved)
        return self._f.add(at, x.offset)

    def signals(self) -> V:
        """Return where a long run keeps the state of the thread, and whether it was interrupted."""
        slot = self._memory.signals_slot
        return self.scratch(self._memory.signals or 0) if slot is None else self._slot(slot)

    def counter(self, counter: Counter) -> V:
        """Return the number of the present round of a loop around."""
        return self._slot(self._memory.counters[counter])

    def scratch(self, offset: int) -> V:
        """Return an address in the scratch memory."""
        return self._f.add(self._slot(self._memory.scratch), offset)

    def room(self, size: int) -> V:
        """Return the address of new room in the scratch memory."""
        return self.scratch(self._memory.room(size))
