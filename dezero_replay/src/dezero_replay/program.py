"""A recorded program: simplified, written as Python, and run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from dezero_tools.functional.trees import tree_map

from .bodies import same_attributes
from .capture import NUMBERS, is_iterator
from .errors import GuardError
from .executors import Executor, Lowered, NumPyExecutor
from .graph import Graph
from .passes import EARLY, draws, runs_as_it_is, simplified, with_opaque
from .random_state import Snapshot
from .recording import Input, Recording
from .tape import Guard, Instruction, Region, Value, equal

_LARGEST_COMPARED = 65_536
"""An array of at most so many bytes is compared with its copy at each call."""


_FALLBACKS = 8
"""After so many calls in which a guard in a body has failed, the body always runs as it is."""


class Program:
    """One recorded way of a function; by default, NumPy executes it."""

    def __init__(self, recording: Recording, executor: Executor | None = None) -> None:
        self.tape, self.reached = recording.tape, recording.reached
        self.effects, self.results = recording.effects, recording.results
        #: Identities of captured Variables whose .grad was None in each recording.
        self.without_gradient = [recording.without_gradient]
        self.form = tree_map(lambda _: LEAF, recording.result)
        self.wanted = [
            *(each.value for each in self.effects if type(each.value) is Value),
            *(each.value for each in self.results if type(each.value) is Value),
        ]
        made = [effect for effect in self.effects if type(effect.value) is Value]
        self._copied = {n for n, effect in enumerate(made) if effect.kind == "write"}
        self.inputs = recording.inputs
        #: Identity of each captured array that was recorded.
        self.arrays = {each.where.identity for each in self.inputs if each.kind == "array"}
        #: Identity of each captured Variable -> the data that it held.
        self.data = {id(x.where): x.content for x in self.inputs if x.kind == "data"}
        self.numbers = {each.where.identity for each in self.inputs if each.kind == "number"}
        self._executor = executor or NumPyExecutor()
        self._variants: dict[frozenset[Region], Lowered] = {}
        self._usual: frozenset[Region] = frozenset()
        self._leave_out_unread()
        _let_go(self.inputs)
        self.problem = self._problem()
        self.fallbacks: dict[Region, int] = {}
        self._generators = [each.found for each in self.reached.generators]
        self.draws = any(map(draws, self.tape.instructions))
        #: Names of the functions that call `run`.
        self.entered_by: list[dict[str, Any]] = []

    def _problem(self) -> str:
        """Return why it cannot be replayed; "" if it can."""
        if not self.tape.instructions:
            return "the function computes with no array: there is nothing to replay"
        for place in self.reached.arrays:
            if place.identity not in self.arrays and place.found.nbytes > _LARGEST_COMPARED:
                return (
                    f"the function reaches the array {place} of {place.found.nbytes:,} bytes, and "
                    "computes with something made of it: make the array an argument, or a Variable"
                )
        return ""

    def _leave_out_unread(self) -> None:
        """Leave out the inputs that nobody reads or writes."""
        #: The graph that is compared with other recordings.
        self.usual = graph = self._graph(frozenset())
        used = {value.number for each in graph.instructions for value in each.reads()}
        used.update(value.number for value in graph.wanted)
        needed = {id(each.target) for each in self.effects if each.kind == "write"}
        needed |= {id(each.value) for each in self.effects}
        self.inputs = [x for x in self.inputs if x.value.number in used or id(x) in needed]
        graph.inputs = [each.value for each in self.inputs]

    def _graph(self, failed: frozenset[Region]) -> Graph:
        tape, inputs = self.tape, [each.value for each in self.inputs]
        instructions = with_opaque(tape.instructions, failed)
        graph = Graph(instructions, inputs, self.wanted, tape.constants, self._copied)
        return simplified(graph, EARLY)

    def _lowered(self, failed: frozenset[Region]) -> Lowered:
        if failed not in self._variants:
            graph = self.usual if failed == self._usual else self._graph(failed)
            self._variants[failed] = lowered = self._executor.lower(simplified(graph))
            lowered.changed = self._renew
        return self._variants[failed]

    def _renew(self) -> None:
        """Give the present `run` to the functions that call it."""
        for names in self.entered_by:
            names["run"] = self.run

    @property
    def run(self) -> Callable[..., list[Any]]:
        """The function that computes the wanted values of the inputs, as long as no guard fails."""
        return self._lowered(self._usual).run

    def compute(self, arrays: list[Any], audits: bool = False) -> list[Any]:
        """Return the wanted values; if it `audits`, with the bits of eager code.

        Raise a GuardError if the user's own code would go another way. Random numbers are as they
        were then.
        """
        before = Snapshot(self._generators) if self.draws else None
        try:
            try:
                lowered = self._lowered(self._usual)
                return (lowered.audited if audits else lowered.run)(*arrays)
            except GuardError as stop:
                return self.after(stop, arrays, before, audits)
        except Exception:
            if before is not None:
                before.restore()
            raise

    def after(
        self, stop: GuardError, arrays: list[Any], before: Any = None, audits: bool = False
    ) -> list[Any]:
        """Return the wanted values after a guard has failed: its body is run as it is.

        Raise the GuardError again if the guard is in the user's own code.
        """
        failed = self._usual
        while (region := stop.region) is not None and not runs_as_it_is(region, failed):
            if before is not None:
                before.restore()
            failed = failed | {region}
            self._count(region)
            try:
                lowered = self._lowered(failed)
                return (lowered.audited if audits else lowered.run)(*arrays)
            except GuardError as another:
                stop = another
        raise stop

    def _count(self, region: Region) -> None:
        """Take a body as it is from now on, if a guard in it keeps failing."""
        self.fallbacks[region] = self.fallbacks.get(region, 0) + 1
        if self.fallbacks[region] == _FALLBACKS:
            self._usual = self._usual | {region}
            self.usual = self._graph(self._usual)
            self._renew()

    @property
    def executor(self) -> str:
        """The name of the executor; with a remark if its results may have other bits."""
        note = ", whose results may differ from those of eager code in the last bits"
        return self._executor.name + note * (not self._executor.exact)

    def source(self, form: str = "python") -> str:
        """Return the program as Python, or in another form that its executor has."""
        return self._lowered(self._usual).text(form)

    def report(self) -> list[str]:
        """Return the executor's remarks."""
        return self._lowered(self._usual).report()

    @property
    def planned_bytes(self) -> int:
        """Bytes that it holds between calls: constants and planned buffers."""
        constants = sum(np.asarray(x).nbytes for x in self.tape.constants.values())
        return constants + sum(x.planned_bytes for x in self._variants.values())

    def __str__(self) -> str:
        return self.source()

    def differs(self, other: Program) -> str:
        """Return how another recording of the same call differs; "" if it does not."""
        mine, others = self.usual, other.usual
        if len(mine.instructions) != len(others.instructions):
            return "two recordings of the function differ in the number of calls"
        known: dict[int, int] = {}
        for name in ("inputs", "effects"):
            pair = (getattr(self, name), getattr(other, name))
            if [each.identity for each in pair[0]] != [each.identity for each in pair[1]]:
                return f"two recordings of the function differ in the {name}"
        if not _alike_results(self, other):
            return "two recordings of the function differ in the form of the result"
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
            return bool(a is b or equal(a, b))

        for a, b in zip(mine.instructions, others.instructions, strict=True):
            calls = type(a.call) is type(b.call) and (a.call == b.call or _opaque_alike(a, b))
            if not calls or type(a) is not type(b) or not alike(a.args, b.args):
                return _differing(a, "a call of")
            if not alike(a.kwargs, b.kwargs) or len(a.outputs) != len(b.outputs):
                return _differing(a, "a call of")
            if a.errors != b.errors:
                return _differing(a, "how NumPy treats errors in a call of")
            if isinstance(a, Guard) and isinstance(b, Guard) and a.expected != b.expected:
                return _differing(a, "a value that decides, by")
            known.update((x.number, y.number) for x, y in zip(a.outputs, b.outputs, strict=True))
        if not alike(mine.wanted, others.wanted):
            return "two recordings of the function differ in the results"
        for place in self.reached.places:
            if is_iterator(place.found) and self.reached.mentions(place):
                return (
                    f"the function reaches the iterator {place}, and a replay would not advance "
                    "it: take the items outside of the function"
                )
        return ""


