"""The plugin: the type of the arrays that record, and the executor of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Registrar, hookimpl
from dezero_core.extend import ArrayType, mode, sum_to

from .recorded import Recorded, constant, emit

DEZERO_PLUGIN_API = (2, 0)


def _zeros(shape: Any, dtype: Any, like: Any) -> Any:
    return constant(like.tape, np.zeros(shape, dtype))


def _sum_to(array: Any, shape: Any) -> Any:
    return emit(array.tape, sum_to, (array, shape), {}, True)


def _resolve(array: Any) -> Any:
    return array if array.tape.listens else array.content


def _from_numpy(array: Any) -> Any:
    return constant(mode.get().observer.tape, array)


def _numpy_executor(threads: int, wait: bool) -> Any:
    from .executors import NumPyExecutor  # here, since most programs compile nothing

    return NumPyExecutor(threads, wait)


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Register the executor of NumPy, and let Variables hold arrays that record."""
    register.part("executor", "numpy", _numpy_executor)
    register.part(
        "array",
        "recording",
        ArrayType(
            *("recording", Recorded),
            zeros=_zeros,
            sum_to=_sum_to,
            from_numpy=_from_numpy,
            resolve=_resolve,
        ),
    )
