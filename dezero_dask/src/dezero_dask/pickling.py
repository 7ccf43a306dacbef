"""Pickles of functions and classes that travel with tasks.

cloudpickle sends a class of a notebook, or of a program, by its attributes. A class of Functions
gets some from the core at its first call, among them a copy of ``__call__`` that is made for it in
this process. Those stay here; where the class arrives, the core makes new ones.
"""

from __future__ import annotations

import inspect
import io
from collections.abc import Sequence
from functools import partial
from typing import Any

import cloudpickle
from dezero_tools.functional.tracing import name_of

from dezero_core import Function
from dezero_core.extend import attempt, shown

from .errors import UnpicklableFunctionError

#: Attributes that `Function._prepare` and the binding of an operator set on a class.
_PREPARED = {
    *("__call__", "inputs", "_node_for_backward", "_has_state", "_operator", "_prepared"),
    *("_saves_inputs", "_saves_others", "_saves_outputs"),
}


def dumps(x: Any) -> bytes:
    """Return a pickle of an object, by cloudpickle."""
    file = io.BytesIO()
    _Pickler(file).dump(x)
    return file.getvalue()


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    def reducer_override(self, x: Any) -> Any:
        reduced = super().reducer_override(x)
        if type(reduced) is tuple and isinstance(x, type) and issubclass(x, Function):
            make, arguments, (attributes, slots), *rest = reduced
            own = {name: value for name, value in attributes.items() if name not in _PREPARED}
            return make, arguments, (own, slots), *rest
        return reduced


def unpicklable(functions: Sequence[Any], error: Exception) -> UnpicklableFunctionError:
    """Return the error for functions that cannot be sent: which, and what in it is to blame."""
    function = next((f for f in functions if not _can_be_pickled(f)), functions[0])
    captured = next((name for name, x in _captured(function) if not _can_be_pickled(x)), "")
    told = f"it holds {captured}, which cannot be pickled" if captured else shown(str(error))
    return UnpicklableFunctionError(
        f"{name_of(function)} is sent to other processes, which is not possible: {told}. Make or "
        "open such an object inside of the function, or read it from the data.",
        function=function,
        captured=captured,
    )


def _can_be_pickled(x: Any) -> bool:
    return attempt(partial(dumps, x)) is not None


def _captured(function: Any) -> list[tuple[str, Any]]:
    """Return the names of a function, and the objects that it holds by them."""
    if isinstance(function, partial):
        found = [(f"argument {n} of the partial", x) for n, x in enumerate(function.args)]
        found += [(f"argument {n!r} of the partial", x) for n, x in function.keywords.items()]
        return [*_captured(function.func), *found]
    if inspect.ismethod(function):
        return [("the object of the method", function.__self__)]
    if not inspect.isfunction(function):
        return [(name, x) for name, x in getattr(function, "__dict__", {}).items()]
    seen = inspect.getclosurevars(function)
    defaults = inspect.signature(function).parameters.values()
    return [
        *seen.nonlocals.items(),
        *seen.globals.items(),
        *((p.name, p.default) for p in defaults if p.default is not p.empty),
    ]
