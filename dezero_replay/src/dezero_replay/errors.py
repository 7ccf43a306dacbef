"""Errors and warnings of replay."""

from __future__ import annotations

from typing import Any

from dezero_core import DezeroError


class ReplayError(DezeroError, RuntimeError):
    """A recorded program gave other results than eager code, or a call that cannot be replayed.

    Attributes
    ----------
    function : callable
        The function that was compiled.
    result : object
        After an audit: the result of eager code.
    instruction, where : str
        After an audit: the call that made the value, and the user's line; "" if none made it.
    call, right : int
        After an audit: which call of the program this is, and the last one known to be right.
    """


class ReplayWarning(UserWarning):
    """A compiled function stays eager; the message says why, and how to change that."""


class GuardError(Exception):
    """A value that decided how the program went on is another one in this run.

    It decided in the body that is the `region`; None in the user's own code.
    """

    def __init__(self, guard: Any) -> None:
        super().__init__(guard and guard.where)
        self.region = guard and guard.region
