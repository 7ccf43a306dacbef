"""The plugin: the executor ``"llvm"``."""

from __future__ import annotations

from typing import Any

from dezero_core import hookimpl

DEZERO_PLUGIN_API = (1, 5)


def _executor(threads: int, wait: bool) -> Any:
    from .executor import LLVMExecutor  # here, since LLVM is large

    return LLVMExecutor(threads, wait)


@hookimpl
def dezero_register_executors(register: Any) -> None:
    """Register the executor that makes machine code."""
    register("llvm", _executor)
