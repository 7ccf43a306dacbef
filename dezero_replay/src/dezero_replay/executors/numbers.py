"""Programs of a few numbers, as arithmetic of Python's floats: the same bits, without NumPy.

Of a small array, each element is a number of its own.

Where a result is not finite, or Python raises an error, NumPy runs the whole again, for its
warnings and errors.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import isfinite, isinf, prod, sqrt
from typing import Any

import numpy as np

from ..errors import GuardError
from ..passes.graph import Graph
from ..tape.errstate import is_calm, of_errors
from ..tape.instructions import Value
from .elements import Elements, Operand
from .numpy_executor import of_arrays
from .python_writer import LoweredToPython, PythonWriter

_FEW = 8
_NAMED = 200
"""In programs of up to so many lines each number has a name of its own; longer ones use names
again, which makes CPython faster."""

#: Functions and types that the source names.
_CALLED: Any = (sqrt, isfinite, isinf, is_calm, np.array, np.empty, np.float64, GuardError)


class NumbersExecutor:
    """Computes with Python's floats; `lower` raises `NotOfNumbers` if that will not do."""

    name, exact = "numbers", True

    def lower(self, graph: Graph) -> LoweredToPython:
        """Return a graph of single float64 as a callable."""
        return _Writer(graph).lowered(0)


class _Writer(PythonWriter):
    """Writes a line for each operation on single numbers."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._elements = elements = Elements(graph)
        self._steps, self._looked = elements.steps, elements.looked
        self.bound |= elements.guards
        #: Index of the last step that reads a Value; the results are one step more.
        self._last = {
            x.number: index
            for index, operands in enumerate([*(step[2] for step in self._steps), self._looked])
            for x in operands
            if type(x) is Value
        }
        #: Names of dead numbers, to be given again, and how many there are; in long programs only.
        self._free: list[str] = []
        self._count = 0
        again = f"return by_numpy({', '.join(self.arguments)})"
        self._body(again)
        self._ending(again)
        by_numpy = cache(lambda: of_arrays(graph).run)  # made when it is needed
        self.bound |= {each.__name__: each for each in _CALLED}
        self.bound |= {"state": of_errors, "calm": [object()]}
        self.bound["by_numpy"] = lambda *arrays: by_numpy()(*arrays)

    def _body(self, again: str) -> None:
        self.add(f"if state() is not calm[0] and not is_calm(calm): {again}")
        self.add("try:")
        self.indent, begun = "        ", len(self.lines)
        for argument, value in zip(self.arguments, self.graph.inputs, strict=True):
            cells = self._elements.cells(value)
            if any(x.number in self._last for x in cells.flat):
                how = "" if value.kind is float else ".item()" if cells.size == 1 else ".tolist()"
                self.add(f"{_nested(cells, self._new)} = {argument}{how}")
        for index, (y, text, operands, each) in enumerate(self._steps):
            filled = text.format(*map(self._text, operands))
            self._release(operands, index)
            if y is not None:
                filled = f"{self._new(y)} = {filled}"
                self._release([y], None)
            self.add(filled, each)
            self.comment(each)
        if len(self.lines) == begun:  # all results are constants
            self.add("pass")
        self.indent = "    "
        self.add(f"except (ZeroDivisionError, ValueError): {again}")

    def _text(self, x: Operand) -> str:
        return x if isinstance(x, str) else self.names[x.number]

    def _new(self, value: Value) -> str:
        if len(self._steps) <= _NAMED:
            return self.name(value.number)
        if not self._free:
            self._count += 1
            self._free.append(f"r{self._count}")
        name = self.names[value.number] = self._free.pop()
        return name

    def _release(self, operands: list[Any], index: int | None) -> None:
        """Let the names of Values that nobody reads after a step be given again, each once."""
        for x in operands:
            if type(x) is Value and self._last.get(x.number) == index:
                name = self.names[x.number]
                if name.startswith("r") and name not in self._free[-2:]:
                    self._free.append(name)

    def _ending(self, again: str) -> None:
        """Write the look at what must be finite, and the results as new arrays."""
        looked = list(dict.fromkeys(self._text(x) for x in self._looked if type(x) is Value))
        if len(looked) > _FEW:
            self.add(f"if not all(map(isfinite, ({', '.join(looked)},))): {again}")
        elif looked:
            differences = " == ".join(f"{name} - {name}" for name in looked)
            self.add(f"if not {differences} == 0.0: {again}")
        results = [_nested(cells, self._text) for cells in self._elements.wanted]
        for n, value in enumerate(self.graph.wanted):
            if n not in self.graph.copied or self._elements.wanted[n].size > 1:
                results[n] = self._result(value, results[n], f"y{n}")
        self.add(f"return [{', '.join(results)}]")

    def _result(self, value: Value, text: str, name: str) -> str:
        """Return the text of a new array or scalar, for which lines are written before."""
        if value.kind is np.float64:
            return f"float64({text})"
        if value.shape == () or prod(value.shape) > 1:
            self.add(f"{name} = array({text})")
        else:
            self.add(f"{name} = empty({value.shape})")
            self.add(f"{name}[{', '.join('0' * len(value.shape))}] = {text}")
        return name


def _nested(cells: Any, text: Callable[[Any], str]) -> str:
    """Return the texts of operands, in lists in each other; of one operand, its text."""
    if cells.size == 1:
        return text(cells.item())
    rows = [text(x) if type(x) is not np.ndarray else _nested_row(x, text) for x in cells]
    return f"[{', '.join(rows)}]"


def _nested_row(cells: Any, text: Callable[[Any], str]) -> str:
    rows = [text(x) if type(x) is not np.ndarray else _nested_row(x, text) for x in cells]
    return f"[{', '.join(rows)}]"
