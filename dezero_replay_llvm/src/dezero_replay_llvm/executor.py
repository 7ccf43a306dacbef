"""The executor: machine code where there is some, NumPy elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from dezero_replay.errors import GuardError
from dezero_replay.errstate import is_calm, of_errors
from dezero_replay.executors import NumPyExecutor
from dezero_replay.graph import Graph
from dezero_replay.numpy_executor import of_arrays
from dezero_replay.tape import Instruction, Value

from .compiler import compiled
from .kernel import WARNS, Code, builtin
from .machine import this_machine
from .partition import Part, Partition


class _Again(BaseException):
    """NumPy would have warned: it runs the whole again. No error, which a program would explain."""


class LLVMExecutor:
    """Runs a program as machine code, with results that may differ in the last bits."""

    name, exact = "llvm", False

    def __init__(self, threads: int = 1, wait: bool = False) -> None:
        self.threads, self.wait = threads, wait
        self.machine = this_machine()

    def lower(self, graph: Graph) -> Native:
        """Return a graph as a callable: NumPy's, until the machine code is there."""
        return Native(graph, self)


class Native:
    """A graph as machine code."""

    def __init__(self, graph: Graph, executor: LLVMExecutor) -> None:
        self._numpy = NumPyExecutor().lower(graph)
        self.partition = Partition(graph, executor.machine)
        self.machine = executor.machine
        self.planned_bytes = self._numpy.planned_bytes
        self.milliseconds = 0.0
        self.codes: list[Code] = []
        instructions: list[Instruction] = []
        calls = []
        for part in self.partition.parts:
            if isinstance(part, Part):
                call = self._call(part)
                calls.append(call)
                args = tuple(part.region.inputs)
                where = part.region.instructions[0].where
                instructions.append(
                    Instruction(call, args, {}, tuple(part.wanted), True, None, where)
                )
                instructions += part.views
            else:
                instructions.append(part)
        self.run: Any = self._numpy.run
        self.source = self._numpy.source
        if not calls:
            return
        if self.partition.is_whole() and graph.inputs == self.partition.parts[0].region.inputs:
            inner = calls[0]
        else:
            mixed = of_arrays(graph.changed(instructions))
            self.planned_bytes += mixed.planned_bytes
            inner = mixed.run
        self.run = self._guarded(inner)

    def _guarded(self, inner: Any) -> Any:
        by_numpy, calm = self._numpy.run, [object()]

        def run(*arrays: Any) -> Any:
            if of_errors() is not calm[0] and not is_calm(calm):
                return by_numpy(*arrays)
            try:
                return inner(*arrays)
            except _Again:
                return by_numpy(*arrays)

        return run

    def _call(self, part: Part) -> Any:
        code = Code(part.region, part.wanted)
        self.codes.append(code)
        linked, took = compiled(code.text, self.machine, code.name)
        self.milliseconds += took
        guards = [guard for guard, _ in part.region.guards]

        def failed(status: int) -> None:
            if status == WARNS:
                raise _Again
            raise GuardError(guards[status - WARNS - 1])

        return entered(code, builtin(linked.address, linked), failed, part.wanted)


def entered(code: Code, native: Any, failed: Any, wanted: list[Value]) -> Any:
    """Return a function that makes the results, calls machine code, and returns them."""
    names = {value.number: f"x{n}" for n, value in enumerate(code.region.inputs)}
    bound: dict[str, Any] = {"native": native, "empty": np.empty, "failed": failed}
    bound["ndarray"], bound["scratches"] = np.ndarray, []
    bound["new_scratch"] = lambda: _scratch(code.scratch_bytes)
    lines = [f"def kernel({', '.join(names.values())}):"]
    for n, value in enumerate(code.results):
        names[value.number] = f"y{n}"
        lines.append(f"    y{n} = {_new(value, bound)}")
    lines += [
        "    try: scratch = scratches.pop()",
        "    except IndexError: scratch = new_scratch()",
    ]
    arguments = ", ".join(names[value.number] for value in code.arguments)
    lines.append(f"    status = native({arguments}, scratch)")
    lines.append("    scratches.append(scratch)")
    lines.append("    if status: failed(status)")
    results = [
        _as_kind(value, names[code.region.arrays[value.number].root.number]) for value in wanted
    ]
    lines.append(f"    return [{', '.join(results)}]")
    exec(compile("\n".join(lines), "<kernel>", "exec"), bound)
    return bound["kernel"]


def _scratch(size: int) -> Any:
    raw = np.empty(size + 64, np.uint8)
    offset = -raw.ctypes.data % 64
    return raw[offset : offset + size]


def _new(value: Value, bound: dict[str, Any]) -> str:
    """Return the expression of a new array for a result, laid out as eager's."""
    shape, dtype = value.shape or (), np.dtype(float) if value.dtype is None else value.dtype
    name = f"dtype_{dtype.char}"
    bound[name] = dtype
    template = np.empty(shape, dtype)
    if not shape or template.strides == value.strides:
        return f"empty({shape})" if dtype == np.float64 else f"empty({shape}, {name})"
    return f"ndarray({shape}, {name}, None, 0, {value.strides})"


def _as_kind(value: Value, name: str) -> str:
    if value.kind is np.ndarray:
        return name
    return f"{name}[()]" if issubclass(value.kind, np.generic) else f"{name}.item()"
