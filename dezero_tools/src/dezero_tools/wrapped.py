"""Whether a function runs that is differentiated, compiled, recomputed or mapped over a batch."""

from __future__ import annotations

import sys
from types import FrameType

from dezero_core import Function
from dezero_core.extend import call_of, mode

CALLERS: dict[str, set[str]] = {Function.__module__: set(), call_of.__module__: set()}
"""Module -> its functions that call such a function; none for one that calls bodies of Functions.

A body is no such function, wherever it runs: it computes with arrays.
"""


def is_wrapped() -> bool:
    """Return whether the caller is such a function, or is called by one."""
    frame: FrameType | None = None if mode.get().in_backward else sys._getframe(1)
    while frame is not None:
        names = CALLERS.get(frame.f_globals.get("__name__", ""))
        if names is not None and (not names or frame.f_code.co_name in names):
            return bool(names)
        frame = frame.f_back
    return False
