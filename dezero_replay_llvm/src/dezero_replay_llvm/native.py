"""A program of which parts are machine code: by NumPy at first, and natively as soon as it can."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import cached_property
from typing import Any

from dezero_replay.errors import GuardError, ReplayWarning
from dezero_replay.errstate import is_calm, of_errors
from dezero_replay.executors import Lowered
from dezero_replay.graph import Graph
from dezero_replay.notes import counted, name_of
from dezero_replay.numpy_executor import of_arrays
from dezero_replay.passes import draws
from dezero_replay.tape import Instruction

from .background import compiling
from .calls import Again, call_of
from .checks import difference
from .compiler import assembly, linked
from .kernel import WARNS, Code, builtin, can_be_entered
from .machine import Machine
from .partition import Part, Partition
from .region import Product


class Native:
    """A graph that runs as machine code where possible, and by NumPy elsewhere.

    `by_numpy` is the same graph, run by NumPy alone; `run` is its function, until `compile` has
    replaced it. ``machine()`` is called when machine code is made: it asks LLVM.
    """

    def __init__(
        self, graph: Graph, by_numpy: Lowered, machine: Callable[[], Machine], threads: int = 1
    ) -> None:
        self._graph, self._numpy = graph, by_numpy
        self._host, self._threads = machine, threads
        self.run, self.planned_bytes = by_numpy.run, by_numpy.planned_bytes
        self.changed: Any = None
        #: Whether random numbers are drawn: such a program does not run again to give a warning.
        self._draws = any(map(draws, graph.instructions))
        self.milliseconds = 0.0
        self.partition: Partition | None = None
        self.codes: list[Code] = []
        self._calls: list[Any] = []
        self._reference: Any = None
        #: Instructions that stay with NumPy -> why.
        self._left: dict[int, str] = {}
        self._why = can_be_entered() or "LLVM is still compiling it"

    @cached_property
    def _machine(self) -> Machine:
        return self._host()

    def compile(self) -> None:
        """Make machine code, and run it from now on."""
        if can_be_entered():
            return
        try:
            with compiling():
                self._compile()
        except Exception as error:  # of LLVM's, or of ours: the user's program goes on
            self._leave_to_numpy(f"LLVM cannot compile it: {error}")
        if self.changed is not None:
            self.changed()

    def _compile(self) -> None:
        began = time.perf_counter()
        graph = self._graph
        self.partition = partition = Partition(graph, self._machine, self._left)
        self.codes, self._calls = [], []
        instructions: list[Instruction] = []
        parts = self._parts()
        is_whole = partition.is_whole()
        for part in partition.parts:
            if isinstance(part, Part):
                instructions += [self._call(part, is_whole), *part.views]
            else:
                instructions.append(part)
        if not parts:
            self._leave_to_numpy("no part of it would be faster as machine code")
            return
        held = self._numpy.planned_bytes + sum(code.scratch_bytes for code in self.codes)
        if is_whole:
            self.run = self._calls[0][0]
        else:
            mixed = of_arrays(graph.changed(instructions))
            held += mixed.planned_bytes
            self.run = self._calm(mixed.run)
        self.planned_bytes = held
        self.milliseconds = (time.perf_counter() - began) * 1e3
        self._why = ""

    def _leave_to_numpy(self, why: str) -> None:
        self._why, self.codes, self._calls = why, [], []
        self.run, self.planned_bytes = self._numpy.run, self._numpy.planned_bytes

    def _calm(self, inner: Any) -> Any:
        """Return a function that lets NumPy run the program again if NumPy would warn or raise."""
        by_numpy, calm = self._numpy.run, [object()]

        def run(*arrays: Any) -> Any:
            if of_errors() is not calm[0] and not is_calm(calm):
                return by_numpy(*arrays)
            try:
                return inner(*arrays)
            except Again:
                return by_numpy(*arrays)

        return run

    def _call(self, part: Part, is_whole: bool) -> Instruction:
        """Return a region as one instruction; if it is the whole program, it takes all inputs."""
        given = {value.number for value in self._graph.inputs} | self._graph.constants.keys()
        loose = {value.number for value in part.region.inputs} - given
        code = Code(part.region, part.wanted, self._threads, is_whole, loose)
        found = linked(code)
        guards = [guard for guard, _ in part.region.guards]

        def failed(status: int) -> None:
            if status != WARNS:
                raise GuardError(guards[status - WARNS - 1])
            if not self._draws:
                raise Again

        constants = self._graph.constants
        inputs = [value for value in part.region.inputs if value.number not in constants]
        takes, by_numpy = (self._graph.inputs, self._numpy.run) if is_whole else (inputs, None)
        native = builtin(found.address, found)
        copied = self._copied() if is_whole else ()
        call = call_of(code, native, failed, constants, takes, by_numpy, copied)
        self.codes.append(code)
        self._calls.append((call, takes))
        where = part.region.instructions[0].where
        return Instruction(call, tuple(takes), {}, tuple(part.wanted), True, None, where)

    def _copied(self) -> set[int]:
        """Return the numbers of the Values that the caller copies, and does not keep."""
        wanted = self._graph.wanted
        kept = {value.number for n, value in enumerate(wanted) if n not in self._graph.copied}
        return {value.number for value in wanted} - kept

    # Audits.

    def audited(self, *arrays: Any) -> list[Any]:
        """Return NumPy's results; compare each region with NumPy on the values at its edges.

        Warn if a region came to something else. NumPy makes its calls from now on.
        """
        parts = [] if self.partition is None or self._why else self._parts()
        if not parts:
            return list(self._numpy.run(*arrays))
        if self._reference is None:
            edges = [x for part in parts for x in (*part.region.inputs, *part.wanted)]
            names = {value.number: value for value in edges}
            made = self._graph.changed(self._graph.instructions)
            inputs = {value.number for value in made.inputs} | made.constants.keys()
            names = {number: x for number, x in names.items() if number not in inputs}
            made.wanted = [*made.wanted, *names.values()]
            self._reference = list(names), of_arrays(made).run
        numbers, run = self._reference
        found = run(*arrays)
        count = len(self._graph.wanted)
        known: dict[int, Any] = dict(zip(numbers, found[count:], strict=True))
        known.update(self._graph.constants)
        known.update((x.number, y) for x, y in zip(self._graph.inputs, arrays, strict=True))
        wrong = [
            part
            for part, (call, takes) in zip(parts, self._calls, strict=True)
            if self._is_wrong(part, call, [known[value.number] for value in takes], known)
        ]
        if wrong:
            self.compile()
        return list(found[:count])

    def _parts(self) -> list[Part]:
        assert self.partition is not None
        return [part for part in self.partition.parts if isinstance(part, Part)]

    def _is_wrong(self, part: Part, call: Any, given: list[Any], known: dict[int, Any]) -> bool:
        """Compare a region with NumPy; leave it to NumPy if there is a difference."""
        try:
            values = call(*given)
        except (Again, GuardError):
            return False
        expected = [known[value.number] for value in part.wanted]
        problem = difference(part.region, values, expected)
        if not problem:
            return False
        names = list(dict.fromkeys(name_of(each) for each in part.region.instructions))
        self._left.update((id(each), problem) for each in part.region.instructions)
        self._reference = None
        warnings.warn(
            f"the machine code of {', '.join(names[:5])} came to other numbers than NumPy: "
            f"{problem}. NumPy makes these calls from now on.",
            ReplayWarning,
            stacklevel=2,
        )
        return True

    # To be read.

    def text(self, form: str) -> str:
        """Return the program as ``"python"``, its code as ``"llvm"`` or as ``"asm"``."""
        if form == "python":
            return str(self._numpy.text(form))
        if form not in ("llvm", "asm"):
            raise ValueError(
                f"a program of LLVM has the forms 'python', 'llvm' and 'asm', got {form!r}."
            )
        if self._why:
            return f"NumPy runs the program: {self._why}"
        with compiling():
            texts = [code.text for code in self.codes]
            if form == "asm":
                texts = [assembly(text, self._machine) for text in texts]
        return "\n".join(texts)

    def report(self) -> list[str]:
        """Return the native calls, those of NumPy with the reason, and the time of compilation."""
        if self._why:
            lines = [f"NumPy runs the program: {self._why}"]
        else:
            lines = [f"compiled in {self.milliseconds:.0f} ms for {self._machine.summary}"]
        if self.partition is None:
            return lines
        for code in [] if self._why else self.codes:  # there are some while others are compiled
            calls, nests = len(code.region.instructions), len(code.schedule.nests)
            loops = "one loop" if nests == 1 else f"{nests} loops"
            lines.append(
                f"native: {counted(calls, 'call')}, from {code.region.instructions[0].where} on, "
                f"in {loops}{_products(code)}; {counted(code.scratch_bytes, 'byte')} of memory "
                "between them"
            )
        reasons: dict[str, list[str]] = {}
        for each, why in self.partition.reasons:
            reasons.setdefault(why, []).append(name_of(each))
        for why, names in reasons.items():
            some = ", ".join(dict.fromkeys(names))
            lines.append(f"NumPy: {some}, since {why}")
        return lines


def _products(code: Code) -> str:
    shapes = [step.shape for step in code.region.steps if isinstance(step, Product)]
    texts = dict.fromkeys(f"{m}x{k} by {k}x{n}" for m, n, k in shapes)
    return f" and products of {', '.join(texts)}" if texts else ""
