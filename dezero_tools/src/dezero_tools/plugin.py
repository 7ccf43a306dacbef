"""The plugin ``tools``: observers, the view of a Variable in a notebook, and NumPy's warnings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from dezero_core import Registrar, hookimpl

from .numpy_warnings import point_to_the_user

DEZERO_PLUGIN_API = (1, 2)

#: Name of an observer -> its class in `observers`. That module is imported when a block first asks
#: for an observer.
OBSERVERS = {"memory": "Memory", "nan": "NotFinite", "time": "Times", "trace": "Trace"}


@hookimpl
def dezero_register_observers(register: Callable[..., None]) -> None:
    """Register the observers that ``observe`` takes by name."""
    for name, class_name in OBSERVERS.items():
        register(name, partial(_made, class_name))


def _made(class_name: str) -> Any:
    from . import observers

    return getattr(observers, class_name)()


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Let notebooks show a Variable as a table, and let NumPy's warnings name the user's line."""
    point_to_the_user()
    register.method("_repr_html_", _repr_html_)


def _repr_html_(variable: Any) -> str:
    """Return the table that a notebook shows."""
    from .drawing.notebook import variable_html

    return variable_html(variable)
