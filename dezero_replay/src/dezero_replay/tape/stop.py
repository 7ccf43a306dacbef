"""The end of a recording that meets something that a replay could not do."""

from __future__ import annotations

import sys
from functools import lru_cache
from types import FrameType

from dezero_core.extend import PACKAGES, package_of, user_line


class Stop(BaseException):
    """Ends the recording of a call, or of the body of an operation alone.

    After that of a call everything is put back, and the function runs eagerly. A body becomes one
    instruction. It is no Exception, so that a handler of the user's does not take it for an error.

    `reason` says what was found, and what to write; `where` is the user's line. It may be for this
    call alone (`once`), as a warning is that is given once. What it has met may do something beyond
    its results (`acts`), so that it may be done once alone.
    """

    def __init__(
        self, reason: str, once: bool = False, acts: bool = False, where: str = ""
    ) -> None:
        super().__init__(reason)
        self.reason, self.where = reason, where or users_line()
        self.once, self.acts = once, acts


def users_line() -> str:
    """Return the innermost line on the stack that the user has written himself: ``"train.py:31"``.

    Lines of installed libraries are not his, unless there are no others.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not is_of_library(code.co_filename) and package_of(frame) not in PACKAGES.values():
            return user_line((code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return user_line()


@lru_cache(1000)
def is_of_library(file: str) -> bool:
    """Return whether a file belongs to Python, or is installed beside it."""
    import sysconfig  # here, since the first Variable imports this module

    folders = map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib"))
    return file.startswith((*folders, "<frozen"))
