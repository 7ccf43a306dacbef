"""The command ``dezero``: lists, checks, compares, draws and writes operations and plugins.

Each subcommand has a module of its own. ``dezero-tools[cli]`` installs the libraries for it.
"""

from __future__ import annotations

from .app import main

__all__ = ["main"]
