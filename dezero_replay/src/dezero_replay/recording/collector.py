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


# A child of a fork has no other thread, and so no recording.
os.register_at_fork(after_in_child=lambda: gc.enable() if _held else None)
