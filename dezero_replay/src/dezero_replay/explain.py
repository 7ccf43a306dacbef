"""The recordings of a compiled function in words: ``step.explain()``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from dezero_core.extend import brief, plugin_of

from .entry import Entry
from .passes.rounds import Loop, every_call
from .tape.instructions import Guard, Value, same
from .tape.notes import counted


class Explanation(str):
    """A text that a notebook shows as it is printed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def explained(compiled: Any) -> Explanation:
    """Return the text for a `Compiled`."""
    name = getattr(compiled.eager, "__qualname__", repr(compiled.eager))
    stats, entries = compiled.stats, compiled.entries
    total = sum(stats[kind] for kind in ("replayed", "recorded", "eager", "audits"))
    were = "was" if total == 1 else "were"
    lines = [f"{name}: {stats['replayed']} of {counted(total, 'call')} {were} replayed"]
    times = [each.times for each in entries if all(each.times)]
    if times:
        replayed, eager = map(_duration, times[0])
        lines[0] += f"; a call takes {replayed} replayed, {eager} eager"
    others = [
        f"{stats[kind]} {word}"
        for kind, word in (("recorded", "recorded"), ("eager", "eager"), ("audits", "audited"))
        if stats[kind]
    ]
    if stats["replaced"]:
        others.append(f"{counted(stats['replaced'], 'program')} replaced")
    lines += [f"the other calls: {', '.join(others)}"] if others else []
    which = "some calls stay eager" if entries else "stays eager"
    lines += [f"{which}: {where}{': ' * bool(where)}{x}" for where, x in compiled.reasons.items()]
    if not stats["replayed"]:
        lines.append(
            "a call is eager, too, as a part of the code around it: inside of "
            "dezero_tools.functional, observe(), checked() and another compiled function, and "
            "where an argument is a Variable with a graph"
        )
    for number, entry in enumerate(entries):
        lines += [f"program {number}, {entry.reason}:", *(f"  {x}" for x in _of_entry(entry))]
    return Explanation("\n".join(lines))


def _of_entry(entry: Entry) -> Iterator[str]:
    program = entry.program
    calls = [*every_call(program.running.instructions)]
    number = sum(type(each) is not Guard for each in calls)
    loops = sum(type(each.call) is Loop for each in calls)
    once = f" (those in {counted(loops, 'loop')} once)" * bool(loops)
    yield (
        f"replayed {counted(entry.replayed, 'time')}; {counted(number - loops, 'instruction')}"
        f"{once}, run by {program.executor}; {counted(program.planned_bytes, 'byte')} held between "
        "calls"
    )
    yield from program.report()
    for each in program.inputs:
        new = "" if each.place.is_of_arguments else ", read anew"
        yield f"input {each}: {_form_of(each.value)}{new}"
    guards = [each for each in calls if type(each) is Guard]
    if entry.choice is not None:
        decides, numbers = program.inputs[entry.choice.position], entry.choice.numbers
        yield f"{decides} decides: recorded for {', '.join(map(str, numbers))}"
        guards = [each for each in guards if _guarded(each) != decides.value.number]
    for effect in program.effects:
        yield f"writes {effect}"
    for look in program.looks:
        if look.what == "value":
            yield f"guards {look.place} is {look.expected!r}"
    names = {each.value.number: str(each) for each in program.inputs}
    for text, count in Counter(_in_words(each, names) for each in guards).items():
        yield f"{text}{f' ({count} times)' * (count > 1)}"
    read = {value.number for each in calls for value in each.reads()}
    for value, array in program.usual.constants.items():
        if value in read and isinstance(array, np.ndarray) and array.size > 1:
            yield f"constant v{value}: {brief(array)}"
    for region in dict.fromkeys(each.region for each in program.tape.instructions.models()):
        if region is None or not region.is_opaque:
            continue
        provider = plugin_of(type(region.function)) or type(region.function).__module__
        yield (
            f"{region} of {provider}, at {region.where}, runs as Python, between the recorded "
            f"parts: right, but slower, since it {region.why}"
        )
    for region, number in program.fallbacks.items():
        times = counted(number, "time")
        yield f"{region}, at {region.where}, ran as it is written {times}, since a guard failed"


def _guarded(guard: Guard) -> int:
    """Return the number of the Value that a guard compares; 0 if that is a constant by now."""
    return guard.args[0].number if type(guard.args[0]) is Value else 0


def _in_words(guard: Guard, names: dict[int, str]) -> str:
    what = "" if guard.call is same else f"{guard.call.__name__} of "
    name = names.get(_guarded(guard), "a value")
    return f"guards that {what}{name} is {guard.expected!r}, at {guard.where}"


def _duration(seconds: float) -> str:
    for unit, name in ((1e-6, "µs"), (1e-3, "ms")):
        if seconds < 999.5 * unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds:.3g} s"


def _form_of(value: Value) -> str:
    """Return dtype and shape of an array, the type of a number."""
    if value.dtype is None:
        return str(value.kind.__name__)
    return f"{value.dtype}{list(value.shape)}" if value.shape else str(value.dtype)
