"""Whether a function runs that is differentiated, compiled, recomputed or mapped over a batch."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from dezero_core.extend import Block, mode

RUNNING: ContextVar[tuple[Any, ...]] = ContextVar("dezero_batches", default=())
"""The batches whose functions run here, the outermost first: of `batches.batch`."""

WRAPPED: ContextVar[bool] = ContextVar("dezero_wrapped", default=False)


class wrapped(Block):
    """A function runs that was given to `compiled` or `recomputed`.

    Where one is differentiated, the core's Mode says that; where one is mapped, its batch runs.
    """

    _variable = WRAPPED

    def _changed(self, value: Any) -> bool:
        return True


def is_wrapped() -> bool:
    """Return whether such a function runs, in this thread and task."""
    return bool(mode.get().differentiated or RUNNING.get()) or WRAPPED.get()
