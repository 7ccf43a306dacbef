"""Warnings of NumPy, such as of a division by zero, at the line of the user's program.

NumPy warns at the line of Python that calls it, which is one of a plugin. Python shows a warning
once for each line, so that the second line of a program that divides by zero would not be reported.
"""

from __future__ import annotations

import re
import sys
import warnings
from typing import Any

from dezero_core.extend import PACKAGES, package_of

_OF_NUMPY = re.compile("(divide by zero|invalid value|overflow|underflow) encountered in ")


class FromOperation:
    """Takes the place of a regular expression in a filter of Python's warnings.

    The filter asks it while the warning is being given, when it can see the line that gives it.
    ``np.errstate`` around each operation takes time, and ``warnings.showwarning`` is the program's.
    """

    def match(self, text: str) -> bool:
        """Return whether an operation has given this warning; give it anew at the user's line."""
        frame: Any = sys._getframe(1)
        ours = set(PACKAGES.values())
        if "dezero_tools" not in ours or not _OF_NUMPY.match(text):
            return False
        while package_of(frame) == "numpy" and frame.f_back:  # as in np.var, which is Python
            frame = frame.f_back
        if package_of(frame) not in ours or frame.f_code == FromOperation.match.__code__:
            return False
        while package_of(frame) in ours and frame.f_back:
            frame = frame.f_back
        warnings.warn_explicit(
            text,
            RuntimeWarning,
            frame.f_code.co_filename,
            frame.f_lineno,
            frame.f_globals.get("__name__"),
            frame.f_globals.setdefault("__warningregistry__", {}),
        )
        return True


def point_to_the_user() -> None:
    """Put the filter in front of all others; what the program sets later comes before it."""
    filters: Any = warnings.filters
    if not any(isinstance(message, FromOperation) for _, message, *_ in filters):
        filters.insert(0, ("ignore", FromOperation(), RuntimeWarning, None, 0))
