"""Keys of regions: what their code depends on, in short."""

from __future__ import annotations

from typing import Any

from dezero_replay.tape.instructions import Value

from .region import Region
from .steps import Array, Rounds, digits, text_of


def region_key(region: Region, results: list[Value], counters: dict[Any, int] | None = None) -> str:
    """Return all that the code of a region depends on, but for the machine.

    `counters` has a number for each of the loops around it.
    """
    counters = counters or {}
    numbers: dict[int, int] = {}

    def root(value: Value) -> str:
        if value.number in numbers:
            return str(numbers[value.number])
        number = numbers[value.number] = len(numbers)
        made = "constant " if value.number in region.constants else ""
        # str(dtype) takes ten times as long
        dtype = "" if value.dtype is None else value.dtype.str
        return f"{number}={made}{value.kind.__name__}{dtype}{value.shape}{value.strides}"

    def operand(x: Any) -> str:
        if isinstance(x, Array):
            moves = "".join(f" {counters[counter]}*{step}" for counter, step in x.moves)
            return f"[{root(x.root)}+{x.offset}{moves} {x.shape}{x.strides}{x.dtype.str}]"
        return digits(x)

    lines = [f"in {' '.join(map(root, region.inputs))}"]
    for step in region.steps:
        lines.append(text_of(step, operand))
        if isinstance(step, Rounds):
            loop = step.loop
            lines.append(f"{loop.rounds} {loop.carried} {sorted(loop.collected)}")
            lines.append(f"to {' '.join(map(operand, step.outs))}")
            within = {**counters, loop.counter: len(counters)}
            lines += [region_key(step.body, [*step.inputs, *step.wanted], within), "end"]
    lines += [f"guard {operand(array)} {guard.expected}" for guard, array in region.guards]
    lines.append(f"out {' '.join(map(root, results))}")
    return "\n".join(lines)
