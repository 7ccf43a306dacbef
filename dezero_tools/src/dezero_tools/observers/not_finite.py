"""``observe("nan")``: finds the first value that is not finite, and the call that made it."""

from __future__ import annotations

from typing import Any

import numpy as np
from dezero_core.arrays import INEXACT
from dezero_core.notes import ObservedCall, described

from ..errors import NotFiniteError
from .observer import Observer
from .values import array_of, place


class NotFinite(Observer):
    """Raises `NotFiniteError` at the first value that is not finite."""

    def after(self, call: ObservedCall) -> None:
        for number, y in enumerate(call.outputs):
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
            if before:
                cause = f"{given} {before[0]} was not finite already."
            else:
                cause = "Every value that it was called with is finite."
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


def _not_finite(x: Any) -> tuple[int, ...] | None:
    """Return the index of the first value that is not finite, None if all are finite."""
    array = array_of(x)
    if array.dtype.kind not in INEXACT:
        return None
    finite = np.isfinite(array)
    return None if finite.all() else tuple(np.argwhere(~finite)[0].tolist())
