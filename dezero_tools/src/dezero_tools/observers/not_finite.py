"""``observe("nan")``: finds the first value that is not finite, and the call that made it."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Variable, VariableTypeError
from dezero_core.extend import INEXACT, described, kind_of

from ..errors import NotFiniteError
from .calls import ObservedCall, Observer, array_of, place


class NotFinite(Observer):
    """Raises `NotFiniteError` at the first value that is not finite, and refuses lazy arrays."""

    def after(self, call: ObservedCall) -> None:
        for number, y in enumerate(call.outputs):
            _require_values(y, call)
            position = _not_finite(y)
            if position is None:
                continue
            array = array_of(y)
            before = [n for n, x in enumerate(call.inputs) if _not_finite(x) is not None]
            if call.method == "forward":
                what = "its result" if len(call.outputs) == 1 else f"output {number}"
                given = "Input"
            else:
                what, given = f"the gradient of input {number}", "The gradient of output"
            cause = "Every value that it was called with is finite."
            if before:
                cause = f"{given} {before[0]} was not finite already."
            value = array[position]
            raise NotFiniteError(
                f"{described(call.function, call.method)}, applied "
                f"{f'at {call.where}' if call.where else 'before observe()'}: {what} is "
                f"{value} at {place(position)}. {cause}",
                function=type(call.function),
                method=call.method,
                index=number,
                position=position,
                value=value,
                where=call.where,
            )


def _require_values(y: Any, call: ObservedCall) -> None:
    """Raise if a result may have a nan later, when it is computed."""
    array = y.data if isinstance(y, Variable) else y
    kind = kind_of(array)
    if kind.lazy and array.dtype.kind in INEXACT:
        raise VariableTypeError(
            f'observe("nan") looks at values, and {described(call.function, call.method)} returned '
            f"a {kind.name} array, which is lazy: it has no values yet. Compute the result "
            "outside of the block, and test it, as by np.isfinite(x.to_numpy()).all(); to find "
            "the operation that makes a nan, run the block on a part of the data as ndarrays.",
            got=type(array),
        )


def _not_finite(x: Any) -> tuple[int, ...] | None:
    """Return the index of the first value that is not finite, None if all are finite."""
    array = array_of(x)
    if array.dtype.kind not in INEXACT:
        return None
    finite = np.isfinite(array)
    return None if finite.all() else tuple(np.argwhere(~finite)[0].tolist())
