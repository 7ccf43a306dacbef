"""Observers, which see every call of a Function inside a block: ``with observe("nan"):``.

Plugins add others by ``register.part``. ``import dezero_core`` imports none of these modules.
"""

from .blocks import checked, observe
from .calls import Observer
from .memory import Memory, MemoryRow
from .not_finite import NotFinite
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
