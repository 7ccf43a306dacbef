"""Observers, which see every call of a Function inside a block: ``with observe("nan"):``.

Each built-in observer has a module here. Plugins add others by ``register.part``.
``import dezero_core`` imports none of these modules.
"""

from __future__ import annotations

from .blocks import checked, observe
from .memory import Memory, MemoryRow
from .not_finite import NotFinite
from .observer import Observer
from .times import Spent, TimeRow, Times
from .trace import Trace

__all__ = [
    "Memory",
    "MemoryRow",
    "NotFinite",
    "Observer",
    "Spent",
    "TimeRow",
    "Times",
    "Trace",
    "checked",
    "observe",
]
