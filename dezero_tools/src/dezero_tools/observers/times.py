"""``observe("time")``: counts the calls of each operation, and their time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dezero_tools.observers.calls import ObservedCall

from .observer import Observer


class Spent(NamedTuple):
    """A number of calls, and their time in all.

    Attributes
    ----------
    calls : int
    seconds : float
        The sum over the calls.
    """

    calls: int = 0
    seconds: float = 0.0

    def __add__(self, other: Any) -> Spent:
        return Spent(self.calls + other.calls, self.seconds + other.seconds)


class TimeRow(NamedTuple):
    """The time of one operation, or of a whole plugin; `operation` is then empty.

    Attributes
    ----------
    plugin, operation : str
    forward, backward : Spent
    seconds : float
        The time of ``forward`` and ``backward`` together.
    """

    plugin: str
    operation: str
    forward: Spent
    backward: Spent

    @property
    def seconds(self) -> float:
        """The time of ``forward`` and ``backward`` together."""
        return self.forward.seconds + self.backward.seconds


class Times(Observer):
    """Counts the calls of each operation and their time. Print the observer to get a table.

    The times are those of ``forward`` and ``backward`` alone, without the work of the core for
    each call. Over lazy arrays, they are those of building the calculation, and not of running it.
    """

    def __init__(self) -> None:
        self._spent: dict[tuple[str, str, str], Spent] = {}

    def after(self, call: ObservedCall) -> None:
        """Add a call."""
        key = call.plugin, call.operation, call.method
        self._spent[key] = self._spent.get(key, Spent()) + Spent(1, call.seconds)

    def rows(self) -> list[TimeRow]:
        """Return a row for each operation. The operation with the longest time comes first."""
        return self._rows(lambda plugin, operation: (plugin, operation))

    def by_plugin(self) -> list[TimeRow]:
        """Return a row for each plugin. The plugin with the longest time comes first."""
        return self._rows(lambda plugin, operation: (plugin, ""))

    def _rows(self, key: Callable[[str, str], tuple[str, str]]) -> list[TimeRow]:
        found: dict[tuple[str, str], dict[str, Spent]] = {}
        for (plugin, operation, method), spent in self._spent.items():
            methods = found.setdefault(key(plugin, operation), {})
            methods[method] = methods.get(method, Spent()) + spent
        rows = [
            TimeRow(*key, methods.get("forward", Spent()), methods.get("backward", Spent()))
            for key, methods in found.items()
        ]
        return sorted(rows, key=lambda row: -row.seconds)

    def __str__(self) -> str:
        together = sum(row.seconds for row in self.rows()) or 1.0

        def cells(row: TimeRow) -> list[str]:
            milliseconds = [f"{1e3 * s:.3f}" for s in (row.forward.seconds, row.backward.seconds)]
            return [
                *(row.operation or "together", row.plugin, str(row.forward.calls)),
                *(milliseconds[0], str(row.backward.calls), milliseconds[1]),
                f"{100 * row.seconds / together:.0f} %",
            ]

        titles = ["operation", "plugin", "forward", "ms", "backward", "ms", "of all"]
        return table(titles, [*map(cells, self.rows())], [*map(cells, self.by_plugin())])

    __repr__ = __str__


def table(titles: list[str], rows: list[list[str]], sums: list[list[str]]) -> str:
    """Return a table as text: two columns of names, aligned left, then numbers, aligned right."""
    columns = zip(titles, *rows, *sums, strict=True)
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for part in ([titles, *rows], sums):
        for row in part:
            cells = zip(row, widths, strict=True)
            aligned = [f"{c:{'<' if n < 2 else '>'}{w}}" for n, (c, w) in enumerate(cells)]
            lines.append("  ".join(aligned).rstrip())
        lines.append("")
    return "\n".join(lines).rstrip()
