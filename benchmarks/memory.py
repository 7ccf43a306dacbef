"""The memory of this process, now and at its peak."""

from __future__ import annotations

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


def peak_beyond(prepare: Callable[[], Callable[[], Any]]) -> int:
    """Return the peak memory of a step above the memory before it, in bytes.

    Parameters
    ----------
    prepare : callable
        Returns the step. Both run in a fork of this process.
    """
    read, write = os.pipe()
    child = os.fork()
    if not child:
        found = b""
        try:
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


def _status(name: str) -> int:
    for line in STATUS.read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise LookupError(name)
