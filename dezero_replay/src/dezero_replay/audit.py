"""A call that runs eagerly, and its program beside it: both must come to the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from dezero_tools.functional.trees import leaves_of

from dezero_core import Variable

from .errors import ReplayError
from .program import GuardError
from .random_state import Snapshot
from .results import without_graph
from .tape import Value, equal


def audited(compiled: Any, entry: Any, args: Any, kwargs: Any) -> Any:
    """Return eager's result of a call, and compare the program of `entry` with it.

    Raises
    ------
    ReplayError
        If the program came to something else: after the effects of eager code.
    """
    program, calls = entry.program, entry.calls
    calls[0] -= 1
    leaves = leaves_of((args, kwargs))
    arrays = [x for x, yes in zip(leaves, entry.taken, strict=True) if yes]
    generators = [each.found for each in program.reached.generators]
    snapshot = Snapshot(generators)
    values, failure = None, ""
    try:
        with np.errstate(all="ignore"):  # eager code warns of it, or raises
            values = program.compute([_copy(each, arrays) for each in program.inputs])
    except GuardError:
        pass
    except Exception as error:  # if eager code raises it too, the call ends with that
        failure = f"it raised {error!r}"
    finally:
        snapshot.restore()
    result = compiled.eager(*args, **kwargs)
    calls[0] += 1
    entry.audits += 1
    every = compiled._options["audit"]
    calls[1] = 4 * calls[1] if every == "geometric" else calls[0] + every
    problem = failure or ("" if values is None else _difference(program, values, result, arrays))
    if problem:
        compiled.entries = [each for each in compiled.entries if each is not entry]
        raise ReplayError(
            f"the program of {compiled.eager!r} came to another result than eager code: "
            f"{problem}. The program is dropped; the result and the effects of this call are "
            "those of eager code.",
            function=compiled.eager,
        )
    for x in leaves_of(result):
        if isinstance(x, Variable):
            without_graph(x)
    return result


def _copy(each: Any, arrays: list[Any]) -> Any:
    if each.kind == "argument":
        return _copied(arrays[each.where])
    if each.kind in ("data", "grad"):
        return getattr(each.where, each.kind).copy("K")
    return _copied(each.where.read())


def _copied(x: Any) -> Any:
    return x.copy("K") if isinstance(x, np.ndarray) else x


def _difference(program: Any, values: list[Any], result: Any, arrays: list[Any]) -> str:
    found = iter(values)
    for effect in program.effects:
        if type(effect.value) is not Value:
            continue
        value = next(found)
        if effect.kind == "write":
            target = effect.target
            if target.kind == "argument":
                now = arrays[target.where]
            elif target.kind == "array":
                now = target.where.read()
            else:
                now = getattr(target.where, target.kind)
        elif effect.kind == "number":
            now = effect.target.read()
        else:
            now = getattr(effect.target, effect.kind)
        if not same_bits(value, now):
            return f"{effect.kind} is {value!r} in place of {now!r}"
    for expected, now in zip(program.results, leaves_of(result), strict=True):
        if type(expected.value) is not Value:
            continue
        value = next(found)
        now = now.data if isinstance(now, Variable) else now
        if not same_bits(value, now):
            return f"a result is {value!r} in place of {now!r}"
    return ""


def same_bits(a: Any, b: Any) -> bool:
    """Return whether two arrays have the same bits; all nan count as one."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.dtype.kind in "fc":
        return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=True)
    return equal(a, b)
