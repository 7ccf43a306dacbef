"""A recorded program: simplified, written as Python, and run."""

from __future__ import annotations

import linecache
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from dezero_tools.functional.trees import mapped

from .bodies import as_array
from .passes import draws, with_opaque, without_copies, without_dead, without_repetitions
from .random_state import Snapshot
from .recording import Input, Recording
from .tape import (
    Attribute,
    Guard,
    Instruction,
    Method,
    Of,
    Region,
    Value,
    equal,
    shape_and_dtype,
)

_INFIX = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/",
    operator.floordiv: "//", operator.mod: "%", operator.pow: "**", operator.matmul: "@",
    operator.lt: "<", operator.le: "<=", operator.eq: "==", operator.ne: "!=",
    operator.gt: ">", operator.ge: ">=", operator.and_: "&", operator.or_: "|",
    operator.xor: "^",
}
_PREFIX = {operator.neg: "-", operator.pos: "+", operator.invert: "~"}


_LARGEST_COMPARED = 65_536
"""Bytes of an array that is compared with its copy at each call."""


_FALLBACKS = 8
"""Calls in which a guard of a body fails before the body is always run as it is."""


class GuardFailed(Exception):
    """A value that decided how the program went on is another one in this run.

    Attributes
    ----------
    region : Region or None
        The body in which it decided; None in the user's own code.
    """

    def __init__(self, guard: Guard | None) -> None:
        super().__init__(guard and guard.where)
        self.region = guard and guard.region


class Lowered:
    """A list of instructions as a Python function of the inputs.

    Attributes
    ----------
    source : str
        Valid Python.
    run : callable
        Takes the inputs as arrays, and returns the wanted values.
    """

    def __init__(
        self,
        instructions: list[Instruction],
        inputs: list[Value],
        wanted: list[Value],
        constants: dict[int, Any],
    ) -> None:
        instructions, wanted = without_copies(instructions, wanted)
        instructions, wanted = without_repetitions(instructions, wanted)
        self.instructions = without_dead(instructions, wanted)
        self.wanted, self.inputs, self.constants = wanted, inputs, constants
        self._names: dict[int, str] = {}
        self._bound: dict[str, Any] = {"np": np, "GuardFailed": GuardFailed}
        lines = self._lines()
        self.source = "\n".join(lines)
        name = f"<program {id(self):x}>"
        code = compile(self.source, name, "exec")
        exec(code, self._bound)
        self.run: Callable[..., Any] = self._bound["program"]
        linecache.cache[name] = (len(self.source), None, self.source.splitlines(True), name)

    def _lines(self) -> list[str]:
        for number, value in enumerate(self.inputs):
            self._names.setdefault(value.number, f"x{number}")
        arguments = ", ".join(f"x{number}" for number in range(len(self.inputs)))
        lines = [f"def program({arguments}):"]
        last = self._last_reads()
        state: Any = None
        for index, each in enumerate(self.instructions):
            if each.errors != state:
                state = each.errors
                if state:
                    settings = ", ".join(f"{kind}={how!r}" for kind, how in state.items())
                    lines.append(f"    with np.errstate({settings}):")
            indent = "        " if state else "    "
            text = self._guard(each) if type(each) is Guard else self._call(each)
            lines.append(indent + text)
            dead = [self._names[number] for number in last.get(index, ()) if number in self._names]
            if dead:
                lines.append(f"{indent}del {', '.join(dead)}")
        results = ", ".join(map(self._text, self.wanted))
        lines.append(f"    return [{results}]")
        return lines

    def _last_reads(self) -> dict[int, list[int]]:
        """Return for each instruction the Values that nobody reads after it."""
        last: dict[int, int] = {}
        for index, each in enumerate(self.instructions):
            for value in (*each.reads(), *each.outputs):
                last[value.number] = index
        kept = {value.number for value in (*self.wanted, *self.inputs)} | self.constants.keys()
        found: dict[int, list[int]] = {}
        for number, index in last.items():
            if number not in kept:
                found.setdefault(index, []).append(number)
        return found

    def _guard(self, guard: Guard) -> str:
        x = self._text(guard.args[0])
        failed = self._bind(guard, "guard")
        if guard.call is bool:
            test = f"not {x}" if guard.expected else x
        elif guard.call is shape_and_dtype:
            shape, dtype = guard.expected
            test = f"{x}.shape != {shape} or {x}.dtype != {self._bind(dtype, 'dtype')}"
        else:
            convert = self._bind(guard.call, getattr(guard.call, "__name__", "convert"))
            test = f"{convert}({x}) != {self._text(guard.expected)}"
        return f"if {test}: raise GuardFailed({failed})"

    def _call(self, each: Instruction) -> str:
        args = [self._text(x) for x in each.args]
        kwargs = [f"{name}={self._text(x)}" for name, x in each.kwargs.items()]
        call = each.call
        if call in _INFIX and len(args) == 2:
            text = f"{args[0]} {_INFIX[call]} {args[1]}"
        elif call in _PREFIX:
            text = f"{_PREFIX[call]}{args[0]}"
        elif call is operator.getitem:
            text = f"{args[0]}[{args[1]}]"
        elif type(call) is Attribute:
            text = f"{args[0]}.{call.name}"
        elif type(call) is Method:
            text = f"{args[0]}.{call.name}({', '.join([*args[1:], *kwargs])})"
        else:
            text = f"{self._function(call)}({', '.join([*args, *kwargs])})"
        names = [self._new(value) for value in each.outputs]
        return f"{', '.join(names)}{',' if each.several and len(names) == 1 else ''} = {text}"

    def _function(self, call: Any) -> str:
        if call is as_array:
            return self._bind(np.asarray, "asarray")
        if type(call) is Of:
            return self._bind(getattr(call.ufunc, call.name), f"{call.ufunc.__name__}_{call.name}")
        return self._bind(call, getattr(call, "__name__", type(call).__name__.lower()))

    def _new(self, value: Value) -> str:
        name = self._names[value.number] = f"v{value.number}"
        return name

    def _text(self, x: Any) -> str:
        if type(x) is Value:
            if x.number in self._names:
                return self._names[x.number]
            array = self.constants[x.number]
            self._names[x.number] = name = self._bind(array, "c")
            return name
        if isinstance(x, (tuple, list)) and not hasattr(x, "_fields"):
            items = [self._text(item) for item in x]
            if isinstance(x, list):
                return f"[{', '.join(items)}]"
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
        if isinstance(x, dict):
            return "{" + ", ".join(f"{key!r}: {self._text(item)}" for key, item in x.items()) + "}"
        if isinstance(x, slice):
            return f"slice({self._text(x.start)}, {self._text(x.stop)}, {self._text(x.step)})"
        is_finite = not isinstance(x, (float, complex)) or np.isfinite(x)
        if type(x) in (int, float, bool, complex, str, type(None)) and is_finite:
            return repr(x)
        if x is Ellipsis:
            return "..."
        return self._bind(x, "k")

    def _bind(self, x: Any, hint: str) -> str:
        """Return the name of an object in the program."""
        hint = "".join(char if char.isalnum() else "_" for char in hint)
        name, number = hint, 1
        while name in self._bound and self._bound[name] is not x:
            number += 1
            name = f"{hint}_{number}"
        self._bound[name] = x
        return name


