"""The Python around machine code: it makes the results, calls, and looks at the status."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from dezero_replay.passes.buffers import aligned
from dezero_replay.tape.errstate import is_calm, of_errors
from dezero_replay.tape.instructions import Value

from .functions import ELEMENTS
from .kernel import WARNS, Code
from .steps import dtype_of_value


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
        **{f"dtype_{dtype.name}": dtype for dtype in ELEMENTS},
        **{name: getattr(np, name) for name in ("array", "asarray", "empty", "float64", "ndarray")},
        "native": native,
        "failed": failed,
        "by_numpy": by_numpy,
        "scratches": [],
        "new_scratch": lambda: aligned(code.scratch_bytes),
        "Again": Again,
        "state": of_errors,
        "calm": [object()],
        "is_calm": is_calm,
    }
    for value in code.region.inputs:
        if value.number in constants:
            name = names[value.number] = f"c{len(names)}"
            bound[name] = np.asarray(constants[value.number])
    lines = [f"def call({given}):"]
    for value in parameters:
        if value.number in code.loose:
            name, shape, strides = names[value.number], value.shape or (), value.strides or ()
            if not shape:
                lines.append(f"    {name} = asarray({name})")
            # Machine code reads it in the form of the recording, which may differ in each run.
            form = f"{name}.shape != {shape} or {name}.strides != {strides}"
            dtype = f"dtype_{dtype_of_value(value).name}"
            lines.append(f"    if {form} or {name}.dtype != {dtype}: raise Again")
    again = f"return by_numpy({given})"
    if by_numpy is not None:
        lines.append(f"    if state() is not calm[0] and not is_calm(calm): {again}")
    for n, value in enumerate(code.results):
        names[value.number] = f"y{n}"
        lines.append(f"    y{n} = {_new(value)}")
    for n, value in enumerate(code.numbers):
        names[value.number] = f"n{n}"
    arguments = ", ".join([*(names[value.number] for value in code.arguments), "scratch"])
    found = "".join(f"{names[value.number]}, " for value in code.numbers) + "status"
    call = f"    {found} = native({arguments})"
    if code.scratch_bytes:
        lines.append("    try: scratch = scratches.pop()")
        lines.append("    except IndexError: scratch = new_scratch()")
        lines += [call, "    scratches.append(scratch)"]
    else:
        bound["scratch"] = aligned(0)
        lines.append(call)
    lines.append("    if status:")
    if by_numpy is not None:
        lines.append(f"        if status == {WARNS}: {again}")
    lines.append("        failed(status)")
    results = []
    for value in code.wanted:
        root = code.region.arrays[value.number].root
        name = names[root.number]
        is_copied = value.number in copied
        results.append(name if is_copied else _as_kind(value, name, root in code.numbers))
    lines.append(f"    return [{', '.join(results)}]")
    exec(compile("\n".join(lines), "<native>", "exec"), bound)
    return bound["call"]


class Again(BaseException):
    """NumPy is to run the whole program again. It is no Exception: programs add notes to these."""


def _new(value: Value) -> str:
    """Return the expression of a new array for a result, laid out as eager's."""
    shape, dtype = value.shape or (), dtype_of_value(value)
    if shape and np.empty(shape, dtype).strides != value.strides:
        return f"ndarray({shape}, dtype_{dtype.name}, None, 0, {value.strides})"
    return f"empty({shape})" if dtype == np.float64 else f"empty({shape}, dtype_{dtype.name})"


def _as_kind(value: Value, name: str, is_number: bool) -> str:
    """Return the expression of a float, or an array, as what eager code gives."""
    if value.kind is np.ndarray or value.kind is list:
        return f"array({name})" if is_number else name
    if issubclass(value.kind, np.generic):
        return f"float64({name})" if is_number else f"{name}[()]"
    return name if is_number else f"{name}.item()"
