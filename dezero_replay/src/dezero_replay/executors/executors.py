"""Executors: each lowers a graph to a callable."""

from __future__ import annotations

from typing import Any, Protocol

from ..passes.graph import Graph
from ..passes.loops import with_loops
from .elements import NotOfNumbers
from .numbers import NumbersExecutor
from .numpy_executor import of_arrays
from .python_writer import LoweredToPython


class Lowered(Protocol):
    """A graph that can be run.

    Attributes
    ----------
    graph : Graph
        The graph as it runs: with loops, or call by call.
    run : callable
        Takes the inputs of the graph, and returns its wanted values in a list; they are new arrays.
        It may be replaced by a faster one at any time.
    changed : callable
        Called without arguments when `run` was replaced; the caller of `run` sets it.
    planned_bytes : int
        Bytes of memory that it holds between two runs, for each thread.
    """

    graph: Graph
    run: Any
    changed: Any
    planned_bytes: int

    def audited(self, *arrays: Any) -> list[Any]:
        """Return the wanted values with the bits of eager code; look whether `run` is right."""

    def text(self, form: str) -> str:
        """Return the code that runs, in ``"python"`` or another form.

        Raises
        ------
        ValueError
            If there is no such form.
        """

    def report(self) -> list[str]:
        """Return lines for `dezero_replay.compilation.Compiled.explain`."""


class Executor(Protocol):
    """Lowers graphs.

    A plugin registers under the name a callable that takes ``threads=`` and ``wait=`` of
    `dezero_replay.compiled`, and gives an executor for one compiled function.

    Attributes
    ----------
    name : str
        The name by which users choose it.
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

    def lower(self, graph: Graph) -> LoweredToPython:
        """Return a graph, after the passes, as a callable."""
        try:
            return NumbersExecutor().lower(graph)
        except NotOfNumbers:
            return of_arrays(with_loops(graph, small=True))
