"""A call that runs eagerly, and its program beside it: both must come to the same bits."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np

from dezero_core import Variable

from .entry import MISS
from .errors import GuardError, ReplayError, ReplayWarning
from .guards.outcome import Outcome
from .guards.results import without_graphs
from .tape.draws import Snapshot
from .tape.instructions import Value
from .tape.nested import ATOMS, equal
from .tape.notes import name_of

_ARRAYS = (np.ndarray, np.generic)


def audited(compiled: Any, entry: Any, args: Any, kwargs: Any) -> Any:
    """Return eager's result of a call, and compare the program of `entry` with it.

    Return `MISS` if there is no program for the number that decides. Raise a ReplayError if the
    program has other results. The effects are those of eager code.
    """
    calls = entry.calls
    calls[0] -= 1
    if entry.next_audit:
        return _timed(entry, args, kwargs)
    inputs = [each.read(args, kwargs) for each in entry.program.inputs]  # no program writes there
    try:
        program = entry.at(inputs)
    except GuardError:
        return MISS
    compiled._runs["audits"] += 1
    snapshot = Snapshot(program.generators)
    try:
        with np.errstate(all="ignore"):  # eager code will give the warning or the error
            values = program.compute(inputs, audits=True)
    except ReplayWarning:  # by a filter of the user's, it is an error
        raise
    except Exception:  # a guard has failed; or eager code raises too, and may catch that
        values = None
    finally:
        snapshot.restore()
    expected = _Expected(program, values, args, kwargs)
    begin = perf_counter()
    result = compiled.eager(*args, **kwargs)
    entry.times[1] = perf_counter() - begin
    calls[0] += 1
    entry.audits += 1
    every = compiled._options["audit"]
    entry.next_audit = 4 * calls[1] if every == "geometric" else calls[0] + every
    calls[1] = calls[0] + 1
    if values is None:
        return without_graphs(result)
    problem, value = next(expected.differences(result), ("", None))
    if problem:
        compiled.entries = [each for each in compiled.entries if each is not entry]
        instruction, where = _maker(program, value)
        raise ReplayError(
            f"the program of {compiled.eager!r} came to another result than eager code: {problem}"
            f"{instruction and f', made by {instruction}, recorded at {where}'}. This is call "
            f"{calls[0]} of the program, and call {entry.right} was the last one known to be right."
            " The program is dropped. The effects of this call are those of eager code, and the "
            "result, too: it is the `result` of this error.",
            function=compiled.eager,
            result=without_graphs(result),
            instruction=instruction,
            where=where,
            call=calls[0],
            right=entry.right,
        )
    entry.right = calls[0]
    return without_graphs(result)


def _timed(entry: Any, args: Any, kwargs: Any) -> Any:
    """Replay the call after an audit, and note how long that takes."""
    entry.calls[1], entry.next_audit = entry.next_audit, 0
    if entry.calls[1] == entry.calls[0] + 1:  # each call is audited
        return entry.enter(args, kwargs)
    begin = perf_counter()
    result = entry.enter(args, kwargs)
    entry.times[0] = perf_counter() - begin
    return result


def _maker(program: Any, value: Any) -> tuple[str, str]:
    """Return the name and the line of the instruction that makes a value; "" if none does."""
    for each in reversed(program.tape.instructions):
        if any(value is not None and y.number == value.number for y in each.outputs):
            return name_of(each), str(each.where)
    return "", ""


class _Expected:
    """The results and effects of a call by its program, found before eager code runs."""

    def __init__(self, program: Any, values: Any, args: Any, kwargs: Any) -> None:
        self._program = program
        numbers = [value.number for value in program.wanted]
        self._values = dict(zip(numbers, values or (), strict=False))
        #: id of an Outcome -> the object that it stands for.
        self._objects = {
            id(each): each.what.read(args, kwargs)
            for each in program.outcomes
            if each.kind in ("input", "place")
        }
        #: The objects that effects change; eager code may put others in their places.
        self._changed = [each.changes.read(args, kwargs) for each in program.effects]

    def differences(self, result: Any) -> Iterator[tuple[str, Value | None]]:
        """Compare with eager code; yield each difference, and the Value that has it."""
        effects = self._program.effects
        for each, x in zip(effects, self._changed, strict=True):
            target = each.target
            if each.kind == "append":
                same = [e for e in effects if e.kind == "append" and e.target is target]
                now = x[same.index(each) - len(same)]
            elif each.kind in ("data", "grad"):
                now = getattr(x, each.kind)
            elif each.kind == "write":
                now = x
            elif target.kind == "context":
                now = x.get()
            else:
                now = x[target.key] if target.kind == "item" else getattr(x, target.key)
            yield from self._differing(each.outcome, now, str(each))
        yield from self._differing(self._program.outcome, result, "a result")

    def _differing(
        self, outcome: Outcome, now: Any, what: str
    ) -> Iterator[tuple[str, Value | None]]:
        if outcome.kind == "value":
            value = self._values[outcome.what.number]
            if type(value) is float and isinstance(now, np.ndarray):
                value = np.full(now.shape, value)
            if not same_bits(value, now):
                yield f"{what} is {value!r} in place of {now!r}", outcome.what
        elif outcome.kind == "variable" and isinstance(now, Variable):
            yield from self._differing(outcome.parts[0], now.data, what)
        elif outcome.kind == "variable":
            yield f"{what} is a Variable in place of {now!r}", None
        elif outcome.kind in ("input", "place", "known"):
            x = self._objects.get(id(outcome), outcome.what)
            is_atom = type(x) in ATOMS or isinstance(x, np.generic)
            if x is not now and not (is_atom and same_bits(x, now)):
                yield f"{what} is {x!r} in place of {now!r}", None
        else:
            is_dataclass = outcome.keys and outcome.what is not dict
            parts = vars(now) if is_dataclass and hasattr(now, "__dict__") else now
            if type(now) is not outcome.what or len(parts) != len(outcome.parts):
                yield f"{what} is {outcome!r} in place of {now!r}", None
            elif outcome.keys and list(parts) != list(outcome.keys):
                yield f"{what} has {outcome.keys} in place of {now!r}", None
            else:
                inside = parts.values() if outcome.keys else parts
                for part, x in zip(outcome.parts, inside, strict=True):
                    yield from self._differing(part, x, what)


def same_bits(a: Any, b: Any) -> bool:
    """Return whether two arrays have the same bits; all nan count as one."""
    if equal(a, b):
        return True
    if not (isinstance(a, _ARRAYS) and type(a) is type(b) and a.dtype.kind in "fc"):
        return False
    zeros = [np.where(np.isnan(x), 0, x) for x in (a, b)]
    return equal(*zeros) and bool((np.isnan(a) == np.isnan(b)).all())
