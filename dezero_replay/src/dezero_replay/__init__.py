"""Replay: record a step once by running it, then run the recorded NumPy calls."""

from .compiled import compiled
from .errors import ReplayError, ReplayWarning

__version__ = "0.1.0"

__all__ = ["ReplayError", "ReplayWarning", "compiled"]
