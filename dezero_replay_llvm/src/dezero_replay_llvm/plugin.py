"""The plugin: the executor ``"llvm"``."""

from __future__ import annotations

from typing import Any

from dezero_core import Registrar, hookimpl

DEZERO_PLUGIN_API = (2, 0)


def _executor(threads: int, wait: bool) -> Any:
    from .native import LLVMExecutor  # here, since LLVM is large

    return LLVMExecutor(threads, wait)


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Register the executor that makes machine code."""
    register.part("executor", "llvm", _executor)
