"""The plugin: the type of the arrays that record, and the executor of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from dezero_core.config import mode
from dezero_core.sums import sum_to

from dezero_core import ArrayType, hookimpl

from .recorded import Recorded, constant, emit

DEZERO_PLUGIN_API = (1, 5)


def _zeros(shape: Any, dtype: Any, like: Any) -> Any:
    return constant(like.tape, np.zeros(shape, dtype))


def _sum_to(array: Any, shape: Any) -> Any:
    return emit(array.tape, sum_to, (array, shape), {}, True)


def _resolve(array: Any) -> Any:
    return array if array.tape.listens else array.content


def _from_numpy(array: Any) -> Any:
    (bodies,) = mode.get().observers
    return constant(bodies.tape, array)


def _numpy_executor(threads: int, wait: bool) -> Any:
    from .executors import NumPyExecutor  # here, since most programs compile nothing

    return NumPyExecutor(threads, wait)


@hookimpl
def dezero_register_executors(register: Any) -> None:
    """Register the executor that runs programs by NumPy."""
    register("numpy", _numpy_executor)


@hookimpl
def dezero_register_arrays(register: Any) -> None:
    """Let Variables hold arrays that record."""
    register(
        ArrayType(
            *("recording", Recorded),
            zeros=_zeros,
            sum_to=_sum_to,
            from_numpy=_from_numpy,
            resolve=_resolve,
        )
    )