def _differing(a: Instruction, what: str) -> str:
    name = getattr(a.call, "__name__", None) or getattr(a.call, "name", str(a.call))
    return f"at {a.where}, two recordings of the function differ in {what} {name}"


def _opaque_alike(a: Instruction, b: Instruction) -> bool:
    mine, others = getattr(a.call, "function", None), getattr(b.call, "function", None)
    if mine is None:
        mine, others = getattr(a.call, "node", None), getattr(b.call, "node", None)
    return mine is not None and type(mine) is type(others) and same_attributes(mine, others)


def _alike_results(a: Program, b: Program) -> bool:
    if repr(a.form) != repr(b.form) or len(a.results) != len(b.results):
        return False
    return all(
        x.kind == y.kind and type(x.value) is type(y.value) and _alike_known(x.value, y.value)
        for x, y in zip(a.results, b.results, strict=True)
    )


def _alike_known(x: Any, y: Any) -> bool:
    """Return whether a number or string is equal, and anything else the same object."""
    if isinstance(x, (*NUMBERS, str, bytes)):
        return equal(x, y)
    return type(x) is Value or x is y


def _let_go(inputs: list[Input]) -> None:
    """Let go of the arrays that were arguments, which may be large: only their form is needed.

    If two arguments were one array, their forms are one array. Captured arrays are kept.
    """
    captured = {id(each.content) for each in inputs if each.kind != "argument"}
    forms: dict[int, tuple[Any, Any]] = {}
    for each in inputs:
        x = each.content
        if isinstance(x, np.ndarray) and id(x) not in captured:
            forms.setdefault(id(x), (x, np.broadcast_to(np.zeros((), x.dtype), x.shape)))
            each.content = forms[id(x)][1]


class _Leaf:
    """Stands for a leaf in the form of a result."""

    def __repr__(self) -> str:
        return "leaf"


LEAF = _Leaf()


__all__ = ["LEAF", "GuardError", "Program"]
