"""Whether a function runs that is differentiated, compiled, recomputed or mapped over a batch."""

from __future__ import annotations

import sys
from types import FrameType

from dezero_core import Function

WRAPPERS: set[str] = set()
"""Modules that call such functions."""


def is_wrapped() -> bool:
    """Return whether the caller is such a function, or is called by one.

    The body of a Function is none, wherever it runs: it computes with arrays.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if _is_body(frame):
            return False
        if frame.f_globals.get("__name__") in WRAPPERS:
            return True
        frame = frame.f_back
    return False


def _is_body(frame: FrameType) -> bool:
    code = frame.f_code
    if code.co_name not in ("forward", "backward") or not code.co_argcount:
        return False
    return isinstance(frame.f_locals.get(code.co_varnames[0]), Function)
