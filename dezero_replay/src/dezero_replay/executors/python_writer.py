"""The source of a Python function, as executors write it, and the function itself."""

from __future__ import annotations

import linecache
import weakref
from itertools import count
from typing import Any

from ..passes.graph import Graph
from ..tape.instructions import Instruction
from ..tape.notes import comment_of, explain

_numbers = count()


class LoweredToPython:
    """A graph as a Python function, with its source."""

    def __init__(self, graph: Graph, source: str, run: Any, planned_bytes: int) -> None:
        self.graph, self.source = graph, source
        self.run, self.planned_bytes = run, planned_bytes
        self.changed: Any = None

    def audited(self, *arrays: Any) -> list[Any]:
        """Return the results of `run`, as a list: NumPy's bits are those of eager code."""
        return list(self.run(*arrays))

    def text(self, form: str) -> str:
        """Return the source: ``"python"`` is the only form."""
        if form != "python":
            raise ValueError(
                f"a program that NumPy runs has the form 'python' alone, got {form!r}."
            )
        return self.source

    def report(self) -> list[str]:
        """Return no lines: the source says everything."""
        return []


class PythonWriter:
    """Writes a graph as the source of a function ``program`` of ``x0``, ``x1``, and so on."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.lines: list[str] = []
        #: The objects that the source names.
        self.bound: dict[str, Any] = {}
        #: Number of a Value -> its name.
        self.names: dict[int, str] = {}
        self.arguments = [f"x{number}" for number in range(len(graph.inputs))]
        #: The instruction of each line.
        self._calls: list[Instruction | None] = []
        self.indent = ""
        self.add(f"def program({', '.join(self.arguments)}):")
        self.indent = "    "

    def add(self, text: str, each: Instruction | None = None) -> None:
        """Add a line, in which an instruction runs."""
        self.lines.append(self.indent + text)
        self._calls.append(each)

    def comment(self, each: Instruction) -> None:
        """Write beside the last line what an instruction gives, and where it is from."""
        self.lines[-1] += comment_of(each)

    def name(self, number: int) -> str:
        """Name a Value of this number."""
        name = self.names[number] = f"v{number}" if number >= 0 else f"w{-number}"
        return name

    def lowered(self, planned_bytes: int) -> LoweredToPython:
        """Return the function; its ``explain(error)`` adds a note to an error."""
        source, file, calls = "\n".join(self.lines), f"<program {next(_numbers)}>", self._calls
        self.bound["explain"] = lambda error: explain(error, calls)
        exec(compile(source, file, "exec"), self.bound)
        run = self.bound["program"]
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        weakref.finalize(run, linecache.cache.pop, file, None)
        return LoweredToPython(self.graph, source, run, planned_bytes)


def literal(x: Any) -> str:
    """Return how a number is written as an operand: without parentheses -2 ** x is -(2 ** x)."""
    text = repr(x)
    return f"({text})" if text.startswith("-") else text
