"""Regions in short: those that come to the same machine code have the same key."""

from __future__ import annotations

from typing import Any

import numpy as np
from dezero_replay.tape import Value

from .region import Array, Map, Reduction, Region


def region_key(region: Region, results: list[Value]) -> str:
    """Return all that the code of a region depends on, but for the machine."""
    numbers: dict[int, int] = {}

    def root(value: Value) -> str:
        known = numbers.get(value.number)
        if known is None:
            known = numbers[value.number] = len(numbers)
            made = "constant " if value.number in region.constants else ""
            form = f"{_name(value.dtype)}{value.shape}{value.strides}"
            return f"{known}={made}{value.kind.__name__}{form}"
        return str(known)

    def operand(x: Any) -> str:
        if isinstance(x, Array):
            return f"[{root(x.root)}+{x.offset} {x.shape}{x.strides}{x.dtype.str}]"
        return _number(x)

    lines = [f"in {' '.join(map(root, region.inputs))}"]
    for step in region.steps:
        name = getattr(getattr(step, "function", None), "__name__", "")
        what = [type(step).__name__, name, operand(step.out), *map(operand, step.operands)]
        if isinstance(step, Map):
            what += [dtype.str for dtype in step.dtypes]
        elif isinstance(step, Reduction):
            initial = "" if step.initial is None else _number(np.asarray(step.initial)[()])
            what += [step.ufunc.__name__, str(step.axes), initial]
        lines.append(" ".join(what))
    lines += [f"guard {operand(array)} {guard.expected}" for guard, array in region.guards]
    lines.append(f"out {' '.join(map(root, results))}")
    return "\n".join(lines)


def _name(dtype: Any) -> str:
    return "" if dtype is None else str(dtype.str)  # str(dtype) takes ten times as long


def _number(x: Any) -> str:
    return f"{x.dtype.str}{x.tobytes().hex()}"
