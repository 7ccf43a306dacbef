"""Who provides an operation, and what an error that leaves it says about that."""

from __future__ import annotations

import reprlib
import warnings
from types import FunctionType
from typing import TYPE_CHECKING, Any

from .errors import ApproximateGradientWarning, shown, user_line

if TYPE_CHECKING:
    from .function import Function

PROVENANCE: dict[Any, Any] = {}
"""Function class, public function, or module of them -> record of the plugin that provides it."""


def described(function: Function, method: str) -> str:
    """Return how messages name a method: ``Mul.forward of plugin 'basic' (…-basic 0.1.0)``."""
    cls = type(function)
    return f"{shown(cls.__name__)}.{method} of {provider_of(cls)}"


def provider_of(cls: type) -> Any:
    """Return how messages name where a Function class is from."""
    return plugin_of(cls) or f"module {shown(cls.__module__)}"


def plugin_of(cls: type) -> Any:
    """Return the record of the plugin that a Function class is from, None if it is from none."""
    # Its module, where the plugin has announced it and the class was imported before it was bound.
    return PROVENANCE.get(cls) or PROVENANCE.get(cls.__module__)


def explain(error: Exception, function: Function, method: str, arrays: Any) -> None:
    """Add a note to an error that left an operation: which, with what, called where."""
    given = ", ".join(map(written, arrays))
    note = f"in {described(function, method)}, given {given}, called at {user_line()}"
    if method == "backward":
        where = getattr(function, "_where", None)
        note += (
            f"; it was applied at {where}"
            if where
            else "; where it was applied is known inside of `with dezero_tools.checked():`"
        )
    error.add_note(note)


def explain_call(error: Exception, name: str, function: Any, arguments: Any) -> None:
    """Add a note to an error that left a function outside of any Function, unless it has one."""
    if any("called at" in note for note in getattr(error, "__notes__", ())):
        return
    module = getattr(function, "__module__", "")
    own = PROVENANCE.get(function) if isinstance(function, FunctionType) else None
    provider = own or PROVENANCE.get(module) or f"module {module}"
    given = ", ".join(map(written, arguments))
    error.add_note(f"in {name} of {provider}, given {given}, called at {user_line()}")


def written(x: Any) -> str:
    """Return how messages write what an operation is given: ``float64[2, 3]``, or a number."""
    # Classes and np.finfo have a dtype, too.
    array = hasattr(x, "dtype") and isinstance(getattr(x, "shape", None), tuple)
    return f"{x.dtype}{list(x.shape)}" if array else reprlib.repr(x)


def warn_of_approximation(cls: type[Function], how: str) -> None:
    """Say that a gradient goes through an operation that is not exact: once for a line of it."""
    message = f"a gradient goes through {cls.__name__} of {provider_of(cls)}: {shown(str(how))}."
    file, _, line = user_line().rpartition(":")
    registry = _warned_of_approximation.setdefault(file, {})
    warnings.warn_explicit(message, ApproximateGradientWarning, file, int(line), registry=registry)


_warned_of_approximation: dict[Any, Any] = {}
