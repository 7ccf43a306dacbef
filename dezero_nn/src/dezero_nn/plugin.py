"""The plugin: the functions of neural networks that NumPy has not, and the setting ``train``."""

from __future__ import annotations

from collections.abc import Callable

from dezero_core import Registrar, hookimpl

from .families import FAMILIES

DEZERO_PLUGIN_API = (1, 7)
DEZERO_REQUIRES = ("basic", "math")


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Announce each function; its file is imported when it is first used."""
    for module, names in FAMILIES.items():
        register.later(f"dezero_nn.functions.{module}", operations=names)


@hookimpl
def dezero_register_settings(register: Callable[[str, bool], None]) -> None:
    """Declare ``Config.train``: whether dropout drops, and batch_norm takes the batch's mean."""
    register("train", True)
