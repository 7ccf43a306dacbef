"""The plugin: Variables hold Dask's arrays."""

from __future__ import annotations

from typing import Any

from dezero_core import ArrayType, hookimpl

DEZERO_PLUGIN_API = (1, 6)


@hookimpl
def dezero_register_arrays(register: Any) -> None:
    """Let Variables hold Dask's arrays; Dask is imported when the first of them is met."""
    register(ArrayType("dask", "dask.array:Array", lazy=True, immutable=True))
