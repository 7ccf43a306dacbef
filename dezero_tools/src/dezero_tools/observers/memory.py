"""``observe("memory")``: counts the bytes of each operation."""

from __future__ import annotations

import tracemalloc
import weakref
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from dezero_core import Function

from .calls import ObservedCall, Observer, array_of
from .saved_arrays import arrays_saved_by
from .times import add_to, sums_by_plugin, table


class MemoryRow(NamedTuple):
    """The bytes of one operation, or of a whole plugin; `operation` is then empty.

    Attributes
    ----------
    plugin, operation : str
    calls : int
        Number of calls of ``forward`` and ``backward``.
    results, gradients : int
        Total size of the arrays that ``forward`` and ``backward`` returned.
    kept : int
        Total size of the arrays that are saved for ``backward``. While an array lives, it counts
        once, even if several Functions save it.
    peak : int
        The largest amount of memory that one call had allocated at a time, above the amount
        before the call.
    """

    plugin: str
    operation: str
    calls: int = 0
    results: int = 0
    gradients: int = 0
    kept: int = 0
    peak: int = 0

    def __add__(self, other: Any) -> MemoryRow:
        calls, results, gradients, kept = (self[n] + other[n] for n in range(2, 6))
        peak = max(self.peak, other.peak)
        return MemoryRow(self.plugin, self.operation, calls, results, gradients, kept, peak)


class Memory(Observer):
    """Counts the bytes of each operation. Print the observer to get a table.

    The observer starts `tracemalloc`, unless it runs already. `tracemalloc` takes time. Lazy arrays
    have no bytes yet, and count as none.
    """

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], MemoryRow] = {}
        self._kept: dict[int, Any] = {}
        #: Running call -> the memory allocated before it, and the largest amount since then.
        self._open: WeakKeyDictionary[ObservedCall, tuple[int, int]] = WeakKeyDictionary()
        self._started, self._blocks = False, 0

    def start(self) -> None:
        if not self._blocks:
            self._started = not tracemalloc.is_tracing()
        self._blocks += 1
        if self._started and not tracemalloc.is_tracing():
            tracemalloc.start()

    def stop(self) -> None:
        self._blocks -= 1
        if self._started and not self._blocks:
            tracemalloc.stop()

    def before(self, call: ObservedCall) -> None:
        current, peak = tracemalloc.get_traced_memory()
        for outer in call.parents():
            if outer in self._open:
                start, highest = self._open[outer]
                self._open[outer] = start, max(highest, peak)
        tracemalloc.reset_peak()
        self._open[call] = current, current

    def after(self, call: ObservedCall) -> None:
        start, highest = self._open.pop(call)
        peak = max(highest, tracemalloc.get_traced_memory()[1]) - start
        size = sum(array_of(y).nbytes for y in call.outputs)
        results, gradients = (size, 0) if call.method == "forward" else (0, size)
        row = MemoryRow(call.plugin, call.operation, 1, results, gradients, peak=peak)
        add_to(self._rows, row)

    def recorded(self, function: Function) -> None:
        """Count the arrays that a Function keeps, without those that an earlier Function keeps."""
        call = ObservedCall(function, "forward", ())
        kept = 0
        for _, array in arrays_saved_by(function):
            owner = array
            while isinstance(owner.base, np.ndarray):
                owner = owner.base
            known = self._kept.get(id(owner))
            if known is None or known() is not owner:
                self._kept[id(owner)] = weakref.ref(owner)
                kept += owner.nbytes
        add_to(self._rows, MemoryRow(call.plugin, call.operation, kept=kept))

    def rows(self) -> list[MemoryRow]:
        """Return a row for each operation. The operation that keeps most comes first."""
        return sorted(self._rows.values(), key=lambda row: (-row.kept, -row.peak))

    def by_plugin(self) -> list[MemoryRow]:
        """Return a row for each plugin. The plugin that keeps most comes first."""
        return sums_by_plugin(self.rows())

    def __str__(self) -> str:
        def cells(row: MemoryRow) -> list[str]:
            sizes = [f"{size / 1024:,.1f}" for size in row[3:]]
            return [row.operation or "together", row.plugin, str(row.calls), *sizes]

        titles = ["KiB of", "plugin", "calls", "results", "gradients", "kept", "peak"]
        return table(titles, [*map(cells, self.rows())], [*map(cells, self.by_plugin())])

    __repr__ = __str__
