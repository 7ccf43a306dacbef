"""What this distribution registers: the operators, each in the file of its kind."""

from __future__ import annotations

from dezero_core import Registrar, hookimpl

from .families import FAMILIES

DEZERO_PLUGIN_API = (1, 0)


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Bind every operator to its operation; its file is imported when it is first used."""
    for module, names in FAMILIES.items():
        register.later(f"dezero_ops_basic.{module}", **names)
