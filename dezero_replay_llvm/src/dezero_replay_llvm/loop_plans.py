"""Which loops a nest becomes: their order, the length of vectors, chunks, and totals of sums."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .machine import Machine
from .memory import Memory
from .nests import Nest
from .steps import Array, Product, Reduction

RUN = 8
"""So many vectors are summed before the sum is added to the total, which is kept in two numbers."""

CHUNKS = 16
"""The number of parts of a long nest."""

_LONG = 2**16
"""A nest of so many elements or more is cut into parts."""

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

    The roots with the numbers in `stored` have to be in memory.
    """

    def __init__(self, nest: Nest, machine: Machine, stored: set[int], memory: Memory) -> None:
        self.nest = nest
        self.steps = [step for step in nest.steps if not isinstance(step, Product)]
        self.reductions = [step for step in self.steps if isinstance(step, Reduction)]
        #: Everything in memory that an element is read from, or written to -> whether it is read.
        self.accesses: dict[Array, bool] = {}
        for step in self.steps:
            read = [x for x in step.operands if isinstance(x, Array) and not nest.has(x)]
            self.accesses.update(dict.fromkeys(read, True))
            if step.out.root.number in stored:
                self.accesses.setdefault(step.out, False)
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
        if math.prod(self.nest.shape) < _LONG:
            return 0
        if not self.axes[0].joined <= self.totals.keys():
            return 0  # two threads would write to one total
        unit = RUN * self.lanes if len(self.axes) == 1 else 1
        return self.axes[0].n // (CHUNKS * unit) * unit
