"""A call of `vmap`, and the arrays that belong to it."""

from __future__ import annotations

from collections import Counter
from contextvars import ContextVar
from itertools import count
from typing import NamedTuple

from dezero_core import VariableTypeError
from dezero_core.extend import ARRAY_TYPES, load_plugins_first, mode


class Batch(NamedTuple):
    """A call of a function by `vmap`. Its arrays hide an axis of this length."""

    #: It is what no other call has: two batches are one if this is one object.
    mark: range
    length: int
    #: Of two batches, the inner one has the higher: one that began within the other, or else the
    #: older one, which has ended, and through whose calls the other goes back. It is a number for
    #: each batch around it and one of its own, as bytes, which a Function may hold as an option.
    order: bytes
    #: Of the function, as messages name it.
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Batch) and self.mark is other.mark

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return id(self.mark)

    def is_running(self) -> bool:
        """Return whether the function of this batch runs, in this thread and task."""
        running = RUNNING.get()
        if not running or running[-1].mark is self.mark:  # as nearly always
            return bool(running)
        return any(self.mark is each.mark for each in running)

    def require_running(self) -> None:
        """Raise a VariableTypeError if an array of this batch is used after its end.

        A backward pass may compute with such arrays: it goes back through what the function did.
        """
        if not self.is_running() and not mode.get().in_backward:
            raise VariableTypeError(
                f"an array of a batch is used outside of vmap({self.name}), which has ended. "
                f"Return it from {self.name} instead of storing it elsewhere: vmap then makes an "
                "ndarray of all examples.",
                got=self,
            )


def is_registered() -> bool:
    """Return whether Variables may hold arrays of batches: not if the plugin is switched off."""
    load_plugins_first()
    return "batched" in ARRAY_TYPES


class new_batch:
    """A ``with`` block in which the function of a new batch runs."""

    def __init__(self, length: int, name: str) -> None:
        self._length, self._name = length, name

    def __enter__(self) -> Batch:
        running = RUNNING.get()
        order = (running[-1].order if running else b"") + next(COUNTDOWN).to_bytes(8)
        batch = Batch(range(self._length), self._length, order, self._name)
        self._token = RUNNING.set((*running, batch))
        return batch

    def __exit__(self, *exception: object) -> None:
        RUNNING.reset(self._token)


COUNTDOWN = count(2**63, -1)
"""Numbers of batches: a younger one has a lower number."""

RUNNING: ContextVar[tuple[Batch, ...]] = ContextVar("dezero_batches", default=())
"""The batches whose functions run here, the outermost first."""

LOOPED: ContextVar[Counter[str]] = ContextVar("dezero_looped", default=Counter())  # noqa: B039
"""How often each function has looped over examples, which `Mapped.explain` counts anew."""
