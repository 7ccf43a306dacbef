"""The state of errors of floating point, as NumPy has it in this thread: ``np.errstate``."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from numpy._core import umath

#: Returns the state as an object, another one for each other state; where NumPy has no such private
#: name, a new object each time, so that NumPy is asked.
_settings = getattr(umath, "_extobj_contextvar", None)
of_errors: Any = list if _settings is None else _settings.get


def is_calm(known: list[Any]) -> bool:
    """Return whether no error of floating point is more than a warning; note the state if so."""
    now = np.geterr()
    if now["under"] != "ignore" or not set(now.values()) <= {"ignore", "warn"}:
        return False
    known[0] = of_errors()
    return True


class Warnings:
    """NumPy's warnings of a recording, given at its end: eager code gives them if that fails."""

    def __init__(self) -> None:
        #: How NumPy treated errors of floating point when the call began.
        self.usual: Any = np.geterr()
        self.kept: list[tuple[Any, ...]] = []

    @contextmanager
    def at_the_end(self) -> Iterator[None]:
        """Keep the warnings, and give them if nothing is raised."""
        kept: Any = {kind: "log" for kind, how in self.usual.items() if how == "warn"}
        is_free = not {"call", "log"} & {*self.usual.values()}  # of a function of the user's
        with np.errstate(**kept, call=self) if is_free else nullcontext():
            yield
        for each in self.kept:
            warnings.warn_explicit(*each)

    def write(self, text: str) -> None:
        """Keep a warning, with the line of the code that computes; NumPy calls this."""
        message = text.removeprefix("Warning: ").strip()
        frame: Any = sys._getframe(1)
        while str(frame.f_globals.get("__name__")).startswith("dezero_replay."):
            frame = frame.f_back
        place = frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__")
        registry = frame.f_globals.setdefault("__warningregistry__", {})
        self.kept.append((message, RuntimeWarning, *place, registry))
