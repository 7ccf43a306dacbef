"""Executors: each lowers a graph to a callable."""

from __future__ import annotations

from typing import Any, Protocol

from .graph import Graph
from .numbers import of_numbers
from .numpy_executor import of_arrays


class Lowered(Protocol):
    """A graph that can be run.

    Attributes
    ----------
    source : str
        Valid Python that says what runs.
    planned_bytes : int
        Memory that it holds between two runs, for each thread.
    """

    source: str
    planned_bytes: int

    def run(self, *arrays: Any) -> list[Any]:
        """Return the wanted values of the graph; they are new arrays."""


class Executor(Protocol):
    """Lowers graphs.

    A plugin registers under the name a callable that takes ``threads=`` and ``wait=`` of
    `dezero_replay.compiled`, and gives an executor for one compiled function.

    Attributes
    ----------
    name : str
        By which users choose it.
    exact : bool
        Whether its results have the bits that eager code gives.
    """

    name: str
    exact: bool

    def lower(self, graph: Graph) -> Lowered:
        """Return a graph, after the passes, as a callable."""


class NumPyExecutor:
    """Calls NumPy with planned memory; programs of single numbers are arithmetic of Python's."""

    name, exact = "numpy", True

    def __init__(self, threads: int = 1, wait: bool = False) -> None:
        """Take the options of `compiled`; NumPy has threads of its own, and nothing is compiled."""

    def lower(self, graph: Graph) -> Lowered:
        """Return a graph, after the passes, as a callable."""
        return of_numbers(graph) or of_arrays(graph)