class Program:
    """What one recorded way of a function computes.

    Attributes
    ----------
    recording : Recording
    inputs : list of Input
    effects : list of Effect
    results : list of Result
    """

    def __init__(self, recording: Recording) -> None:
        self.tape, self.reached = recording.tape, recording.reached
        self.effects, self.results = recording.effects, recording.results
        #: Identities of captured Variables whose .grad was None in each recording.
        self.without_gradient = [recording.without_gradient]
        self.form = mapped(lambda _: LEAF, recording.result)
        self.wanted = [
            *(each.value for each in self.effects if type(each.value) is Value),
            *(each.value for each in self.results if type(each.value) is Value),
        ]
        self.inputs = [*recording.inputs, *self._captured()]
        #: Identity of each captured Variable -> the data that it held.
        self.data = {id(x.where): x.content for x in self.inputs if x.kind == "data"}
        self.numbers = {each.where.identity for each in self.inputs if each.kind == "number"}
        self._variants: dict[frozenset[Region], Lowered] = {}
        self._usual: frozenset[Region] = frozenset()
        self._leave_out_unread()
        self.problem = self._problem()
        self.fallbacks: dict[Region, int] = {}
        self._generators = [each.found for each in self.reached.generators]
        self._draws = any(map(draws, self.tape.instructions))
        self.arrays = {each.where.identity for each in self.inputs if each.kind == "array"}

    def _problem(self) -> str:
        """Return why it cannot be replayed; "" if it can."""
        if not self.tape.instructions:
            return "it computes with no array: there is nothing to replay"
        read = {id(each.where) for each in self.inputs}
        for place in self.reached.arrays:
            if id(place) not in read and place.found.nbytes > _LARGEST_COMPARED:
                return (
                    f"it reaches the array {place} of {place.found.nbytes:,} bytes, and computes "
                    "with something made of it: make it an argument, or a Variable"
                )
        return ""

    def _captured(self) -> Iterator[Input]:
        """Yield the captured arrays that are operands: they are read anew in each run."""
        places = {id(place.found): place for place in self.reached.arrays}
        for array, values in self.tape.operands():
            if id(array) in places and len(values) == 1:
                del self.tape.constants[values[0].number]
                yield Input(values[0], array, "array", places[id(array)])

    def _leave_out_unread(self) -> None:
        """Leave out the inputs that nobody reads or writes."""
        lowered = self._lowered(frozenset())
        used = {value.number for each in lowered.instructions for value in each.reads()}
        used.update(value.number for value in lowered.wanted)
        needed = {id(each.target) for each in self.effects if each.kind == "write"}
        needed |= {id(each.value) for each in self.effects}
        self.inputs = [x for x in self.inputs if x.value.number in used or id(x) in needed]
        self._variants.clear()
        self.usual = self._lowered(self._usual)

    def _lowered(self, failed: frozenset[Region]) -> Lowered:
        if failed not in self._variants:
            instructions = with_opaque(self.tape.instructions, failed)
            inputs = [each.value for each in self.inputs]
            self._variants[failed] = Lowered(
                instructions, inputs, self.wanted, self.tape.constants
            )
        return self._variants[failed]

    def compute(self, arrays: list[Any]) -> Any:
        """Return the wanted values.

        Raises
        ------
        GuardFailed
            If the user's own code would go another way. Random numbers are as they were then.
        """
        failed = self._usual
        before = Snapshot(self._generators) if self._draws else None
        while True:
            try:
                return self._lowered(failed).run(*arrays)
            except GuardFailed as stop:
                if before is not None:
                    before.restore()
                if stop.region is None or stop.region.first in failed:
                    raise
                failed = failed | {stop.region.first}
                self._count(stop.region.first)

    def _count(self, region: Region) -> None:
        """Take a body as it is from now on, if a guard in it keeps failing."""
        self.fallbacks[region] = self.fallbacks.get(region, 0) + 1
        if self.fallbacks[region] == _FALLBACKS:
            self._usual = self._usual | {region}
            self.usual = self._lowered(self._usual)

    @property
    def source(self) -> str:
        """The program as Python."""
        return self.usual.source

    @property
    def planned_bytes(self) -> int:
        """Bytes that it holds between calls: constants and planned buffers."""
        constants = sum(np.asarray(x).nbytes for x in self.tape.constants.values())
        return constants + sum(getattr(x, "planned_bytes", 0) for x in self._variants.values())

    def __str__(self) -> str:
        return self.source

    def differs(self, other: Program) -> str:
        """Return how another recording of the same call differs; "" if it does not."""
        mine, others = self.usual, other.usual
        if len(mine.instructions) != len(others.instructions):
            return "the number of calls"
        known: dict[int, int] = {}
        for name in ("inputs", "effects"):
            pair = (getattr(self, name), getattr(other, name))
            if [each.identity for each in pair[0]] != [each.identity for each in pair[1]]:
                return f"its {name}"
        if not _alike_results(self, other):
            return "its result"
        pairs = [*zip(mine.inputs, others.inputs, strict=True)]
        known.update((a.number, b.number) for a, b in pairs)

        def alike(a: Any, b: Any) -> bool:
            if type(a) is not type(b):
                return False
            if type(a) is Value:
                if a.number in known:
                    return known[a.number] == b.number
                x, y = mine.constants.get(a.number), others.constants.get(b.number)
                return x is not None and y is not None and equal(x, y)
            if isinstance(a, (tuple, list)):
                return len(a) == len(b) and all(map(alike, a, b))
            if isinstance(a, dict):
                return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
            if isinstance(a, slice):
                return alike((a.start, a.stop, a.step), (b.start, b.stop, b.step))
            if isinstance(a, float):
                return a == b or (math.isnan(a) and math.isnan(b))
            return bool(a is b or a == b)

        for a, b in zip(mine.instructions, others.instructions, strict=True):
            calls = type(a.call) is type(b.call) and (a.call == b.call or _opaque_alike(a, b))
            if not calls or type(a) is not type(b) or not alike(a.args, b.args):
                return f"{a.where}: {a.call}"
            if not alike(a.kwargs, b.kwargs) or len(a.outputs) != len(b.outputs):
                return f"{a.where}: {a.call}"
            if type(a) is Guard and a.expected != b.expected:
                return f"{a.where}: a value that decides"
            known.update((x.number, y.number) for x, y in zip(a.outputs, b.outputs, strict=True))
        if not alike(mine.wanted, others.wanted):
            return "the results"
        return ""


def _opaque_alike(a: Instruction, b: Instruction) -> bool:
    mine, others = getattr(a.call, "function", None), getattr(b.call, "function", None)
    if mine is None:
        mine, others = getattr(a.call, "node", None), getattr(b.call, "node", None)
    return mine is not None and type(mine) is type(others)


def _alike_results(a: Program, b: Program) -> bool:
    if repr(a.form) != repr(b.form) or len(a.results) != len(b.results):
        return False
    return all(
        x.kind == y.kind
        and type(x.value) is type(y.value)
        and (type(x.value) is Value or equal(x.value, y.value) or x.value is y.value)
        for x, y in zip(a.results, b.results, strict=True)
    )


class _Leaf:
    """Stands for a leaf in the form of a result."""

    def __repr__(self) -> str:
        return "leaf"


LEAF = _Leaf()
