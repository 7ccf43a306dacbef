"""The recordings of a compiled function in words: ``step.explain()``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import brief, plugin_of

from .capture import NUMBERS, Place
from .entry import Entry, guarded_places
from .notes import counted
from .program import Program
from .tape import Guard, Region


def explained(compiled: Any) -> str:
    """Return the text for a `Compiled`."""
    name = getattr(compiled.eager, "__qualname__", repr(compiled.eager))
    lines = [f"{name}: {', '.join(_counts(compiled.stats)) or 'not called'}"]
    reasons = {key.eager_because for key in compiled.keys if key.eager_because}
    lines += [
        f"stays eager: {reason}" for reason in sorted({compiled.eager_because, *reasons}) if reason
    ]
    lines.append(
        "a call runs eagerly, as a part of the code around it, if an argument is a Variable that "
        "can be differentiated, and inside of dezero_tools.functional, observe(), checked() and "
        "another compiled function"
    )
    for number, entry in enumerate(compiled.entries):
        lines += [f"program {number}, {entry.reason}:", *(f"  {x}" for x in _of_entry(entry))]
    return "\n".join(lines)


def _counts(stats: dict[str, int]) -> Iterator[str]:
    """Yield how many calls were of which kind, of the kinds that there were."""
    for kind, number in stats.items():
        if number and kind == "replaced":
            yield f"{counted(number, 'program')} replaced"
        elif number:
            yield f"{number} {'audited' if kind == 'audits' else kind}"


def _of_entry(entry: Entry) -> Iterator[str]:
    program = entry.program
    lowered = program.usual
    number = sum(type(each) is not Guard for each in lowered.instructions)
    yield (
        f"replayed {counted(entry.replayed, 'time')}; {counted(number, 'instruction')}, run by "
        f"{program.executor}; {counted(program.planned_bytes, 'byte')} held between calls"
    )
    yield from program.report()
    yield from _of_inputs(program)
    for effect in program.effects:
        yield f"writes {_target(effect, program)}"
    for place in guarded_places(program):
        if isinstance(place.found, (*NUMBERS, str)) and place.identity not in program.numbers:
            yield f"guards {place} is {place.found!r}"
    for guard in lowered.instructions:
        if type(guard) is Guard:
            what = guard.call.__name__
            yield f"guards {what} of an array is {guard.expected!r}, at {guard.where}"
    for value, array in lowered.constants.items():
        if isinstance(array, np.ndarray) and array.size > 1:
            yield f"constant v{value}: {brief(array)}"
    for region in _opaque(program):
        provider = plugin_of(type(region.function)) or type(region.function).__module__
        yield f"opaque {region} of {provider}, at {region.where}: {region.why}"
    for region, number in program.fallbacks.items():
        times = counted(number, "time")
        yield f"{region}, at {region.where}, ran as it is written {times}, since a guard failed"


def _of_inputs(program: Program) -> Iterator[str]:
    for each in program.inputs:
        if each.kind == "argument":
            what = brief(each.content)
            yield f"input argument {each.where}: {what}"
        elif isinstance(each.where, Place):
            yield f"input {each.where}: {brief(each.content)}, read anew"
        else:
            place = _place_of(each.where, program)
            yield f"input {place}.{each.kind}: {brief(each.content)}, read anew"


def _target(effect: Any, program: Program) -> str:
    target = effect.target
    if isinstance(target, Place):
        return str(target)
    if isinstance(target, Variable):
        return f"{_place_of(target, program)}.{effect.kind}"
    if target.kind == "argument":
        return f"into argument {target.where}"
    where = target.where if isinstance(target.where, Place) else _place_of(target.where, program)
    return f"into {where}.{target.kind}"


def _place_of(variable: Variable, program: Program) -> str:
    places = program.reached.variables
    return next((str(place) for place in places if place.found is variable), "a Variable")


def _opaque(program: Program) -> Iterator[Region]:
    seen = set()
    for each in program.tape.instructions:
        region = each.region
        if region is not None and region.is_opaque and id(region) not in seen:
            seen.add(id(region))
            yield region
