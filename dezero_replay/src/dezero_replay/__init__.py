"""Replay: record a step once by running it, then run the recorded NumPy calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dezero_core.extend import lazily

__version__ = "0.1.0"

__all__ = ["Compiled", "ReplayError", "ReplayWarning", "compiled"]

if TYPE_CHECKING:
    from .compilation import Compiled
    from .decorator import compiled
    from .errors import ReplayError, ReplayWarning
else:  # the plugin is loaded with the core, and most programs compile nothing
    homes = {
        "compilation": "Compiled",
        "decorator": "compiled",
        "errors": "ReplayError ReplayWarning",
    }
    __getattr__, __dir__ = lazily(__name__, homes)
