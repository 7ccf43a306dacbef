"""The plugin: the type of the arrays that record, and the executor of NumPy."""

from __future__ import annotations

from typing import Any

from dezero_core import Registrar, hookimpl

from .tape.protocols import RECORDING

DEZERO_PLUGIN_API = (2, 0)


def _numpy_executor(threads: int, wait: bool) -> Any:
    from .executors.executors import NumPyExecutor  # here, since most programs compile nothing

    return NumPyExecutor(threads, wait)


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Register the executor of NumPy, and let Variables hold arrays that record."""
    register.part("executor", "numpy", _numpy_executor)
    register.part("array", "recording", RECORDING)
