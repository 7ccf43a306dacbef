"""The plugin of this distribution: NumPy's functions, each in the file of its family."""

from __future__ import annotations

from dezero_core import Registrar, hookimpl

from .families import announcements

DEZERO_PLUGIN_API = (2, 0)


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Register every function under NumPy's name; its file is imported when it is first used."""
    for module, names in announcements():
        register.later(f"dezero_ops_math.{module}", **names)
