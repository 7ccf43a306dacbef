"""Numbers that differ from call to call: after a few values, each is an input of the programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .recording import Recording

_VALUES = 2
"""Values that a number may have before it becomes an input."""


def is_number(x: Any) -> bool:
    """Return whether an argument is a number of Python's, which may become an input."""
    return type(x) in (int, float, complex)


class VaryingNumbers:
    """The values that the numbers of a function have had, and which numbers are inputs."""

    def __init__(self) -> None:
        #: The `identity` of each number that is an input. An argument has ``("argument", index)``.
        self.inputs: set[Any] = set()
        #: Numbers that decide something, so that each value needs a program of its own.
        self._fixed: set[Any] = set()
        self._values: dict[Any, set[str]] = {}
        #: Form of the arguments -> index of a number -> the values that it has had.
        self._arguments: dict[Any, dict[int, set[str]]] = {}

    def is_input(self, index: int, x: Any) -> bool:
        """Return whether a leaf of the arguments is an input: an array, or a varying number."""
        return isinstance(x, np.ndarray) or (("argument", index) in self.inputs and is_number(x))

    def fixed_arguments(self, form: Any, leaves: list[Any]) -> tuple[str, ...]:
        """Note the numbers among the arguments; return the values of those that are no inputs."""
        seen = self._arguments.setdefault(form, {})
        fixed = []
        for index, x in enumerate(leaves):
            if not is_number(x):
                continue
            identity, values = ("argument", index), seen.setdefault(index, set())
            if len(values) <= _VALUES:
                values.add(repr(x))
            if len(values) > _VALUES and identity not in self._fixed:
                self.inputs.add(identity)
            if identity not in self.inputs:
                fixed.append(repr(x))
        return tuple(fixed)

    def forget(self, form: Any) -> None:
        """Forget the values of the numbers among arguments of a form."""
        self._arguments.pop(form, None)

    def note(self, recording: Recording) -> bool:
        """Note the numbers of a recording; return whether other ones are inputs from now on.

        If the recording was refused, its numbers did more than arithmetic: none is an input again.
        """
        before = set(self.inputs)
        if recording.problem:
            self._fixed |= self.inputs
            self.inputs.clear()
            return bool(before)
        self.inputs |= {each.identity for each in recording.varying} - self._fixed
        if recording.varying and self.inputs == before:
            names = ", ".join(map(str, recording.varying))
            recording.tape.problem = (
                f"the function changes {names}, and not by arithmetic alone: decide outside of the "
                "function, and give the decision as an argument"
            )
        for place in recording.reached.numbers:
            values = self._values.setdefault(place.identity, set())
            if len(values) <= _VALUES:
                values.add(repr(place.found))
            fixed = self._fixed | recording.reached.fixed
            if len(values) > _VALUES and place.is_writable and place.identity not in fixed:
                self.inputs.add(place.identity)
        return before != self.inputs
