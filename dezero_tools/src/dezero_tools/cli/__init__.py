"""The command ``dezero``: each subcommand has a module, ``dezero-tools[cli]`` the libraries."""

from .app import main

__all__ = ["main"]
