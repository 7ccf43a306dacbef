"""The plugin ``tools``: observers, the view of a Variable in a notebook, and NumPy's warnings."""

from __future__ import annotations

from functools import cache, partial
from types import FrameType
from typing import Any

from dezero_core import Registrar, hookimpl
from dezero_core.extend import ArrayType

from .numpy_warnings import point_to_the_user

DEZERO_PLUGIN_API = (2, 0)

#: Name of an observer -> its class in `observers`. That module is imported when a block first asks
#: for an observer.
OBSERVERS = {"memory": "Memory", "nan": "NotFinite", "time": "Times", "trace": "Trace"}


def _observer(class_name: str) -> Any:
    from . import observers

    return getattr(observers, class_name)()


@cache
def _of_batches() -> Any:
    """Return the functions of arrays of batches, which are imported when one is made."""
    from .batches import array_type

    return array_type


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Register observers, the advice for other libraries, and the table that notebooks show.

    NumPy's warnings name the user's line from now on.
    """
    point_to_the_user()
    for name, class_name in OBSERVERS.items():
        register.part("observer", name, partial(_observer, class_name))
    register.part("adviser", "libraries", _advice)
    names = "zeros sum_to to_numpy from_numpy call others"
    functions: dict[str, Any] = {
        name: lambda *args, name=name: getattr(_of_batches(), name)(*args) for name in names.split()
    }
    batched = "dezero_tools.batches.batched:Batched"
    reason = "has one for each example of a batch"
    register.part("array", "batched", ArrayType("batched", batched, reason, True, **functions))
    register.method("_repr_html_", _repr_html_)


def _advice(attribute: str, frame: FrameType) -> str:
    from .advice import for_library

    return for_library(attribute, frame)


def _repr_html_(variable: Any) -> str:
    """Return the table that a notebook shows."""
    from .drawing.notebook import variable_html

    return variable_html(variable)
