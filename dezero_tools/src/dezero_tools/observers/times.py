"""``observe("time")``: counts the calls of each operation, and their time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from .calls import ObservedCall, Observer


class Spent(NamedTuple):
    """A number of calls, and their time in all."""

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
        return self.forward.seconds + self.backward.seconds

    def __add__(self, other: Any) -> TimeRow:
        forward, backward = self.forward + other.forward, self.backward + other.backward
        return self._replace(forward=forward, backward=backward)


class Times(Observer):
    """Counts the calls of each operation and their time. Print the observer to get a table.

    The times are those of ``forward`` and ``backward`` alone, without the work of the core for
    each call. Over lazy arrays, they are those of building the calculation, and not of running it.
    """

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], TimeRow] = {}

    def after(self, call: ObservedCall) -> None:
        spent: dict[str, Any] = {call.method: Spent(1, call.seconds)}
        row = TimeRow(call.plugin, call.operation, Spent(), Spent())
        add_to(self._rows, row._replace(**spent))

    def rows(self) -> list[TimeRow]:
        """Return a row for each operation. The operation with the longest time comes first."""
        return sorted(self._rows.values(), key=lambda row: -row.seconds)

    def by_plugin(self) -> list[TimeRow]:
        """Return a row for each plugin. The plugin with the longest time comes first."""
        return sorted(sums_by_plugin(self._rows.values()), key=lambda row: -row.seconds)

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


def add_to(rows: dict[tuple[str, str], Any], row: Any) -> None:
    """Add a row to that of the same operation, if there is one."""
    key = row.plugin, row.operation
    rows[key] = rows[key] + row if key in rows else row


def sums_by_plugin(rows: Iterable[Any]) -> list[Any]:
    """Return the sum of the rows of each plugin, in their order."""
    found: dict[tuple[str, str], Any] = {}
    for row in rows:
        add_to(found, row._replace(operation=""))
    return list(found.values())


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
