"""Whether a function runs that is differentiated, compiled or mapped: `functional`, `compiled`."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from dezero_core.extend import Block, mode

WRAPPED: ContextVar[bool] = ContextVar("dezero_wrapped", default=False)


class wrapped(Block):
    """A function runs that was given to `compiled`, `vmap` or `recomputed`.

    The functions that are differentiated need no such block: the core's Mode says that they run.
    """

    _variable = WRAPPED

    def _changed(self, value: Any) -> bool:
        return True


def is_wrapped() -> bool:
    """Return whether such a function runs, in this thread and task."""
    return bool(mode.get().differentiated) or WRAPPED.get()
