"""A recorded program: simplified, written as Python, and run."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from .errors import GuardError
from .executors.executors import Executor, Lowered, NumPyExecutor
from .guards.places import Place
from .guards.reads import Input
from .passes.comparison import are_same, difference
from .passes.graph import Graph
from .passes.loops import with_loops
from .passes.passes import EARLY, draws, runs_as_it_is, simplified, with_opaque
from .recording.recording import Recording
from .tape.draws import Snapshot
from .tape.instructions import Guard, Region, Value

_FALLBACKS = 8
"""After so many calls in which a guard in a body has failed, the body always runs as it is."""

_MANY = 4
"""If so many guards fail in one call, all bodies that have some run as they are."""

_LEAST_COMPARED = 6
"""Loops that save so few calls are compared as loops, though they may run call by call."""


class Program:
    """One recorded way of a function; by default, NumPy executes it."""

    def __init__(self, recording: Recording, executor: Executor | None = None) -> None:
        self.tape, around = recording.tape, recording.around
        self.effects, self.outcome = recording.effects, recording.outcome
        #: All outcomes, with their parts.
        self.outcomes = [each for of in self.effects for each in of.outcome] + [*self.outcome]
        #: The comparisons before each run; the places of numbers that are no inputs.
        self.looks, self.numbers = around.looks, around.numbers
        #: Places of Variables that were several, if one of them is an argument.
        places = [place for place, *_ in around.variables.values()]
        given = any(place.is_of_arguments for place in places)
        self.variables = places if given and len(places) > 1 else []
        #: Place of a Variable -> whether the .grad was None, in each recording.
        self._without = {
            place.identity: (place, {grad is None}) for place, _, grad in around.variables.values()
        }
        self.compares = around.compares
        self.sets_errors = self.tape.sets_errors
        values = {x.what.number: x.what for x in self.outcomes if x.kind == "value"}
        self.wanted: list[Value] = [*values.values()]
        written = [each.outcome.what.number for each in self.effects if each.kind == "write"]
        others = self.outcomes[len(written) :]
        kept = {each.what.number for each in others if each.kind == "value"}
        numbers = [value.number for value in self.wanted]
        self._copied = {n for n, x in enumerate(numbers) if x in written and x not in kept}
        #: All that the code has got; and the arrays of these, whose forms are compared.
        self._given = around.inputs
        self.forms = [each for each in around.inputs if each.kind != "grad"]
        self._executor = executor or NumPyExecutor()
        self._variants: dict[frozenset[Region], Lowered] = {}
        self._usual: frozenset[Region] = frozenset()
        around.release()
        self.fallbacks: dict[Region, int] = {}
        self.generators = [*around.generators.values()]
        self.draws = any(map(draws, self.tape.instructions.models()))
        #: Names of the functions that call `run`.
        self.entered_by: list[dict[str, Any]] = []

    @property
    def gradients(self) -> list[tuple[Place, bool]]:
        """The places of Variables of which it is compared whether the .grad is None, as it was."""
        pairs = self._without.values()
        return [(place, *found) for place, found in pairs if len(found) == 1]  # type: ignore[misc]

    def merge(self, other: Program) -> None:
        """Take over from another recording of the same what need not be compared."""
        for identity, (_, found) in other._without.items():
            if identity in self._without:
                self._without[identity][1].update(found)
        if otherwise := self._otherwise(other):
            self._usual |= otherwise
            self.usual = self._graph(self._usual, self.inputs)

    @cached_property
    def usual(self) -> Graph:
        """The graph that is compared with other recordings, as long as no body fails often."""
        return self._made[0]

    @cached_property
    def inputs(self) -> list[Input]:
        """The inputs that it needs."""
        return self._made[1]

    @cached_property
    def _made(self) -> tuple[Graph, list[Input]]:
        """Both, when somebody asks: nobody does, if the next recording is the same call by call."""
        graph = self._graph(self._usual, self._given)
        used = {value.number for each in graph.instructions for value in each.reads()}
        used.update(value.number for value in graph.wanted)
        needed = {id(each.target) for each in self.effects if each.kind == "write"}
        inputs = [x for x in self._given if x.value.number in used or id(x) in needed]
        graph.inputs = [each.value for each in inputs]
        return graph, inputs

    def _graph(self, failed: frozenset[Region], inputs: list[Input]) -> Graph:
        graph = self._recorded()
        graph.inputs = [each.value for each in inputs]
        return simplified(
            with_loops(graph.changed(with_opaque(self.tape.instructions, failed))), EARLY
        )

    def _recorded(self) -> Graph:
        """Return the graph as it is on the tape."""
        tape, inputs = self.tape, [each.value for each in self._given]
        constants = {**tape.constants}
        return Graph(tape.instructions, inputs, self.wanted, constants, self._copied)

    def _lowered(self, failed: frozenset[Region]) -> Lowered:
        if failed not in self._variants:
            graph = self.usual if failed == self._usual else self._graph(failed, self.inputs)
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
        before = Snapshot(self.generators) if self.draws else None
        try:
            try:
                return self._results(self._usual, arrays, audits)
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
        failed, times = self._usual, 0
        while (region := stop.region) is not None and not runs_as_it_is(region, failed):
            if before is not None:
                before.restore()
            times += 1
            failed = failed | (region.alike if times < _MANY else frozenset(self._guarded))
            self.fallbacks[region] = self.fallbacks.get(region, 0) + 1
            if self.fallbacks[region] == _FALLBACKS:
                self._usual = self._usual | region.alike
                self.usual = self._graph(self._usual, self.inputs)
                self._renew()
            try:
                return self._results(failed, arrays, audits)
            except GuardError as another:
                stop = another
        raise stop

    def _results(self, failed: frozenset[Region], arrays: list[Any], audits: bool) -> list[Any]:
        lowered = self._lowered(failed)
        return (lowered.audited if audits else lowered.run)(*arrays)

    @property
    def executor(self) -> str:
        """The name of the executor; with a remark if its results may have other bits."""
        note = ", whose results may differ from those of eager code in the last bits"
        return self._executor.name + note * (not self._executor.exact)

    @property
    def running(self) -> Graph:
        """The graph that the executor runs: with loops, or call by call."""
        return self._lowered(self._usual).graph

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

    @property
    def varying(self) -> set[Any]:
        """The identities of the numbers that are inputs."""
        return {each.identity for each in self.inputs if each.kind == "number"}

    def __str__(self) -> str:
        return self.source()

    def decided_by(self, other: Program) -> int | None:
        """Return which input alone decides how another recording differs; None if more differs.

        It is a whole number, as of ``for i in range(n)``. All whole numbers that differ, such as
        rounds of loops and positions, grow with it by fixed steps.
        """
        numbers: list[tuple[int, int]] = []
        if self.differs(other, numbers) or not numbers:
            return None
        pairs = [*enumerate(zip(self.decided, other.decided, strict=True))]
        differing = [
            (n, a - b) for n, (a, b) in pairs if a is not None and b is not None and a != b
        ]
        if len(differing) != 1 or any((a - b) % differing[0][1] for a, b in numbers):
            return None
        return differing[0][0]

    @property
    def decided(self) -> list[int | None]:
        """For each input, the whole number that it is to be, if it decides anything by itself."""
        found: dict[int, int] = {}
        for each in self.usual.instructions:
            if type(each) is Guard and type(each.expected) is int and each.args[0].kind is int:
                found[each.args[0].number] = each.expected
        return [found.get(each.value.number) for each in self.inputs]

    def differs(self, other: Program, numbers: list[tuple[int, int]] | None = None) -> str:
        """Return how another recording of the same call differs; "" if it does not.

        With a list of `numbers`, whole numbers may differ, which are added to it.
        """
        effects = [*zip(self.effects, other.effects, strict=False)]
        if len(self.effects) != len(other.effects) or any(a.differs(b) for a, b in effects):
            return "differs from call to call in the effects"
        if self.outcome.differs(other.outcome):
            return "differs from call to call in the form of the result"
        given, others = ([each.identity for each in x._given] for x in (self, other))
        if given == others and are_same(self._recorded(), other._recorded()):
            return ""
        if self.varying != other.varying:
            return ""  # numbers have become inputs: the rest is not comparable
        if [each.identity for each in self.inputs] != [each.identity for each in other.inputs]:
            return "differs from call to call in the inputs"
        if numbers is not None:
            return difference(self._in_loops, other._in_loops, numbers=numbers)
        found = difference(self.usual, other.usual)
        mine, its = self._otherwise(other), other._otherwise(self)
        if found and mine:
            one, two = self._graph(mine, self.inputs), other._graph(its, other.inputs)
            found = difference(one, two) and found
        return found

    def _otherwise(self, other: Program) -> frozenset[Region]:
        """Return the bodies in which values decided otherwise in another recording.

        With one, all of the same line are returned, so that the rounds of a loop stay alike.
        """
        mine, others = self._guarded, other._guarded.values()
        pairs = zip(mine.items(), others, strict=False)
        lines = {each.line for (each, calls), its in pairs if calls != its}
        return frozenset(each for each in mine if each.line in lines)

    @cached_property
    def _guarded(self) -> dict[Region, list[Any]]:
        """The bodies in which a value decides, and the calls of each."""
        found: dict[Region, list[Any]] = {}
        for each in self.tape.instructions.models():
            if each.region is not None and each.region.opaque is not None:
                facts = each.call, repr(getattr(each, "expected", None))
                found.setdefault(each.region, []).append(facts)
        return found

    @cached_property
    def _in_loops(self) -> Graph:
        """The graph with loops, also where it runs faster without them."""
        return with_loops(self.usual, small=True, least=_LEAST_COMPARED)
