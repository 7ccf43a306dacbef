"""Comments in the source of a program, and notes of errors that leave it: whose call, and where."""

from __future__ import annotations

import os
from typing import Any

from dezero_core.notes import described, plugin_of, written

from .errors import GuardFailed
from .tape import Instruction


def comment(each: Instruction) -> str:
    """Return what is written beside a call: ``float64[8, 3]  Tanh of math  train.py:7``."""
    parts = []
    if each.outputs and each.outputs[0].dtype is not None:
        y = each.outputs[0]
        parts.append(f"{y.dtype}{list(y.shape)}")
    if each.region is not None:
        cls = type(each.region.function)
        plugin = plugin_of(cls)
        parts.append(f"{cls.__name__} of {plugin.name if plugin else cls.__module__}")
    if each.where:
        parts.append(os.path.basename(each.where))
    return "  ".join(parts)


def explain(error: Exception, lines: list[Instruction | None], code: Any) -> None:
    """Add a note to an error that left a program: which call, with what, and where it is written.

    Parameters
    ----------
    error : Exception
    lines : list of Instruction or None
        The call in each line of the program.
    code : code object
        That of the program.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code is not code:
        trace = trace.tb_next
    each = lines[trace.tb_lineno - 1] if trace is not None else None
    if isinstance(error, GuardFailed) or each is None:
        return
    given = ", ".join(map(written, each.args))
    if each.region is not None:
        name = described(each.region.function, each.region.method)
    else:
        name = getattr(each.call, "__name__", None) or repr(each.call)
    error.add_note(f"in {name}, given {given}, called at {each.where} when it was recorded")
