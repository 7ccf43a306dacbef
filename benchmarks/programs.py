"""The figures of a whole program: its peak of memory, its first three calls, and a call.

The *first three calls* are timed where a library compiles, from the start of the first one until
the third one has its result. All that is recorded, traced and compiled is part of them, and no
machine code of an earlier run is found; but the process has compiled another, short program before.
The *peak* is that of four calls, of which a replay audits the fourth, above the memory that a
process has after four calls of the same program with a few rounds: then the libraries have loaded
what they need.
"""

from __future__ import annotations

import functools
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from workloads import Absent, Case, Noted, Peak
from workloads.compilation import keeping

LEFT_OUT = dict.fromkeys(
    ("autograd", "mygrad", "dezero_book"), "takes part in the shorter workloads alone"
)

FIRST, WITH_AUDIT = 3, 4
"""Calls."""

CALL, FIRST_CALLS, PEAK = "call", "first three calls", "peak of four calls"

Arrays = Sequence[np.ndarray]


@dataclass(frozen=True)
class Program:
    """A program that is measured.

    Attributes
    ----------
    made : callable
        Takes an adapter and a size; returns a function of what ``constant`` returns, which returns
        a list.
    by_hand : callable
        Takes the size and the arrays; returns what the function of an adapter returns.
    data : callable
        Takes the size; returns the arrays that the program is called with.
    size, small : int
        The size that is measured, mostly a number of rounds, and a small one.
    name : str
        Tells the figures of this program from those of another one of its workload.
    """

    made: Callable[[Any, int], Callable[..., Any]]
    by_hand: Callable[..., Arrays]
    data: Callable[[int], Arrays]
    size: int
    small: int
    name: str = ""

    def function(self, lib: Any, size: int) -> Callable[[], Any]:
        """Return a function without arguments, which compiles itself in its first calls."""
        arrays = self.data(size)
        if lib.__name__ == "adapters.floor":
            return functools.partial(self.by_hand, size, *arrays)
        function = self.made(lib, size)
        if hasattr(lib, "compiling"):
            function = lib.compiling(function)
        return functools.partial(function, *map(lib.constant, arrays))

    def cases(self, lib: Any) -> Iterator[Any]:
        """Yield the figures of a library."""
        end = f", {self.name}" if self.name else ""
        if lib.__name__ == "adapters.jax":
            yield Absent(PEAK + end, "has threads, with which the process cannot be forked")
        else:
            few = functools.partial(_calls, self.function(lib, self.small), WITH_AUDIT)
            all_ = functools.partial(_calls, self.function(lib, self.size), WITH_AUDIT)
            yield Peak(PEAK + end, few, lambda: all_, keeps=True)
        call = self.function(lib, self.size)
        if hasattr(lib, "compiling"):
            _calls(_other(lib), FIRST)
            start = time.perf_counter()
            _calls(call, FIRST)
            yield Noted(FIRST_CALLS + end, [time.perf_counter() - start], 1)
        expected = self.by_hand(self.size, *self.data(self.size))
        yield Case(CALL + end, call, expected, values=5)


def _other(lib: Any) -> Callable[[], Any]:
    """Return a function that compiles a short program, for which the compiler is loaded."""
    f = lib.value_and_gradients(lambda x: lib.xp.sum(lib.xp.tanh(x) * x), 1)
    return functools.partial(lib.compiling(f), lib.constant(np.ones(100)))


def _calls(call: Callable[[], Any], number: int) -> None:
    """Call a function in turn, with no machine code of an earlier run."""

    def calls() -> None:
        for _ in range(number):
            call()

    with tempfile.TemporaryDirectory() as folder:
        keeping(folder, calls)()
