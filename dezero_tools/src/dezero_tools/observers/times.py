"""``observe("time")``: how often each operation ran, and for how long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dezero_core.observing import ObservedCall

from .observer import Observer
from .tables import table


class Spent(NamedTuple):
    """How often something ran, and what it took in all.

    Attributes
    ----------
    calls : int
    seconds : float
    """

    calls: int = 0
    seconds: float = 0.0

    def __add__(self, other: Any) -> Spent:
        return Spent(self.calls + other.calls, self.seconds + other.seconds)


class TimeRow(NamedTuple):
    """Time of one operation, or of all of a plugin, whose `operation` is then empty.

    Attributes
    ----------
    plugin, operation : str
    forward, backward : Spent
    seconds : float
        Of both together.
    """

    plugin: str
    operation: str
    forward: Spent
    backward: Spent

    @property
    def seconds(self) -> float:
        """Of both together."""
        return self.forward.seconds + self.backward.seconds


class Times(Observer):
    """Counts the calls of each operation, and the time that they take; print it for a table.

    Times are those of ``forward`` and ``backward`` alone: what the core does for each call is not
    in them.
    """

    def __init__(self) -> None:
        self._spent: dict[tuple[str, str, str], Spent] = {}

    def after(self, call: ObservedCall) -> None:
        """Add a call."""
        key = call.plugin, call.operation, call.method
        self._spent[key] = self._spent.get(key, Spent()) + Spent(1, call.seconds)

    def rows(self) -> list[TimeRow]:
        """Return a row for each operation, the longest first."""
        return self._rows(lambda plugin, operation: (plugin, operation))

    def by_plugin(self) -> list[TimeRow]:
        """Return a row for each plugin, the longest first."""
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
