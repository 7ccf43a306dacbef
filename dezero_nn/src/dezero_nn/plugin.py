"""The plugin: the functions of neural networks that NumPy has not, and the setting ``train``."""

from __future__ import annotations

# Its functions are made of theirs: where one is not installed, the plugin is refused at once.
import dezero_ops_basic  # noqa: F401
import dezero_ops_math  # noqa: F401
from dezero_core import Registrar, hookimpl

from .families import FAMILIES

DEZERO_PLUGIN_API = (2, 0)


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Announce each function, whose file is imported when it is first used, and ``Config.train``.

    The setting says whether dropout drops, and batch_norm takes the batch's mean.
    """
    for module, names in FAMILIES.items():
        register.later(f"dezero_nn.functions.{module}", operations=names)
    register.part("setting", "train", True)
