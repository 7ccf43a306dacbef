"""The command ``dezero``: what is installed, what is wrong with it, and how to write more.

One module for each command. Install what it needs with ``dezero-tools[cli]``.
"""

from __future__ import annotations

from .app import main

__all__ = ["main"]
