"""Which calls of a program become machine code, and which NumPy makes."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from dezero_replay.graph import Graph
from dezero_replay.tape import Guard, Instruction, Value, as_array

from .machine import Machine
from .region import NotNative, Product, Region


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
        root = self.region.arrays[value.number].root
        return (
            each.call is as_array
            and root.kind is not np.ndarray
            and self.region.makes(root)
            and all(self.region.arrays[x.number].root is not root for x in self._arrays())
        )

    def _arrays(self) -> list[Value]:
        return [value for value in self.wanted if value.kind is np.ndarray]


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
        self._region = Region(machine, graph.constants)
        for each in graph.instructions:
            if self._region.is_full:
                self._close()
            try:
                if id(each) in left:
                    raise NotNative(left[id(each)])
                self._region.take(each)
            except NotNative as why:
                self._numpys(each, str(why))
        self._close()
        self._expose()

    def _numpys(self, each: Instruction, why: str) -> None:
        # A call that may raise an error must not come before a guard that would have prevented it.
        guarded = self._region.guards and type(each.call) is not np.ufunc
        if guarded or any(self._region.makes(x) for x in each.reads()):
            self._close()
        self.parts.append(each)
        self.reasons.append((each, why))

    def _close(self) -> None:
        region = self._region
        if _pays(region):
            self.parts.append(Part(region))
        else:
            self.parts += region.instructions
            self.reasons += [
                (each, "one call alone gets no faster") for each in region.instructions
            ]
        self._region = Region(self._machine, self.graph.constants)

    def _expose(self) -> None:
        needed = {value.number for value in self.graph.wanted}
        parts, self.parts = self.parts, []
        for part in reversed(parts):
            found = [part]
            if isinstance(part, Part):
                part.expose(needed)
                if not part.wanted:
                    found = part.region.instructions
                needed.update(value.number for value in part.region.inputs)
            else:
                needed.update(value.number for value in part.reads())
            self.parts[:0] = found
        if self.is_whole():
            self.parts[0].wanted = list(self.graph.wanted)

    def is_whole(self) -> bool:
        """Return whether one region gives all results."""
        if len(self.parts) != 1 or not isinstance(part := self.parts[0], Part) or part.views:
            return False
        return all(map(part.region.makes, self.graph.wanted))


def _pays(region: Region) -> bool:
    """Return whether machine code is faster than NumPy: for products, and for several calls."""
    if any(isinstance(step, Product) for step in region.steps):
        return True
    calls = [each for each in region.instructions if type(each) is not Guard]
    return len(calls) > 1 and bool(region.steps)
