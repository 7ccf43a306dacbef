"""Arguments in the source of a program: the texts of values, numbers, indices and objects."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..passes.graph import Graph
from ..passes.rounds import Counter, Linear
from ..tape.instructions import Value
from .python_writer import PythonWriter, literal


class ArgumentWriter(PythonWriter):
    """Writes the arguments of calls, and binds the objects among them to names."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._by_id: dict[int, str] = {}
        self._hints: dict[str, int] = {}
        #: The variables of the loops around the present line.
        self.counters: dict[Counter, str] = {}

    def texts(self, args: Iterable[Any], named: Iterable[Any] = ()) -> list[str]:
        """Return how arguments of a call are written."""
        return [*map(self.text, args), *(f"{name}={self.text(x)}" for name, x in named)]

    def index(self, index: Any) -> str:
        """Return how an index is written between brackets."""
        parts = index if type(index) is tuple and index else (index,)
        return ", ".join(
            [self._slice(part) if type(part) is slice else self.text(part) for part in parts]
        )

    def _slice(self, part: slice) -> str:
        ends = ["" if x is None else self.text(x) for x in (part.start, part.stop)]
        return ":".join(ends) + ("" if part.step is None else f":{self.text(part.step)}")

    def text(self, x: Any) -> str:
        """Return how an argument is written."""
        if type(x) is Value:
            if x.number not in self.names:
                self.names[x.number] = self.bind(self.graph.constants[x.number], "c")
            return self.names[x.number]
        if type(x) is Linear:
            return self._number(x)
        if isinstance(x, (tuple, list)) and not hasattr(x, "_fields"):
            items = self.texts(x)
            if isinstance(x, list):
                return f"[{', '.join(items)}]"
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
        if isinstance(x, dict):
            return "{" + ", ".join(f"{key!r}: {self.text(item)}" for key, item in x.items()) + "}"
        if isinstance(x, slice):
            return f"slice({', '.join(self.texts((x.start, x.stop, x.step)))})"
        is_finite = not isinstance(x, float) or np.isfinite(x)
        if type(x) in (int, float, bool, str, type(None)) and is_finite:
            return literal(x)
        if x is Ellipsis:
            return "..."
        return self.bind(x, "k")

    def _number(self, x: Linear) -> str:
        """Return how a number that grows is written: ``2 * i + 1``."""
        terms = [_term(step, self.counters[counter]) for counter, step in x.steps]
        text = "+".join([*terms, *([str(x.start)] if x.start else [])])
        return text.replace("+-", " - ").replace("+", " + ")

    def bind(self, x: Any, hint: str) -> str:
        """Return the name of an object in the program."""
        found = self._by_id.get(id(x))
        if found is not None:
            return found
        hint = "".join(char if char.isalnum() else "_" for char in hint)
        number = self._hints[hint] = self._hints.get(hint, 0) + 1
        is_free = hint not in _RESERVED and not _OF_VALUES.fullmatch(hint)
        name = hint if number == 1 and is_free else f"{hint}_{number}"
        self.bound[name] = x
        self._by_id[id(x)] = name
        return name


def _term(step: int, counter: str) -> str:
    return {1: counter, -1: f"-{counter}"}.get(step, f"{step} * {counter}")


#: Names that the source has of its own.
_RESERVED = {"arena", "arenas", "new_arena", "explain", "program", "slice", "error", "view"}
_RESERVED |= {"range", "IndexError", "Exception"}
_OF_VALUES = re.compile("[ijklmn]|[a-z][0-9]+")
