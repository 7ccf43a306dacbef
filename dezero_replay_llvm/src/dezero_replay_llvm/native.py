"""The executor ``"llvm"``: NumPy runs a program at first, and machine code as soon as it can."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from dezero_replay.errors import GuardError, ReplayWarning
from dezero_replay.executors.executors import Lowered, NumPyExecutor
from dezero_replay.executors.numpy_executor import of_arrays
from dezero_replay.passes.aliasing import escaping
from dezero_replay.passes.graph import Graph
from dezero_replay.passes.loop_bodies import is_item
from dezero_replay.passes.passes import draws, without_dead
from dezero_replay.passes.placing import joined
from dezero_replay.passes.rounds import Loop, every_call
from dezero_replay.passes.sharing import gives_copies
from dezero_replay.tape.errstate import is_calm, of_errors
from dezero_replay.tape.instructions import Instruction
from dezero_replay.tape.notes import counted, name_of

from dezero_core.extend import user_place

from .audits import beside, difference
from .background import compiling, submit
from .calls import Again, call_of
from .compiler import assembly, linked
from .kernel import WARNS, Code, builtin, can_be_entered
from .machine import Machine, this_machine
from .partition import Part, Partition
from .steps import Product


class LLVMExecutor:
    """Runs programs as machine code, with results that may differ in the last bits.

    A long loop may use some threads. If it does not wait for the machine code, NumPy runs a program
    until it is there.
    """

    name, exact = "llvm", False

    def __init__(self, threads: int = 1, wait: bool = False) -> None:
        self.threads, self.wait = threads, wait

    def lower(self, graph: Graph) -> Native:
        """Return a graph as a callable."""
        by_numpy = NumPyExecutor().lower(graph)
        native = Native(by_numpy.graph, by_numpy, this_machine, self.threads)
        if self.wait:
            native.compile()
        else:
            submit(native.compile)
        return native


class Native:
    """A graph that runs as machine code where possible, and by NumPy elsewhere.

    `by_numpy` is the same graph, run by NumPy alone; `run` is its function, until `compile` has
    replaced it. ``machine()`` is called when machine code is made: it asks LLVM.
    """

    codes: list[Code]
    #: Each region as one instruction.
    _calls: dict[Part, Instruction]

    def __init__(
        self, graph: Graph, by_numpy: Lowered, machine: Callable[[], Machine], threads: int = 1
    ) -> None:
        self.graph = without_dead(joined(graph, meeting=True))
        self._numpy = by_numpy
        self._machine, self._threads = machine, threads
        self.changed: Any = None
        #: Whether random numbers are drawn: such a program does not run again to give a warning.
        self._draws = any(map(draws, every_call(graph.instructions)))
        self.milliseconds = 0.0
        self.partition: Partition | None = None
        #: Instructions that stay with NumPy -> why.
        users = escaping(self.graph.instructions, self.graph.wanted)
        self._left = {
            id(each): "users get arrays that share memory"
            for each in self.graph.instructions
            if type(each.call) is Loop and gives_copies(each, users)
        }
        self._leave_to_numpy(can_be_entered() or "LLVM is still compiling it")

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
        graph = self.graph
        self.partition = partition = Partition(graph, self._machine(), self._left)
        is_whole = partition.is_whole()
        regions = [part for part in partition.parts if isinstance(part, Part)]
        made = {part: self._call(part, is_whole) for part in regions}
        if not made:
            self._leave_to_numpy("no part of it has machine code that would be faster")
            return
        self.codes = [code for code, _ in made.values()]
        self._calls = calls = {part: call for part, (_, call) in made.items()}
        held = self._numpy.planned_bytes + sum(code.scratch_bytes for code in self.codes)
        if is_whole:
            self.run = calls[regions[0]].call
        else:
            instructions: list[Instruction] = []
            for part in partition.parts:
                instructions += [calls[part], *part.views] if part in calls else [part]
            rows = {y.number for part in calls for y in part.wanted if y.kind is list}
            mixed = of_arrays(graph.changed([_of_rows(each, rows) for each in instructions]))
            held += mixed.planned_bytes
            self.run = self._calm(mixed.run)
        self.planned_bytes = held
        self.milliseconds = (time.perf_counter() - began) * 1e3
        self._why = ""

    def _leave_to_numpy(self, why: str) -> None:
        self._why, self.codes, self._calls = why, [], {}
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

    def _call(self, part: Part, is_whole: bool) -> tuple[Code, Instruction]:
        """Return a region as one instruction; if it is the whole program, it takes all inputs."""
        graph, constants = self.graph, self.graph.constants
        given = {value.number for value in graph.inputs} | constants.keys()
        loose = {value.number for value in part.region.inputs} - given
        code = Code(part.region, part.wanted, self._threads, is_whole, loose)
        found = linked(code)
        guards = [guard for guard, _ in part.region.guards]

        def failed(status: int) -> None:
            if status != WARNS:
                raise GuardError(guards[status - WARNS - 1])
            if not self._draws:
                raise Again

        native = builtin(found.address, found)
        takes = [value for value in part.region.inputs if value.number not in constants]
        by_numpy, copied = None, set()
        if is_whole:
            takes, by_numpy = graph.inputs, self._numpy.run
            kept = {value.number for n, value in enumerate(graph.wanted) if n not in graph.copied}
            copied = {value.number for value in graph.wanted} - kept
        call = call_of(code, native, failed, constants, takes, by_numpy, copied)
        where = part.region.instructions[0].where
        return code, Instruction(call, tuple(takes), {}, tuple(part.wanted), True, None, where)

    # Audits.

    def audited(self, *arrays: Any) -> list[Any]:
        """Return NumPy's results; compare each region with NumPy on the values at its edges.

        Warn if a region came to something else. NumPy makes its calls from now on.
        """
        if self.partition is None or not self._calls:
            return list(self._numpy.run(*arrays))
        graph, calls, wrong = self.graph, self._calls, {}
        inputs = zip([x.number for x in graph.inputs], arrays, strict=True)
        values = {**graph.constants, **dict(inputs)}
        for part, sizes in beside(self.partition.parts, graph.wanted, values):
            native = calls[part]
            try:
                found = native.call(*[values[x.number] for x in native.args])
            except (Again, GuardError):
                continue
            expected = [values[x.number] for x in part.wanted]
            if problem := difference(part.region, found, expected, sizes):
                wrong[part] = problem
        if wrong:
            self._reject(wrong)
        return [values[value.number] for value in graph.wanted]

    def _reject(self, wrong: dict[Part, str]) -> None:
        """Leave regions to NumPy from now on; then warn, which may raise."""
        for part, problem in wrong.items():
            self._left.update((id(each), problem) for each in part.region.instructions)
        self.compile()
        for part, problem in wrong.items():
            calls = part.region.instructions
            names = list(dict.fromkeys(map(name_of, calls)))
            warnings.warn_explicit(
                f"the machine code of {', '.join(names[:5])}, from {calls[0].where} on, came to "
                f"other numbers than NumPy: {problem}. NumPy makes these calls from now on.",
                ReplayWarning,
                *user_place("dezero_replay", "dezero_replay_llvm"),
            )

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
                texts = [assembly(text, self._machine()) for text in texts]
        return "\n".join(texts)

    def report(self) -> list[str]:
        """Return the native calls, those of NumPy with the reason, and the time of compilation."""
        if self._why:
            lines = [f"NumPy runs the program: {self._why}"]
        else:
            lines = [f"compiled in {self.milliseconds:.0f} ms for {self._machine().summary}"]
        for code in self.codes:
            calls, nests = len(code.region.instructions), len(code.schedule.nests)
            loops = "one loop" if nests == 1 else f"{nests} loops"
            lines.append(
                f"native: {counted(calls, 'call')}, from {code.region.instructions[0].where} on, "
                f"in {loops}{_products(code)}; {counted(code.scratch_bytes, 'byte')} of memory "
                "between them"
            )
        reasons: dict[str, dict[str, None]] = {}
        for each, why in self.partition.reasons if self.partition else ():
            reasons.setdefault(why, {})[name_of(each)] = None
        return lines + [f"NumPy: {', '.join(names)}, since {why}" for why, names in reasons.items()]


def _of_rows(each: Instruction, rows: set[int]) -> Instruction:
    """Return a call that takes an item of a list, of one that is the rows of an array here."""
    if not is_item(each) or each.args[0].number not in rows:
        return each
    source, index = each.args
    if each.outputs[0].kind is np.ndarray:  # also one without axes, which is no scalar
        index = index, ...
    return each.changed(each.call, (source, index), each.kwargs)


def _products(code: Code) -> str:
    shapes = [step.shape for step in code.region.steps if isinstance(step, Product)]
    texts = dict.fromkeys(
        f"{f'{prod(stack)} times ' if stack else ''}{m}x{k} by {k}x{n}"
        for *stack, m, n, k in shapes
    )
    return f" and products of {', '.join(texts)}" if texts else ""
