"""The result of comparing two plugins that provide one operation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dezero_core import Operation

from .rules import counted


@dataclass(frozen=True)
class Difference:
    """The largest difference, and its place in a call of a sample.

    Parameters
    ----------
    size : float
        ``inf`` if the numbers are different and one of them is nan or infinite.
    call : str
    element : tuple of int
        The index in the array.
    a, b : NumPy scalar
        The elements that the two plugins returned there.
    """

    size: float
    call: str
    element: tuple[int, ...]
    a: Any
    b: Any

    def __str__(self) -> str:
        where = f"element {list(self.element)} of {self.call}" if self.element else self.call
        return f"{self.size:.3g} in {where}: {self.a} and {self.b}"


@dataclass(frozen=True)
class Mismatch:
    """Arrays of different shapes or dtypes, or different numbers of arrays, in a call of a sample.

    Parameters
    ----------
    what : str
        The kind of arrays, such as ``"values"`` or ``"gradient of input 0"``.
    call : str
    a, b : str
        The results of the two plugins, such as ``"float64 of shape (2, 3)"``.
    """

    what: str
    call: str
    a: str
    b: str

    def __str__(self) -> str:
        return f"{self.what} of {self.call}: {self.a} and {self.b}"


@dataclass(frozen=True)
class Failure:
    """A call of a sample in which one of the two plugins raises.

    Parameters
    ----------
    plugin, call, message : str
    what : str
        The step that failed: ``"values"``, ``"gradients"``, ``"arrays"`` (the sample cannot draw
        them), or ``"time"`` (only a repeated call raises).
    """

    plugin: str
    what: str
    call: str
    message: str

    def __str__(self) -> str:
        return f"{self.plugin} fails: {self.what} of {self.call}: {self.message}"


@dataclass
class Comparison:
    """The result of a comparison. ``str()`` of it is a full report.

    Parameters
    ----------
    a, b : Operation
        The operations of the two plugins.
    calls : list of str
        The calls of both samples, with real data, and with complex data if both samples say so.
    absolute, relative : dict from str to Difference
        The largest differences, for each kind of array: ``"values"``, or ``"values of output 0"``
        if there are several outputs, and ``"gradient of input 0"``. Equal arrays have a difference
        of size 0.
    mismatches : list of Mismatch
    failures : list of Failure
    seconds : dict from str to dict
        ``"forward"`` and ``"backward"`` -> plugin -> the sum, over the calls, of the least time of
        each call. ``"backward"`` is missing if there is no derivative.
    rounds : int
        The number of times that each call was timed, the two plugins by turns.
    """

    a: Operation
    b: Operation
    calls: list[str] = field(default_factory=list)
    absolute: dict[str, Difference] = field(default_factory=dict)
    relative: dict[str, Difference] = field(default_factory=dict)
    mismatches: list[Mismatch] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    seconds: dict[str, dict[str, float]] = field(default_factory=dict)
    rounds: int = 0

    def within(self, tolerance: float) -> bool:
        """Return whether one plugin can stand in for the other.

        Parameters
        ----------
        tolerance : float
            The largest relative difference that is allowed.

        Returns
        -------
        bool
            False as well if one plugin fails, or a shape or dtype differs.
        """
        close = all(found.size <= tolerance for found in self.relative.values())
        return close and not self.failures and not self.mismatches

    @property
    def verdict(self) -> str:
        """One or two sentences about the differences."""
        parts = []
        for plugin in (self.a.plugin, self.b.plugin):
            calls = {failure.call for failure in self.failures if failure.plugin == plugin}
            if calls:
                total = counted(len(self.calls), "call")
                parts.append(f"{plugin} fails in {len(calls)} of {total}.")
        if self.mismatches:
            calls = {mismatch.call for mismatch in self.mismatches}
            parts.append(f"Shape or dtype are not the same in {len(calls)} of them.")
        if self.relative:
            what = max(self.relative, key=lambda what: self.relative[what].size)
            size = self.relative[what].size
            if size == 0.0:
                compared = "Values and gradients" if len(self.relative) > 1 else "Values"
                parts.append(f"{compared} are the same.")
            elif np.isinf(size):
                parts.append(f"They differ in the {what}, where one is nan or infinite.")
            else:
                parts.append(f"They differ by {size:.2g} at most, relative, in the {what}.")
        return " ".join(parts) or "Nothing was compared."

    def __str__(self) -> str:
        a, b = self.a.plugin, self.b.plugin
        lines = [f"{self.a.name}: {a} and {b}, in {counted(len(self.calls), 'call')}"]
        approximate = (each for each in (self.a, self.b) if each.approximate)
        lines += [f"{each.plugin} is approximate: {each.approximate}" for each in approximate]
        for what, difference in self.absolute.items():
            if difference.size == 0.0:
                lines.append(f"{what}: the same")
            else:
                lines += [f"{what}:", f"  absolute {difference}"]
                lines.append(f"  relative {self.relative[what]}")
        lines += _shortened(self.mismatches)
        lines += _shortened(self.failures)
        if self.seconds:
            lines.append(f"time, summed over the calls, the best of {self.rounds}:")
        for direction, by_plugin in self.seconds.items():
            times = [f"{name} {seconds * 1e6:,.1f} µs" for name, seconds in by_plugin.items()]
            ratio = by_plugin[b] / max(by_plugin[a], 1e-9)
            lines.append(f"  {direction:8} {', '.join(times)}: {ratio:.2f} times as long")
        return "\n".join([*lines, self.verdict])


def _shortened(found: Sequence[Mismatch | Failure]) -> Iterator[str]:
    """Yield the first of each kind, with the number of the others."""
    kinds: dict[Any, list[Mismatch | Failure]] = {}
    for each in found:
        kinds.setdefault((getattr(each, "plugin", None), each.what), []).append(each)
    for first, *others in kinds.values():
        yield f"{first} (and {counted(len(others), 'call')} more)" if others else str(first)
