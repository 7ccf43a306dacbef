"""Who provides an operation, and what an error that leaves it says about that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import user_line

if TYPE_CHECKING:
    from .function import Function

PROVENANCE: dict[type | str, Any] = {}
"""Function class, or module of them -> record of the plugin that provides it."""


def described(function: Function, method: str) -> str:
    """Return how messages name a method: ``Mul.forward of plugin 'basic' (…-basic 0.1.0)``."""
    cls = type(function)
    return f"{cls.__name__}.{method} of {provider_of(cls)}"


def provider_of(cls: type) -> Any:
    """Return how messages name where a Function class is from."""
    return _plugin_of(cls) or f"module {cls.__module__}"


def _plugin_of(cls: type) -> Any:
    # Its module, where the plugin has announced it and the class was imported before it was bound.
    return PROVENANCE.get(cls) or PROVENANCE.get(cls.__module__)


def explain(error: Exception, function: Function, method: str, arrays: Any) -> None:
    """Add a note to an error that left an operation: which, with what, called where."""
    given = ", ".join(
        f"{x.dtype}{list(x.shape)}" if hasattr(x, "dtype") else repr(x) for x in arrays
    )
    # The line that called a plugin's own function is not the user's.
    from_package = getattr(_plugin_of(type(function)), "distribution", None)
    package = type(function).__module__.partition(".")[0] if from_package else "dezero_core"
    line = user_line(package)
    error.add_note(f"in {described(function, method)}, given {given}, called at {line}")
