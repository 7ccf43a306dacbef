"""Comments in the source of a program, and notes of errors that leave it: whose call, and where."""

from __future__ import annotations

import os
from typing import Any

from dezero_core.extend import brief, described, plugin_of

from ..errors import GuardError
from .instructions import Instruction


def comment_of(each: Instruction) -> str:
    """Return the text beside a call: ``  # float64[8, 3]  Tanh of math  train.py:7``."""
    parts = []
    if each.outputs and each.outputs[0].dtype is not None:
        parts.append(f"{each.outputs[0].dtype}{list(each.outputs[0].shape)}")
    if each.region is not None:
        cls = type(each.region.function)
        plugin = plugin_of(cls)
        parts.append(f"{cls.__name__} of {plugin.name if plugin else cls.__module__}")
    parts.append(os.path.basename(each.where))
    return f"  # {'  '.join(parts)}"


def explain(error: Exception, lines: list[Instruction | None]) -> None:
    """Add a note to an error that left a program: which call, with what, and where it is written.

    `lines` has the call in each line of the program.
    """
    trace: Any = error.__traceback__  # it begins with the program, which has caught the error
    each = lines[trace.tb_lineno - 1]
    if isinstance(error, GuardError) or each is None:
        return
    given = ", ".join(map(brief, each.args))
    where = f"called at {each.where} when the call was recorded"
    error.add_note(f"in {name_of(each)}, given {given}, {where}")


def counted(number: int, what: str) -> str:
    """Return a number with a noun: ``1 call``, ``2,000 calls``."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def name_of(each: Instruction) -> str:
    """Return the name of a call: of a body, the method and its plugin."""
    if each.region is not None:
        return described(each.region.function, each.region.method)
    return getattr(each.call, "__name__", None) or repr(each.call)
