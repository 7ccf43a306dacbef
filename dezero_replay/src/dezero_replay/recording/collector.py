"""The garbage collector, which is off while a recording runs."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

#: Not empty while a recording of some thread holds the collector off.
_held: list[bool] = []


@contextmanager
def collector_off() -> Iterator[None]:
    """Keep the collector off: much is alive, and finalizers are not the function's."""
    with ExitStack() as stack:
        if gc.isenabled():
            stack.callback(gc.enable)  # before it is off, since Ctrl-C may come between
            stack.callback(_held.clear)
            _held.append(True)
            gc.disable()
        yield


def _turn_on() -> None:
    """Turn it on in a child of a fork, which has no other thread."""
    if _held:
        gc.enable()


os.register_at_fork(after_in_child=_turn_on)
