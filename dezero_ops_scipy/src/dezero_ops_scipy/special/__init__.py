"""The mirror of ``scipy.special``."""

from __future__ import annotations

from ..mirror import exported

__all__, __getattr__, __dir__ = exported(__name__)
