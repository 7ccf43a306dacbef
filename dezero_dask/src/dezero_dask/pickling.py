"""Pickles of functions and classes that travel with tasks.

cloudpickle sends a class of a notebook, or of a program, by its attributes. A class of Functions
gets some from the core at its first call, among them a copy of ``__call__`` that is made for it in
this process. Those stay here; where the class arrives, the core makes new ones.
"""

from __future__ import annotations

import io
from typing import Any

import cloudpickle
from dezero_core.function import Function

#: Attributes that `Function._prepare` and the binding of an operator set on a class.
_PREPARED = frozenset(
    [
        *("__call__", "inputs", "_as_recorded", "_has_state", "_operator", "_prepared"),
        *("_saves_inputs", "_saves_others", "_saves_outputs"),
    ]
)


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
