"""Profilers: while one is active, calls run eagerly, since it is to see the user's own code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

#: From Python 3.12 on: cProfile is a tool of this module, and `sys.getprofile` does not know of it.
_monitoring: Any = getattr(sys, "monitoring", None)

MONITORS = _monitoring is not None
"""Whether Python has `sys.monitoring`."""

#: ``tool(number)`` returns the tool that uses a number of `sys.monitoring`; None if none does.
tool: Callable[[int], Any] = _monitoring.get_tool if _monitoring else {}.get

PROFILER = 2
"""The number that `sys.monitoring` reserves for profilers; coverage and debuggers have others."""


def is_profiled() -> bool:
    """Return whether a profiler is active, in either of Python's two ways."""
    return sys.getprofile() is not None or tool(PROFILER) is not None
