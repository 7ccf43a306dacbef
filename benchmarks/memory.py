"""The memory of this process, now and at its peak."""

from __future__ import annotations

import ctypes
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def resident() -> int:
    """Return the resident set of this process, in bytes."""
    return _status("VmRSS") if STATUS.exists() else peak()


def peak() -> int:
    """Return the highest resident set of this process, in bytes.

    On Linux it is the peak of this program alone. The peak that `resource` gives also counts the
    program that started this one.
    """
    if STATUS.exists():
        return _status("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def peak_beyond(
    first: Callable[[], Any], prepare: Callable[[], Callable[[], Any]], keeps: bool = False
) -> int:
    """Return the peak memory of a step above the memory before it, in bytes.

    All run in a fork of this process.

    Parameters
    ----------
    first : callable
        Is called before the memory is looked at.
    prepare : callable
        Returns the step.
    keeps : bool
        Whether the memory is looked at before `prepare`, since that keeps memory for the step.
    """
    read, write = os.pipe()
    child = os.fork()
    if not child:
        found = b""
        try:
            first()
            if keeps:
                give_back()
                before = resident()
                step = prepare()
                give_back()
            else:
                step = prepare()
                before = resident()
            if CLEAR.exists():
                CLEAR.write_text("5")  # reset the peak to the memory of now
            result = step()
            found = str(peak() - before).encode()
            del result
        finally:
            os.write(write, found)
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        found = answer.read()
    os.waitpid(child, 0)
    return int(found)


def give_back() -> None:
    """Return to the system the memory that this process has freed, where libc can do so.

    Else the peak of a replay would be that of the recordings before it.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _status(name: str) -> int:
    for line in STATUS.read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise LookupError(name)
