"""Calls by which a function reaches outside of the program: files, clocks, the terminal.

A program of NumPy calls would not make them again. Only Python's profiler sees them.
"""

from __future__ import annotations

import datetime
import io
import sys
from collections.abc import Iterator, Set
from contextlib import contextmanager
from types import FrameType
from typing import Any

from .capture import is_skipped
from .tape import Tape

#: Names by which code reaches outside. The profiler slows recording down tenfold, so it is used
#: only where code mentions one of them.
_NAMES = {
    *("print", "open", "input", "read", "readline", "write", "writelines", "flush", "time"),
    *("perf_counter", "monotonic", "process_time", "now", "today", "utcnow", "sleep", "environ"),
    *("getenv", "system", "urandom", "recv", "send", "stdout", "stderr", "stdin", "listdir"),
}

_FUNCTIONS = {print, open, input}
_MODULES = {"time", "posix", "nt", "_io", "io", "_socket", "socket", "select"}


def reaches_outside(function: Any) -> bool:
    """Return whether a function of C reads or writes what is no object of the program."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, io.IOBase):
        return True
    if isinstance(owner, type) and issubclass(owner, datetime.date):
        return True
    if getattr(function, "__module__", None) in _MODULES:
        return True
    return any(function is each for each in _FUNCTIONS)


def may_reach_outside(names: Set[str]) -> bool:
    """Return whether code that mentions these names may do so."""
    return not _NAMES.isdisjoint(names)


@contextmanager
def watched(tape: Tape) -> Iterator[None]:
    """Refuse the recording in a block if the user's code reaches outside."""

    # Nothing is traced in a function that the profiler calls.
    def watch(frame: FrameType, event: str, argument: Any) -> None:  # pragma: no cover
        if event != "c_call" or tape.problem or is_skipped(str(frame.f_globals.get("__name__"))):
            return
        if reaches_outside(argument):
            place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
            name = getattr(argument, "__name__", argument)
            tape.problem = (
                f"{place}: {name}() reaches outside, and a program would not do so: do it outside, "
                "with the result"
            )

    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(None)
