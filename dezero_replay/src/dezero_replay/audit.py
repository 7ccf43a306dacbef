"""A call that runs eagerly, and its program beside it: both must come to the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from dezero_tools.functional.trees import leaves_of, tree_map

from dezero_core import Variable

from .errors import ReplayError
from .notes import name_of
from .program import LEAF
from .random_state import Snapshot
from .results import without_graphs
from .tape import Value, equal

_ARRAYS = (np.ndarray, np.generic)


def audited(compiled: Any, entry: Any, args: Any, kwargs: Any) -> Any:
    """Return eager's result of a call, and compare the program of `entry` with it.

    Raise a ReplayError if the program has other results. The effects are those of eager code.
    """
    program, calls = entry.program, entry.calls
    calls[0] -= 1
    leaves = leaves_of((args, kwargs))
    arrays = [x for x, yes in zip(leaves, entry.taken, strict=True) if yes]
    generators = [each.found for each in program.reached.generators]
    snapshot = Snapshot(generators)
    inputs = [_array(each, arrays) for each in program.inputs]  # no program writes into them
    try:
        with np.errstate(all="ignore"):  # eager code will give the warning or the error
            values = program.compute(inputs, audits=True)
    except Exception:  # a guard has failed; or eager code raises too, and may catch that
        values = None
    finally:
        snapshot.restore()
    targets = [_array(each.target, arrays) for each in program.effects if each.kind == "write"]
    result = compiled.eager(*args, **kwargs)
    calls[0] += 1
    entry.audits += 1
    every = compiled._options["audit"]
    calls[1] = 4 * calls[1] if every == "geometric" else calls[0] + every
    if values is None:
        return without_graphs(result)
    problem, value = _difference(program, values, result, targets)
    if problem:
        compiled.entries = [each for each in compiled.entries if each is not entry]
        instruction, where = _maker(program, value)
        raise ReplayError(
            f"the program of {compiled.eager!r} came to another result than eager code: {problem}"
            f"{instruction and f', made by {instruction}, recorded at {where}'}. This is call "
            f"{calls[0]} of the program, and call {entry.right} was the last one known to be right."
            " The program is dropped; the result and the effects of this call are those of eager "
            "code.",
            function=compiled.eager,
            instruction=instruction,
            where=where,
            call=calls[0],
            right=entry.right,
        )
    entry.right = calls[0]
    return without_graphs(result)


def _maker(program: Any, value: Any) -> tuple[str, str]:
    """Return the name and the line of the instruction that makes a value; "" if none does."""
    for each in reversed(program.tape.instructions):
        if any(y is value for y in each.outputs):
            return name_of(each), str(each.where)
    return "", ""


def _array(each: Any, arrays: list[Any]) -> Any:
    """Return the current array or number of an input."""
    if each.kind == "argument":
        return arrays[each.where]
    if each.kind in ("data", "grad"):
        return getattr(each.where, each.kind)
    return each.where.read()


def _difference(
    program: Any, values: list[Any], result: Any, targets: list[Any]
) -> tuple[str, Value | None]:
    """Compare the results of a program; return a difference, and the Value that has it.

    `targets` are the arrays that eager code wrote into. They were found before the call, since it
    may have put other arrays in their places.
    """
    found, into = iter(values), iter(targets)
    for effect in program.effects:
        if type(effect.value) is not Value:
            if effect.value is None and getattr(effect.target, effect.kind) is not None:
                return f"{effect.kind} is None in place of an array", None
            continue
        value = next(found)
        if effect.kind == "write":
            now = next(into)
            if type(value) is float:
                value = np.full(now.shape, value)
        elif effect.kind == "number":
            now = effect.target.read()
        else:
            now = getattr(effect.target, effect.kind)
        if not same_bits(value, now):
            return f"{effect.kind} is {value!r} in place of {now!r}", effect.value
    if repr(tree_map(lambda _: LEAF, result)) != repr(program.form):
        return f"the form of the result is {program.form} in place of that of {result!r}", None
    for expected, now in zip(program.results, leaves_of(result), strict=True):
        value = next(found) if type(expected.value) is Value else expected.value
        if expected.kind != "known":
            now = now.data if isinstance(now, Variable) else now
        if not (value is now or same_bits(value, now)):
            return f"a result is {value!r} in place of {now!r}", expected.value
    return "", None


def same_bits(a: Any, b: Any) -> bool:
    """Return whether two arrays have the same bits; all nan count as one."""
    if equal(a, b):
        return True
    if not (isinstance(a, _ARRAYS) and type(a) is type(b) and a.dtype.kind in "fc"):
        return False
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    zeros = [np.where(np.isnan(x), 0, x) for x in (a, b)]
    return bool((np.isnan(a) == np.isnan(b)).all()) and equal(*zeros)
