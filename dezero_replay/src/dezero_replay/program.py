"""A recorded program: simplified, written as Python, and run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from dezero_tools.functional.trees import mapped

from .errors import GuardFailed
from .executors import EXECUTORS, Lowered
from .graph import Graph
from .passes import EARLY, simplified, with_opaque
from .recording import Input, Recording
from .tape import Guard, Instruction, Region, Value, equal

_LARGEST_COMPARED = 65_536
"""Bytes of an array that is compared with its copy at each call."""


class Program:
    """What one recorded way of a function computes.

    Attributes
    ----------
    recording : Recording
    inputs : list of Input
    effects : list of Effect
    results : list of Result
    """

    def __init__(self, recording: Recording) -> None:
        self.tape, self.reached = recording.tape, recording.reached
        self.effects, self.results = recording.effects, recording.results
        self.form = mapped(lambda _: LEAF, recording.result)
        self.wanted = [
            *(each.value for each in self.effects if type(each.value) is Value),
            *(each.value for each in self.results if type(each.value) is Value),
        ]
        self.inputs = [*recording.inputs, *self._captured()]
        self.numbers = {each.where.identity for each in self.inputs if each.kind == "number"}
        self._variants: dict[frozenset[Region], Lowered] = {}
        self._usual: frozenset[Region] = frozenset()
        self._leave_out_unread()
        self.problem = self._problem()
        self.arrays = {each.where.identity for each in self.inputs if each.kind == "array"}

    def _problem(self) -> str:
        """Return why it cannot be replayed; "" if it can."""
        read = {id(each.where) for each in self.inputs}
        for place in self.reached.arrays:
            if id(place) not in read and place.found.nbytes > _LARGEST_COMPARED:
                return (
                    f"it reaches the array {place} of {place.found.nbytes:,} bytes, and computes "
                    "with something made of it: make it an argument, or a Variable"
                )
        return ""

    def _captured(self) -> Iterator[Input]:
        """Yield the captured arrays that are operands: they are read anew in each run."""
        places = {id(place.found): place for place in self.reached.arrays}
        for array, values in self.tape.operands():
            if id(array) in places and len(values) == 1:
                del self.tape.constants[values[0].number]
                yield Input(values[0], array, "array", places[id(array)])

    def _leave_out_unread(self) -> None:
        """Leave out the inputs that nobody reads or writes."""
        inputs = [each.value for each in self.inputs]
        graph = Graph(self.tape.instructions, inputs, self.wanted, self.tape.constants)
        #: What is compared with another recording.
        self.usual = simplified(graph, EARLY)
        used = {value.number for each in self.usual.instructions for value in each.reads()}
        used.update(value.number for value in self.usual.wanted)
        needed = {id(each.target) for each in self.effects if each.kind == "write"}
        needed |= {id(each.value) for each in self.effects}
        self.inputs = [x for x in self.inputs if x.value.number in used or id(x) in needed]
        self.usual.inputs = [each.value for each in self.inputs]

    def _lowered(self, failed: frozenset[Region]) -> Lowered:
        if failed not in self._variants:
            graph = self.usual
            if failed:
                tape = self.tape
                instructions = with_opaque(tape.instructions, failed)
                graph = Graph(instructions, graph.inputs, self.wanted, tape.constants)
            self._variants[failed] = EXECUTORS["numpy"].lower(simplified(graph))
        return self._variants[failed]

    def compute(self, arrays: list[Any]) -> Any:
        """Return the wanted values.

        Raises
        ------
        GuardFailed
            If the user's own code would go another way.
        """
        try:
            return self.run(*arrays)
        except GuardFailed as stop:
            failed, first = self._usual, stop
        while first.region is not None and first.region.first not in failed:
            failed = failed | {first.region.first}
            try:
                return self._lowered(failed).run(*arrays)
            except GuardFailed as stop:
                first = stop
        raise first

    @cached_property
    def run(self) -> Callable[..., list[Any]]:
        """The program, as long as all guards in bodies hold."""
        return self._lowered(self._usual).run

    @property
    def source(self) -> str:
        """The program as Python."""
        return self._lowered(self._usual).source

    def differs(self, other: Program) -> str:
        """Return how another recording of the same call differs; "" if it does not."""
        mine, others = self.usual, other.usual
        if len(mine.instructions) != len(others.instructions):
            return "the number of calls"
        known: dict[int, int] = {}
        for name in ("inputs", "effects"):
            pair = (getattr(self, name), getattr(other, name))
            if [each.identity for each in pair[0]] != [each.identity for each in pair[1]]:
                return f"its {name}"
        if not _alike_results(self, other):
            return "its result"
        pairs = [*zip(mine.inputs, others.inputs, strict=True)]
        known.update((a.number, b.number) for a, b in pairs)

        def alike(a: Any, b: Any) -> bool:
            if type(a) is not type(b):
                return False
            if type(a) is Value:
                if a.number in known:
                    return known[a.number] == b.number
                x, y = mine.constants.get(a.number), others.constants.get(b.number)
                return x is not None and y is not None and equal(x, y)
            if isinstance(a, (tuple, list)):
                return len(a) == len(b) and all(map(alike, a, b))
            if isinstance(a, dict):
                return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
            if isinstance(a, slice):
                return alike((a.start, a.stop, a.step), (b.start, b.stop, b.step))
            if isinstance(a, float):
                return a == b or (math.isnan(a) and math.isnan(b))
            return bool(a is b or a == b)

        for a, b in zip(mine.instructions, others.instructions, strict=True):
            calls = type(a.call) is type(b.call) and (a.call == b.call or _opaque_alike(a, b))
            if not calls or type(a) is not type(b) or not alike(a.args, b.args):
                return f"{a.where}: {a.call}"
            if not alike(a.kwargs, b.kwargs) or len(a.outputs) != len(b.outputs):
                return f"{a.where}: {a.call}"
            if type(a) is Guard and a.expected != b.expected:
                return f"{a.where}: a value that decides"
            known.update((x.number, y.number) for x, y in zip(a.outputs, b.outputs, strict=True))
        if not alike(mine.wanted, others.wanted):
            return "the results"
        return ""


def _opaque_alike(a: Instruction, b: Instruction) -> bool:
    mine, others = getattr(a.call, "function", None), getattr(b.call, "function", None)
    if mine is None:
        mine, others = getattr(a.call, "node", None), getattr(b.call, "node", None)
    return mine is not None and type(mine) is type(others)


def _alike_results(a: Program, b: Program) -> bool:
    if repr(a.form) != repr(b.form) or len(a.results) != len(b.results):
        return False
    return all(
        x.kind == y.kind
        and type(x.value) is type(y.value)
        and (type(x.value) is Value or equal(x.value, y.value) or x.value is y.value)
        for x, y in zip(a.results, b.results, strict=True)
    )


class _Leaf:
    """Stands for a leaf in the form of a result."""

    def __repr__(self) -> str:
        return "leaf"


LEAF = _Leaf()


__all__ = ["LEAF", "GuardFailed", "Program"]
