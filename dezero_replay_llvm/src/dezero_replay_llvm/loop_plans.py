"""Which loops a nest becomes: their order, the length of vectors, chunks, and totals of sums."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from .machine import Machine
from .memory import Memory
from .nest import Nest, is_stored
from .steps import Array, Reduction, Step, Whole

RUN = 8
"""So many vectors are summed before the sum is added to the total, which is kept in two numbers."""

CHUNKS = 16
"""The number of parts of a long nest."""

LONG = 2**16
"""A nest of so many elements or more is cut into parts."""

LARGEST = 500
"""The most steps of a function: the time of compilation grows faster than they do."""

TOTAL_BYTES = 16
"""Of a total in two numbers: the sum, and what rounding lost of it."""


@dataclass(eq=False)
class Axis:
    """A loop: how often it turns, and how far it moves what is in memory."""

    n: int
    #: By access, or by reduction of which the total is in two numbers: bytes.
    strides: dict[Any, int]
    #: The reductions that join the elements along this axis.
    joined: set[Reduction]


class LoopPlan:
    """The loops of a nest of `Map` and `Reduction` steps.

    A long nest is cut into `CHUNKS` parts, which threads can share. The cuts are the same for any
    number of threads, and so are the bits.

    The roots with the numbers in `stored`, and the patches in it, have to be in memory.
    """

    def __init__(self, nest: Nest, machine: Machine, stored: set[Any], memory: Memory) -> None:
        self.nest = nest
        self.steps = [step for step in nest.steps if not isinstance(step, Whole)]
        self.reductions = [step for step in self.steps if isinstance(step, Reduction)]
        self.accesses = accesses(nest, stored)
        written = [step.out for step in self.steps if not isinstance(step, Reduction)]
        #: Whether an element is read before it is written anew: it must not be computed once more.
        self.rewrites = any(self.accesses.get(x, False) for x in written)
        #: The outermost first.
        self.axes = self._axes()
        #: How long the vectors are: 0 for single numbers.
        self.lanes = self._lanes(machine)
        #: The reductions of which the innermost loop joins the elements.
        self.inner = [x for axis in self.axes[-1:] for x in self.reductions if x in axis.joined]
        #: Those among them that sum floating-point numbers.
        self.sums = [x for x in self.inner if x.function is np.add and x.out.dtype.kind == "f"]
        #: For each reduction of which the total is in two numbers, since parts are joined: the
        #: bytes of its totals, of one chunk.
        self.totals = self._totals()
        #: The number of turns of the outermost loop in a chunk; 0 if the nest is not cut.
        self.chunk = self._chunk()
        #: The bytes of all totals: of each chunk, where these are joined.
        self.rooms = {
            each: size * (CHUNKS + 1 if self.chunk and each in self.axes[0].joined else 1)
            for each, size in self.totals.items()
        }
        #: Where they are in the scratch memory.
        self.places = {each: memory.room(size) for each, size in self.rooms.items()}
        #: For each access, and each total: one that all loops move as far; None if none moves it.
        self.leaders = self._leaders()
        #: Those among them.
        self.movable = [x for x in dict.fromkeys(self.leaders.values()) if x is not None]
        #: The parts into which the steps are cut, or nothing.
        self.pieces = self._pieces()
        #: For each array of which several pieces need a vector: the first of these.
        self.first: dict[Array, int] = {}
        #: The places in the frame of these vectors, and of those in which `inner` ones are joined.
        self.slots: dict[Any, int] = {}
        #: The bytes of the frame, of one chunk.
        self.frame_bytes = self._place_in_frame()
        #: Where it is in the scratch memory.
        self.frame = memory.room(self.frame_bytes * (CHUNKS + 1 if self.chunk else 1))

    def innermost(self, x: Array) -> int:
        """Return how many bytes there are from one element of a vector to the next."""
        return self.axes[-1].strides[x] if self.axes else 0

    def is_split(self, n: int) -> bool:
        """Return whether the innermost loop is cut into runs if it turns so often."""
        return bool(self.sums) and n > RUN * self.lanes

    def is_written_once(self, each: Reduction) -> bool:
        """Return whether the result of a reduction is there after one run, and not added to."""
        return not self.axes or (each in self.inner and not self._is_parted(each))

    def _is_parted(self, each: Reduction) -> bool:
        """Return whether the innermost loop comes to parts of a result alone."""
        *outer, innermost = self.axes
        return any(each in axis.joined for axis in outer) or self.is_split(innermost.n)

    def _axes(self) -> list[Axis]:
        """Return the loops: those over memory in order are joined to one."""
        shape, inner = self.nest.shape, self.nest.inner
        strides = {x: x.broadcast(shape) for x in self.accesses}

        def order(number: int) -> tuple[bool, int]:
            return number == inner, -sum(abs(each[number]) for each in strides.values())

        axes: list[Axis] = []
        for number in sorted((number for number, n in enumerate(shape) if n != 1), key=order):
            axis = Axis(
                shape[number],
                {x: each[number] for x, each in strides.items()},
                {each for each in self.reductions if number in each.axes},
            )
            whole = {x: axis.n * stride for x, stride in axis.strides.items()}
            if axes and (axes[-1].joined, axes[-1].strides) == (axis.joined, whole):
                axes[-1] = replace(axis, n=axes[-1].n * axis.n)
            else:
                axes.append(axis)
        return axes

    def _lanes(self, machine: Machine) -> int:
        if not self.axes:
            return 0
        dtypes = {x.dtype for step in self.steps for x in (step.out, *step.operands)}
        dtypes.update(*[step.dtypes for step in self.steps])
        widest = max([dtype.itemsize for dtype in dtypes if dtype.kind != "b"], default=1)
        # A shorter vector would be divided as one of 16 bytes, and the filling would raise flags.
        least = 16 // min([dtype.itemsize for dtype in dtypes if dtype.kind == "f"], default=8)
        most = max(machine.lanes(widest), least)
        lanes = min(most, 1 << (self.axes[-1].n.bit_length() - 1))
        return lanes if lanes >= least else 1

    def _totals(self) -> dict[Reduction, int]:
        """Return the bytes of totals in two numbers, which are moved by strides as arrays are."""
        found = {}
        for each in self.sums:
            if self._is_parted(each):
                found[each] = TOTAL_BYTES
                for axis in reversed(self.axes):
                    axis.strides[each] = 0 if each in axis.joined else found[each]
                    found[each] *= 1 if each in axis.joined else axis.n
        return found

    def _chunk(self) -> int:
        if math.prod(self.nest.shape) < LONG:
            return 0
        if not self.axes[0].joined <= self.totals.keys():
            return 0  # two threads would write to one total
        unit = RUN * self.lanes if len(self.axes) == 1 else 1
        return self.axes[0].n // (CHUNKS * unit) * unit

    def _leaders(self) -> dict[Any, Any]:
        first: dict[tuple[int, ...], Any] = {}
        found: dict[Any, Any] = {each: each for each in self.totals}  # chunks move it, too
        for x in self.accesses:
            strides = tuple([axis.strides[x] for axis in self.axes])
            found[x] = first.setdefault(strides, x) if any(strides) else None
        return found

    def _pieces(self) -> list[list[Step]]:
        # What one piece has in a register, another one might write.
        count = 1 if self.rewrites else -(-len(self.steps) // LARGEST)
        cuts = [len(self.steps) * n // count for n in range(count + 1)]
        return [self.steps[a:b] for a, b in pairwise(cuts)] if count > 1 else []

    def _place_in_frame(self) -> int:
        """Find places for the vectors that several pieces need; return the bytes of all."""
        last: dict[Array, int] = {}
        for n, piece in enumerate(self.pieces):
            for step in piece:
                read = [x for x in step.operands if isinstance(x, Array)]
                for x in (*read, step.out) if self.nest.has(step.out) else read:
                    self.first.setdefault(x, n)
                    last[x] = n
        size = 8 * max(self.lanes, 1)
        count = len(self.inner) if self.pieces else 0
        self.slots.update((each, size * n) for n, each in enumerate(self.inner[:count]))
        free: list[int] = []
        ends: list[list[int]] = [[] for _ in self.pieces]
        now = 0
        for x, n in self.first.items():  # in the order of the pieces
            while now < n:
                free += ends[now]
                now += 1
            if n < last[x]:
                if not free:
                    free, count = [size * count], count + 1
                self.slots[x] = free.pop()
                ends[last[x]].append(self.slots[x])
        return size * count


def accesses(nest: Nest, stored: set[Any]) -> dict[Array, bool]:
    """Return the arrays of which a nest reads or writes elements in memory -> whether it reads."""
    found: dict[Array, bool] = {}
    for step in nest.steps:
        read = [x for x in step.operands if isinstance(x, Array) and not nest.has(x)]
        found.update(dict.fromkeys(read, True))
        if is_stored(step.out, stored):
            found.setdefault(step.out, False)
    return found
