"""The state of errors of floating point, as NumPy has it in this thread: ``np.errstate``."""

from __future__ import annotations

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
