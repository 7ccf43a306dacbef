"""The plugin: Variables hold Dask's arrays, whose gradients are lazy as well."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from dezero_core import Registrar, hookimpl
from dezero_core.extend import ArrayType

DEZERO_PLUGIN_API = (2, 0)


def _later(name: str) -> Callable[..., Any]:
    """Return a function of `array_type`, which is imported when it is called: it imports Dask."""

    def call(*args: Any) -> Any:
        return getattr(import_module("dezero_dask.arrays.array_type"), name)(*args)

    return call


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Let Variables hold Dask's arrays."""
    register.part(
        "array",
        "dask",
        ArrayType(
            *("dask", ("dask.array:Array", "dezero_dask.arrays.body_array:BodyArray")),
            lazy=True,
            immutable=True,
            zeros=_later("zeros"),
            sum_to=_later("sum_to"),
            to_numpy=_later("to_numpy"),
            from_numpy=_later("from_numpy"),
            call=_later("call"),
            fitted=_later("fitted"),
            without_computing=_later("without_computing"),
        ),
    )
