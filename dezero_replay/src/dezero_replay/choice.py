"""Programs that one entry leads to: a number that decides, as of ``range(n)``, says which one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .errors import GuardError
from .program import Program

_MOST = 100
"""So many programs are kept."""


class Choice:
    """Programs that differ in the whole number that is the input at a position, and what follows.

    Each was recorded: a round that no other program has may do anything.
    """

    def __init__(self, position: int) -> None:
        self.position = position
        #: The number -> its program, and the names by which that is run.
        self._programs: dict[int, tuple[Program, dict[str, Any]]] = {}

    def add(self, program: Program, most_bytes: int) -> None:
        """Add a program; the oldest ones go if there are many, or if all hold too many bytes."""
        number, names = program.decided[self.position], dict[str, Any]()
        assert number is not None
        program.entered_by = [names]  # an entry runs a choice, and that runs the program by this
        names.setdefault("run", program.run)
        self._programs[number] = program, names
        while len(self._programs) > 1 and (
            len(self._programs) > _MOST or self.planned_bytes > most_bytes
        ):
            del self._programs[next(iter(self._programs))]

    def at(self, arrays: Sequence[Any]) -> Program:
        """Return the program for some inputs; raise a GuardError if there is none."""
        return self._at(arrays)[0]

    def run(self, *arrays: Any) -> list[Any]:
        """Run the program for some inputs; raise a GuardError if there is none."""
        values: list[Any] = self._at(arrays)[1]["run"](*arrays)
        return values

    def _at(self, arrays: Sequence[Any]) -> tuple[Program, dict[str, Any]]:
        try:
            return self._programs[arrays[self.position]]
        except KeyError:
            raise GuardError(None) from None

    def compute(self, arrays: list[Any]) -> list[Any]:
        """Return the wanted values by the program for some inputs."""
        return self.at(arrays).compute(arrays)

    @property
    def planned_bytes(self) -> int:
        """Bytes that the programs hold between calls."""
        return sum(program.planned_bytes for program, _ in self._programs.values())

    @property
    def numbers(self) -> list[int]:
        """The numbers that have a program."""
        return sorted(self._programs)
