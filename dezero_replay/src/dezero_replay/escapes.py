"""Recording arrays that outlive their recording: the arrays themselves take their places."""

from __future__ import annotations

import gc
import threading
from collections import deque
from collections.abc import Iterable
from time import monotonic, sleep
from types import CellType, FrameType
from typing import Any
from weakref import ref

from .recorded import Recorded, contents

_PATIENCE = 1.0
"""So many seconds we wait until other threads let go of an array that they compute with."""


def kept(references: Iterable[ref[Recorded]], failed: bool) -> list[Recorded]:
    """Return the arrays that somebody keeps, after waiting for other threads.

    Another thread that computes with a Parameter may hold its recording array for a moment. If the
    function has `failed`, its error holds the arrays, and nobody waits.
    """
    end = monotonic() + (0.0 if failed else _PATIENCE)
    found = []
    for reference in references:
        while reference() is not None and threading.active_count() > 1 and monotonic() < end:
            sleep(0.001)
        found.append(reference())
    return [array for array in found if array is not None]


def replace_in_holders(escaped: Recorded) -> None:
    """Put the content of a recording array into each list, dict, object and cell that holds it.

    A tuple that holds it is itself replaced in its own holders.
    """
    _replace(escaped, escaped.content)


def _replace(old: Any, new: Any) -> None:
    for holder in gc.get_referrers(old):
        if isinstance(holder, tuple):
            _replace(holder, contents(holder))
        elif isinstance(holder, (list, deque)):
            _replace_items(holder, range(len(holder)), old, new)
        elif isinstance(holder, dict):
            if not _replace_in_classes(holder, old, new):
                _replace_items(holder, list(holder), old, new)
        elif isinstance(holder, CellType):
            holder.cell_contents = new
        elif not isinstance(holder, FrameType):
            _replace_in_object(holder, old, new)


def _replace_items(holder: Any, keys: Iterable[Any], old: Any, new: Any) -> None:
    for key in keys:
        if holder[key] is old:
            holder[key] = new


def _replace_in_classes(namespace: Any, old: Any, new: Any) -> bool:
    """Set attributes of the class that has a namespace; return whether there is one.

    Python caches attributes of classes, and would not notice a write into the dict of a class.
    """
    found = False
    for owner in gc.get_referrers(namespace):
        if isinstance(owner, type):
            for name in [name for name, x in vars(owner).items() if x is old]:
                type.__setattr__(owner, name, new)
                found = True
    return found


def _replace_in_object(holder: Any, old: Any, new: Any) -> None:
    slots = [slot for base in type(holder).__mro__ for slot in getattr(base, "__slots__", ())]
    for name in (*getattr(holder, "__dict__", ()), *slots):
        if name != "__dict__" and getattr(holder, name, None) is old:
            object.__setattr__(holder, name, new)
