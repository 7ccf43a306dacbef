"""Where the arrays of a region are in memory: those of the caller, and those in scratch memory."""

from __future__ import annotations

from collections import defaultdict
from math import prod

from dezero_replay.tape.instructions import Value

from .ir import I64, Function, V
from .nests import Schedule
from .steps import Array

_ALIGNED = 64


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
        self._place(schedule)

    def room(self, size: int) -> int:
        """Return a new place in the scratch memory, for so many bytes."""
        place = self.scratch_bytes
        self.scratch_bytes += _rounded(size)
        return place

    def _place(self, schedule: Schedule) -> None:
        """Find a place for each array that only the region sees: its own, or that of a dead one."""
        free: defaultdict[int, list[int]] = defaultdict(list)
        ends: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for index, nest in enumerate(schedule.nests):
            for out in [step.out for step in nest.steps]:
                number = out.root.number
                if number in self.slots or number in self.offsets or number not in schedule.stored:
                    continue
                size = _rounded(prod(out.shape) * out.dtype.itemsize)
                place = free[size].pop(0) if free[size] else self.room(size)
                self.offsets[number] = place
                ends[schedule.last[number]].append((size, place))
            for size, place in ends[index]:
                free[size].append(place)


class Bases:
    """Addresses from the table that a function gets; each is read once."""

    def __init__(self, memory: Memory, f: Function, table: V) -> None:
        self._memory, self._f, self._table = memory, f, table
        self._read: dict[int, V] = {}

    def _slot(self, number: int) -> V:
        if number not in self._read:
            self._read[number] = self._f.load(self._f.add(self._table, 8 * number), I64)
        return self._read[number]

    def of(self, x: Array) -> V:
        """Return the address of an array."""
        number, memory = x.root.number, self._memory
        slot = memory.slots.get(number)
        root = self.scratch(memory.offsets[number]) if slot is None else self._slot(slot)
        return self._f.add(root, x.offset)

    def scratch(self, offset: int) -> V:
        """Return an address in the scratch memory."""
        return self._f.add(self._slot(self._memory.scratch), offset)

    def room(self, size: int) -> V:
        """Return the address of new room in the scratch memory."""
        return self.scratch(self._memory.room(size))


def _rounded(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED
