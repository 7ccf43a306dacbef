"""Loops over one shape, and what they do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .steps import Array, Step, Whole


@dataclass(eq=False)
class Nest:
    """Loops over one shape, and the steps that each element goes through."""

    #: Nests of lower levels run before.
    level: int
    shape: tuple[int, ...]
    #: Maps and Reductions, or one step that is `Whole`.
    steps: list[Step] = field(default_factory=list)
    reductions: int = 0
    #: The axis that the innermost loop must go along.
    inner: int | None = None
    #: The roots, and the boxes of roots, that steps of this nest write, element by element.
    makes: set[Array] = field(default_factory=set)

    def has(self, x: Any) -> bool:
        """Return whether an operand is in a register when its element is computed."""
        return isinstance(x, Array) and x in self.makes

    @property
    def is_of_numbers(self) -> bool:
        """Whether it computes single numbers."""
        return is_of_numbers(self.steps[0])

    @property
    def work(self) -> int:
        """About how many elements are computed."""
        return max(step.work for step in self.steps)

    def take(self, other: Nest) -> None:
        """Do the steps of another nest first, in the same loops."""
        self.steps[:0] = other.steps
        self.makes |= other.makes


def is_stored(x: Array, stored: set[Any]) -> bool:
    """Return whether an array that is written has to be in memory."""
    return x.root.number in stored or x in stored


def is_of_numbers(step: Step) -> bool:
    """Return whether a step computes a single number."""
    return step.shape == () and not isinstance(step, Whole)
