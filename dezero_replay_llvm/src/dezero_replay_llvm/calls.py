"""The Python around machine code: it makes the results, calls, and looks at the status."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from dezero_replay.buffers import aligned
from dezero_replay.errstate import is_calm, of_errors
from dezero_replay.tape import Value

from .kernel import WARNS, Code


def call_of(
    code: Code,
    native: Any,
    failed: Callable[[int], None],
    constants: dict[int, Any],
    parameters: list[Value],
    by_numpy: Any = None,
    copied: Collection[int] = (),
) -> Any:
    """Return a function of `parameters` that returns what is wanted of a region.

    It calls `native`, the built-in function of `code`, and ``failed(status)`` with a status that is
    not 0, which raises. `by_numpy` takes the same arguments and runs the whole program, where NumPy
    warns or raises. `copied` are numbers of Values that the caller copies at once: a float does.
    """
    names = {value.number: f"x{n}" for n, value in enumerate(parameters)}
    given = ", ".join(f"x{n}" for n in range(len(parameters)))
    bound: dict[str, Any] = {
        "native": native,
        "empty": np.empty,
        "ndarray": np.ndarray,
        "failed": failed,
        "scratches": [],
        "new_scratch": lambda: aligned(code.scratch_bytes),
        "by_numpy": by_numpy,
        "again": again_by_numpy,
        "asarray": np.asarray,
        "state": of_errors,
        "calm": [object()],
        "is_calm": is_calm,
        "array": np.array,
        "float64": np.float64,
    }
    for value in code.region.inputs:
        if value.number in constants:
            name = names[value.number] = f"c{len(names)}"
            bound[name] = np.asarray(constants[value.number])
    lines = [f"def call({given}):"]
    for value in parameters:
        if value.number in code.loose:
            lines += _guard_lines(value, names[value.number], bound)
    again = f"return by_numpy({given})"
    if by_numpy is not None:
        lines.append(f"    if state() is not calm[0] and not is_calm(calm): {again}")
    for n, value in enumerate(code.results):
        names[value.number] = f"y{n}"
        lines.append(f"    y{n} = {_new(value, bound)}")
    for n, value in enumerate(code.numbers):
        names[value.number] = f"n{n}"
    arguments = ", ".join([*(names[value.number] for value in code.arguments), "scratch"])
    found = "".join(f"{names[value.number]}, " for value in code.numbers) + "status"
    if code.scratch_bytes:
        lines.append("    try: scratch = scratches.pop()")
        lines.append("    except IndexError: scratch = new_scratch()")
    else:
        bound["scratch"] = aligned(0)
    lines.append(f"    {found} = native({arguments})")
    if code.scratch_bytes:
        lines.append("    scratches.append(scratch)")
    lines.append("    if status:")
    if by_numpy is not None:
        lines.append(f"        if status == {WARNS}: {again}")
    lines.append("        failed(status)")
    results = []
    for value in code.wanted:
        root = code.region.arrays[value.number].root
        is_number = any(root is each for each in code.numbers)
        kind = _as_array if is_number else _as_kind
        result = names[root.number]
        results.append(result if value.number in copied else kind(value, result))
    lines.append(f"    return [{', '.join(results)}]")
    exec(compile("\n".join(lines), "<native>", "exec"), bound)
    return bound["call"]


class Again(BaseException):
    """NumPy is to run the whole program again. It is no Exception: programs add notes to these."""


def again_by_numpy() -> None:
    """Leave a program of several parts, for NumPy to run it."""
    raise Again


def _guard_lines(value: Value, name: str, bound: dict[str, Any]) -> list[str]:
    """Return lines that check an array from a call of NumPy's, which may differ in each run.

    Machine code reads the array with the shape, dtype and layout of the recording.
    """
    dtype = np.dtype(float) if value.dtype is None else value.dtype
    bound[f"dtype_{dtype.name}"] = dtype
    form = f"{name}.shape != {value.shape or ()} or {name}.strides != {value.strides or ()}"
    return [
        *([] if value.shape else [f"    {name} = asarray({name})"]),
        f"    if {form} or {name}.dtype != dtype_{dtype.name}: again()",
    ]


def _new(value: Value, bound: dict[str, Any]) -> str:
    """Return the expression of a new array for a result, laid out as eager's."""
    shape, dtype = value.shape or (), np.dtype(float) if value.dtype is None else value.dtype
    name = f"dtype_{dtype.name}"
    bound[name] = dtype
    if not shape or np.empty(shape, dtype).strides == value.strides:
        return f"empty({shape})" if dtype == np.float64 else f"empty({shape}, {name})"
    return f"ndarray({shape}, {name}, None, 0, {value.strides})"


def _as_kind(value: Value, name: str) -> str:
    """Return the expression of a result as the array, scalar or float that eager code gives."""
    if value.kind is np.ndarray:
        return name
    return f"{name}[()]" if issubclass(value.kind, np.generic) else f"{name}.item()"


def _as_array(value: Value, name: str) -> str:
    """Return the expression of a float as a result of the kind that eager code gives."""
    if value.kind is np.ndarray:
        return f"array({name})"
    return name if value.kind is float else f"float64({name})"
