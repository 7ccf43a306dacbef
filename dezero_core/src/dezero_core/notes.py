"""Notes on errors and warnings: which operation, of which plugin, called at which line."""

from __future__ import annotations

import reprlib
import warnings
from functools import partial
from types import FunctionType
from typing import Any
from weakref import WeakValueDictionary

from .config import mode
from .errors import (
    ApproximateGradientWarning,
    DezeroError,
    GraphError,
    VariableTypeError,
    attempt,
    fold_frames,
    shown,
    user_line,
    user_place,
)
from .providers import load_plugins_first

PROVENANCE: dict[Any, Any] = {}
"""Function class, public function, or module of them -> record of the plugin that provides it."""

DIFFERENTIATED: WeakValueDictionary[int, Any] = WeakValueDictionary()
"""Identity -> Variable by which a gradient was recorded. The gradient need not depend on it."""

_warned: dict[Any, Any] = {}


def plugin_of(cls: type) -> Any:
    """Return the record of the plugin that a Function class is from, None if it is from none."""
    load_plugins_first()
    # Its module, where the plugin has announced it and the class was imported before it was bound.
    return PROVENANCE.get(cls) or PROVENANCE.get(cls.__module__)


def provider_of(cls: type) -> Any:
    """Return how messages name the origin of a Function class."""
    return plugin_of(cls) or f"module {shown(cls.__module__)}"


def described(function: Any, method: str) -> str:
    """Return how messages name a method: ``Mul.forward of plugin 'basic' (…-basic 0.1.0)``."""
    cls = type(function)
    return f"{shown(cls.__name__)}.{method} of {provider_of(cls)}"


def as_list(one_or_more: Any) -> list[Any]:
    """Return a list or tuple as a list, anything else as the list of this one."""
    return [*one_or_more] if isinstance(one_or_more, (list, tuple)) else [one_or_more]


def brief(x: Any) -> str:
    """Return how messages write an operand: ``float64[2, 3]``, or a number."""
    # Classes and np.finfo have a dtype, too.
    is_array = hasattr(x, "dtype") and isinstance(getattr(x, "shape", None), tuple)
    return f"{x.dtype}{list(x.shape)}" if is_array else reprlib.repr(x)


def explain(error: Exception, function: Any, method: str, arrays: Any) -> None:
    """Add a note to an error that left an operation: which, with what, called where."""
    fold_frames(error)
    note = f"in {described(function, method)}, given {', '.join(map(brief, as_list(arrays)))}"
    told = getattr(error, "where", None) if isinstance(error, DezeroError) else None
    where, line = getattr(function, "_where", None), user_line()
    if line != told:
        note += f", called at {line}"
    if method == "backward" and not where:
        note += (
            "; to see the line that applied it, run the forward pass inside of "
            "`with dezero_tools.checked():`"
        )
    elif method == "backward" and where != told:
        note += f"; it was applied at {where}"
    add_notes(error, note)


def explain_call(error: Exception, name: str, function: Any, arguments: Any) -> None:
    """Add a note to an error that left a function outside of any Function, unless it has one."""
    if any(", given " in note for note in getattr(error, "__notes__", ())):
        return
    fold_frames(error)
    module = getattr(function, "__module__", "")
    own = PROVENANCE.get(function) if isinstance(function, FunctionType) else None
    provider = own or PROVENANCE.get(module) or f"module {module}"
    given = ", ".join(map(brief, arguments))
    add_notes(error, f"in {name} of {provider}, given {given}, called at {user_line()}")


def add_notes(error: Exception, *notes: str) -> None:
    """Add notes to an error, of any class; the last is the advice that NumPy's own error hides.

    For ``a[i] = x`` NumPy says "setting an array element with a sequence", caused by our refusal.
    """
    advice = str(error.__cause__) if isinstance(error.__cause__, VariableTypeError) else ""
    if advice and advice not in getattr(error, "__notes__", ()):
        notes += (advice,)
    for note in notes:
        attempt(partial(BaseException.add_note, error, note))  # its own may raise


def no_graph(what: str, variable: Any, reason: str) -> GraphError:
    """Return the error for `what` there is no graph to go back through."""
    message = f"cannot backpropagate {what}: {reason}."
    return GraphError(message, variable=variable, reason=reason)


def lost_gradient(variable: Any, named: str, inside: bool) -> VariableTypeError:
    """Return the error for a number made of a Variable, in a function that is differentiated."""
    filled = "fill a Variable, a = Variable(np.zeros(n)), or np.zeros of dezero_tools.numpy"
    if mode.get().in_backward:  # where nothing may be written into
        filled = "np.stack([...]) in place of filling an array"
    message = (
        f"use NumPy's functions, no float(), and {filled}; for a constant, x.item(). A function "
        "that is differentiated makes a plain number of a Variable, by float(), a function of "
        "math, or a[0] = x, where a is an array: its gradient would be lost."
    )
    if not inside:
        message = (
            "for the number alone, write a[i] = x.item(), as in history[i] = loss.item(); to keep "
            f"the gradient, {filled}. The gradient of {named}, which is written into an array, "
            "a[i] = x, would be lost."
        )
    return VariableTypeError(message, got=type(variable))


def freed(creator: Any) -> str:
    """Return the reason where a Function has let its part of the graph go."""
    return (
        f"its creator, a {type(creator).__name__}, was let go by an earlier "
        "backward(free_graph=True). Compute it again; or leave that option to the last backward() "
        "through it"
    )


def warn_of_approximation(cls: type, how: str) -> None:
    """Warn that a gradient goes through an operation that is not exact."""
    message = f"a gradient goes through {cls.__name__} of {provider_of(cls)}: {shown(str(how))}."
    warn_once(message, ApproximateGradientWarning)


def warn_of_independence(result: str, of: str) -> None:
    """Warn of a gradient that is zeros; not where derivatives of linear functions are usual."""
    now = mode.get()
    if now.setting("warn_of_independence") and not now.differentiated:
        advice = "Where that is right: with using_config('warn_of_independence', False)."
        warn_once(f"{result} does not depend on {of}: the gradient is zeros. {advice}", UserWarning)


def warn_once(message: str, category: type[Warning]) -> None:
    """Warn once for each line of the user."""
    file, line = user_place()
    registry = _warned.setdefault(file, {})
    warnings.warn_explicit(message, category, file, line, registry=registry)
