"""The plugin: Variables hold Dask's arrays, whose gradients are lazy as well."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from dezero_core import Registrar, hookimpl
from dezero_core.extend import ArrayType

DEZERO_PLUGIN_API = (2, 0)


def _late(name: str, *args: Any) -> Any:
    """Call a function of `array_type`, which is imported not before, since it imports Dask."""
    return getattr(import_module("dezero_dask.arrays.array_type"), name)(*args)


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Let Variables hold Dask's arrays."""
    names = "zeros sum_to to_numpy from_numpy call fitted without_computing"
    functions: dict[str, Any] = {name: partial(_late, name) for name in names.split()}
    types = ("dask.array:Array", "dezero_dask.arrays.body_array:BodyArray")
    kind = ArrayType("dask", types, lazy=True, immutable=True, **functions)
    register.part("array", "dask", kind)
