"""How the graphs of two recordings of the same call differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..tape.instructions import Guard, Instruction, Template, Through, Value
from ..tape.nested import alike
from ..tape.rows import rows_of
from .graph import Graph
from .rounds import Linear, Loop


def difference(
    mine: Graph,
    others: Graph,
    around: Mapping[int, int] | None = None,
    counters: Mapping[Any, Any] | None = None,
    numbers: list[tuple[int, int]] | None = None,
) -> str:
    """Return how the calls of two graphs differ; "" if they do not.

    Of the bodies of two loops, `around` has the number of a Value of the second program for each of
    the first, and `counters` the counter of a loop. With a list of `numbers`, whole numbers may
    differ: in the arguments, in what a guard expects, and in the rounds of loops. They are added.
    """
    if len(mine.instructions) != len(others.instructions):
        return "differs from call to call in the number of NumPy calls"
    pairs = zip(mine.inputs, others.inputs, strict=True)
    known = {**(around or {}), **{a.number: b.number for a, b in pairs}}
    counters = counters or {}

    def leaf(a: Any, b: Any) -> bool | None:
        if type(a) is int and numbers is not None:
            numbers.append((a, b))
            return True
        if type(a) is Linear:
            steps = tuple([(counters[counter], step) for counter, step in a.steps])
            return bool(steps == b.steps) and alike(a.start, b.start, leaf)
        if type(a) is not Value:
            return None
        if a.number in known:
            return known[a.number] == b.number
        x, y = mine.constants.get(a.number), others.constants.get(b.number)
        return x is not None and y is not None and alike(x, y)

    #: Template of the first program -> that of the second, if their calls are the same.
    templates: dict[Any, Any] = {}

    def are_alike(a: Instruction, b: Instruction) -> bool:
        if type(a.call) is not type(b.call):
            return False
        if type(a.call) is Through:
            return alike(a.call, b.call, leaf)
        if type(a.call) is not Template:
            return bool(a.call == b.call) or _alike_calls(a, b, leaf)
        if a.call not in templates:
            x, y = (replace(of, **_parts(each.call)) for of, each in ((mine, a), (others, b)))
            templates[a.call] = None if difference(x, y) else b.call
        return templates[a.call] is b.call

    for a, b in zip(mine.instructions, others.instructions, strict=True):
        if not are_alike(a, b) or type(a) is not type(b) or len(a.outputs) != len(b.outputs):
            return _differing(a, "a call of")
        if not (_reads_alike(a, b, known) or alike((a.args, a.kwargs), (b.args, b.kwargs), leaf)):
            return _differing(a, "a call of")
        if a.errors != b.errors:
            return _differing(a, "how NumPy treats errors in a call of")
        x, y = (each.expected if isinstance(each, Guard) else None for each in (a, b))
        if x != y and not alike(x, y, leaf):
            return _differing(a, "a value that decides, by")
        if type(a.call) is Loop:
            within = {**counters, a.call.counter: b.call.counter}
            if problem := difference(a.call.body, b.call.body, known, within, numbers):
                return problem
        known.update((x.number, y.number) for x, y in zip(a.outputs, b.outputs, strict=True))
    if not alike(mine.wanted, others.wanted, leaf):
        return "differs from call to call in the results"
    return ""


def are_same(mine: Graph, others: Graph) -> bool:
    """Return whether two recordings are the same, row by row, and number by number of a Value."""
    rows, other_rows = (rows_of(graph.instructions) for graph in (mine, others))
    if not rows.equals(other_rows):
        return False
    read = set(rows.numbers.tolist())
    a, b = ({n: of.constants[n] for n in read & of.constants.keys()} for of in (mine, others))
    known = {n: n for n in read - a.keys() - b.keys()}
    graphs = mine.changed(rows.models()), others.changed(other_rows.models())
    return alike(a, b) and not difference(*graphs, known)


def _parts(template: Template) -> dict[str, Any]:
    return {name: getattr(template, name) for name in Template.__slots__}


def _reads_alike(a: Instruction, b: Instruction, known: Mapping[int, int]) -> bool:
    """Return whether all arguments are Values that belong together, as nearly always."""
    if a.kwargs or b.kwargs:
        return False
    try:
        return [known[x.number] for x in a.args] == [y.number for y in b.args]
    except (AttributeError, KeyError):  # an argument is no Value, or a constant
        return False


def _differing(a: Instruction, what: str) -> str:
    if type(a.call) is Loop:
        return f"differs from call to call in a loop, of {a.call.rounds} rounds here, at {a.where}"
    name = getattr(a.call, "__name__", None) or getattr(a.call, "name", str(a.call))
    return f"differs from call to call, at {a.where}, in {what} {name}"


def _alike_calls(a: Instruction, b: Instruction, leaf: Any) -> bool:
    """Return whether two loops have rounds of one form, or two opaque bodies one function."""
    if type(a.call) is Loop:
        forms = [(x.carried, x.collected, len(x.body.inputs)) for x in (a.call, b.call)]
        return forms[0] == forms[1] and alike(a.call.rounds, b.call.rounds, leaf)
    pair: list[Any] = [getattr(x.call, "function", getattr(x.call, "node", None)) for x in (a, b)]
    if pair[0] is None or type(pair[0]) is not type(pair[1]):
        return False
    return alike(*(x._own_attributes() for x in pair))
