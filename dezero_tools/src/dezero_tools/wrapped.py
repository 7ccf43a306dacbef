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
    while frame is not None and frame.f_globals.get("__name__") not in WRAPPERS:
        is_body = frame.f_code.co_name in ("forward", "backward")
        if is_body and isinstance(next(iter(frame.f_locals.values()), None), Function):
            return False
        frame = frame.f_back
    return frame is not None
