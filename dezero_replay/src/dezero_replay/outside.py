"""Calls by which a function reaches outside of the program: files, clocks, the terminal.

A program of NumPy calls would not make them again. Only Python's profiler sees them.
"""

from __future__ import annotations

import datetime
import gc
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

_FILES, _CLOCK, _SYSTEM = "works on a file", "asks the clock", "asks the operating system"
_FUNCTIONS = {
    print: "writes to the terminal",
    input: "reads from the keyboard",
    open: "opens a file",
}
_MODULES = {
    **dict.fromkeys(("_io", "io"), _FILES),
    **dict.fromkeys(("posix", "nt", "_socket", "socket", "select"), _SYSTEM),
    "time": _CLOCK,
}


def use_of_the_outside(function: Any) -> str:
    """Return in words how a function of C reads or writes beyond the program; "" if not."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, io.IOBase):
        return _FILES
    if isinstance(owner, type) and issubclass(owner, datetime.date):
        return _CLOCK
    found = next((use for each, use in _FUNCTIONS.items() if function is each), "")
    return found or _MODULES.get(str(getattr(function, "__module__", "")), "")


def may_reach_outside(names: Set[str]) -> bool:
    """Return whether code that mentions these names may reach outside."""
    return not _NAMES.isdisjoint(names)


@contextmanager
def watched(tape: Tape) -> Iterator[None]:
    """Refuse the recording in a block if the user's code reaches outside."""

    # Nothing is traced in a function that the profiler calls.
    def watch(frame: FrameType, event: str, argument: Any) -> None:  # pragma: no cover
        if event != "c_call" or tape.problem or is_skipped(str(frame.f_globals.get("__name__"))):
            return
        if use := use_of_the_outside(argument):
            place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
            name = getattr(argument, "__name__", argument)
            tape.problem = (
                f"{place}: {name}() {use}, and a replay would not do this: call {name}() before or "
                "after the function"
            )

    collects = gc.isenabled()
    gc.disable()  # whose callbacks, as Dask's, may ask the clock, and are not the user's
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(None)
        if collects:
            gc.enable()
