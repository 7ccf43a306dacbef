"""Which calls of a program become machine code, and which NumPy makes."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from dezero_replay.passes.graph import Graph
from dezero_replay.passes.passes import draws
from dezero_replay.passes.rounds import every_call
from dezero_replay.tape.instructions import Guard, Instruction, Value, as_array

from .copies import without_copies
from .machine import Machine
from .region import Region
from .rounds import RegionWithLoops
from .splitting import split
from .steps import NotNative, Whole

ALONE = "one call alone gets no faster"


@dataclass(eq=False)
class Part:
    """A region, with the results that other calls need."""

    region: Region
    #: Results that later calls or the caller read.
    wanted: list[Value] = field(default_factory=list)
    #: Calls that make views of them for other calls: NumPy makes these calls again.
    views: list[Instruction] = field(default_factory=list)

    def expose(self, needed: set[int]) -> None:
        """Find the results among `needed`, the numbers of Values that are read outside."""
        region = self.region
        for each in reversed(region.instructions):
            for value in each.outputs:
                if value.number not in needed:
                    continue
                if region.is_view(value) and not self._is_array_of_number(each, value):
                    self.views.insert(0, each)
                    needed.update(x.number for x in each.reads())
                else:
                    self.wanted.insert(0, value)
        if not self.wanted:  # a region of guards alone needs a result to be a call
            made = [value for each in region.instructions for value in each.outputs]
            whole = [value for value in made if not region.is_view(value)]
            self.wanted = sorted(whole, key=lambda value: prod(value.shape or ()))[:1]

    def _is_array_of_number(self, each: Instruction, value: Value) -> bool:
        """Return whether a Value is an array of a number that the region computes, and the first.

        The memory in which the region stores the number is this array.
        """
        arrays = self.region.arrays
        root = arrays[value.number].root
        taken = [arrays[x.number].root for x in self.wanted if x.kind is np.ndarray]
        is_of_number = each.call is as_array and root.kind not in (np.ndarray, list)
        return is_of_number and self.region.makes(root) and root not in taken


class Partition:
    """The calls of a graph in the order in which they run: regions, and calls of NumPy's.

    `left` has the id of each instruction that is to stay with NumPy, and why.
    """

    def __init__(self, graph: Graph, machine: Machine, left: dict[int, str]) -> None:
        self.graph, self._machine = graph, machine
        #: Each is a `Part`, or an Instruction.
        self.parts: list[Any] = []
        #: The calls that NumPy makes, and the reasons.
        self.reasons: list[tuple[Instruction, str]] = []
        self._runs_again = not any(map(draws, every_call(graph.instructions)))
        self._region = self._new_region()
        for each in graph.instructions:
            try:
                if id(each) in left:
                    raise NotNative(left[id(each)])
                self._region.take(each)
            except NotNative as why:
                # A call that may raise an error must not come before a guard that would have
                # prevented it.
                guarded = self._region.guards and type(each.call) is not np.ufunc
                if guarded or any(self._region.makes(x) for x in each.reads()):
                    self._close()
                self.parts.append(each)
                self.reasons.append((each, str(why)))
        self._close()
        self._expose()
        for part in self.parts:
            if isinstance(part, Part):
                split(part.region, part.wanted)
                without_copies(part.region, part.wanted)

    def _close(self) -> None:
        """End the region: it is a part if machine code is faster than NumPy."""
        region = self._region
        is_long = any(isinstance(step, Whole) for step in region.steps)
        calls = [each for each in region.instructions if type(each) is not Guard]
        makes = [y for each in calls for y in each.outputs if not region.is_view(y)]
        if is_long or (len(calls) > 1 and makes):
            self.parts.append(Part(region))
        else:
            self.parts += region.instructions
            self.reasons += [(each, ALONE) for each in region.instructions]
        self._region = self._new_region()

    def _new_region(self) -> Region:
        return RegionWithLoops(self._machine, self.graph.constants, self._runs_again)

    def _expose(self) -> None:
        needed = {value.number for value in self.graph.wanted}
        parts, self.parts = self.parts, []
        for part in reversed(parts):
            is_region = isinstance(part, Part)
            if is_region:
                part.expose(needed)
            reads = part.region.inputs if is_region else part.reads()
            needed.update(value.number for value in reads)
            self.parts[:0] = part.region.instructions if is_region and not part.wanted else [part]
        if self.is_whole():
            self.parts[0].wanted = list(self.graph.wanted)

    def is_whole(self) -> bool:
        """Return whether one region gives all results."""
        if len(self.parts) != 1 or not isinstance(part := self.parts[0], Part) or part.views:
            return False
        return all(map(part.region.makes, self.graph.wanted))
