"""The executor ``"llvm"``."""

from __future__ import annotations

from dezero_replay.executors import NumPyExecutor
from dezero_replay.graph import Graph

from .background import submit
from .machine import this_machine
from .native import Native


class LLVMExecutor:
    """Runs programs as machine code, with results that may differ in the last bits.

    A long loop may use some threads. If it does not wait for the machine code, NumPy runs a program
    until it is there.
    """

    name, exact = "llvm", False

    def __init__(self, threads: int = 1, wait: bool = False) -> None:
        self.threads, self.wait = threads, wait

    def lower(self, graph: Graph) -> Native:
        """Return a graph as a callable."""
        native = Native(graph, NumPyExecutor().lower(graph), this_machine, self.threads)
        if self.wait:
            native.compile()
        else:
            submit(native.compile)
        return native
