"""Observers: what happens inside of a block, call by call. ``with observe("nan"):``

The core's own are here, one in each module; plugins bring more by the hook
``dezero_register_observers``. Nothing here is imported by ``import dezero_core``.
"""

from __future__ import annotations

from .blocks import checked, observe
from .memory import Memory, MemoryRow
from .observer import Observer
from .times import Spent, TimeRow, Times
from .trace import Trace

__all__ = [
    "Memory",
    "MemoryRow",
    "Observer",
    "Spent",
    "TimeRow",
    "Times",
    "Trace",
    "checked",
    "observe",
]
