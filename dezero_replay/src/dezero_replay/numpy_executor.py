"""The executor that calls NumPy: a graph as the source of a Python function."""

from __future__ import annotations

import linecache
import math
import operator
import weakref
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from .aliasing import escaping, is_write
from .buffers import Plan, is_reduction, takes_out
from .errors import GuardError
from .graph import Graph
from .notes import Comments, explain
from .tape import (
    Attribute,
    Guard,
    Instruction,
    Into,
    Method,
    Of,
    Through,
    Updated,
    Value,
    as_array,
    shape_and_dtype,
    written,
)

#: Operators between two arguments.
INFIX = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    operator.pow: "**",
    operator.matmul: "@",
    operator.lt: "<",
    operator.le: "<=",
    operator.eq: "==",
    operator.ne: "!=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.and_: "&",
    operator.or_: "|",
    operator.xor: "^",
    operator.lshift: "<<",
    operator.rshift: ">>",
}
_PREFIX = {operator.neg: "-", operator.pos: "+", operator.invert: "~"}

#: These take `out` by name alone; by position is faster.
_OUT_BY_NAME = {np.maximum, np.minimum}

_LARGE = 512
"""Arrays of this many elements or more that are no buffers are freed after their last use."""

_numbers = count()


class LoweredToPython:
    """A graph as a Python function, with its source."""

    def __init__(self, source: str, run: Callable[..., Any], planned_bytes: int) -> None:
        self.source, self.run, self.planned_bytes = source, run, planned_bytes
        self.changed: Any = None

    def audited(self, *arrays: Any) -> list[Any]:
        """Return the results of `run`, as a list: NumPy's bits are those of eager code."""
        return list(self.run(*arrays))

    def text(self, form: str) -> str:
        """Return the source: ``"python"`` is the only form."""
        if form != "python":
            raise ValueError(
                f"a program that NumPy runs has the form 'python' alone, got {form!r}."
            )
        return self.source

    def report(self) -> list[str]:
        """Return no lines: the source says everything."""
        return []


def of_arrays(graph: Graph) -> LoweredToPython:
    """Return a graph as a Python function that calls NumPy."""
    plan = Plan(graph)
    writer = _Writer(graph, plan)
    source = "\n".join(writer.lines)
    names = writer.bound
    if plan.names:
        names["arenas"], names["new_arena"] = [], plan.arena
    run = run_of(source, names, writer.calls)
    return LoweredToPython(source, run, plan.planned_bytes)


def run_of(source: str, names: dict[str, Any], calls: list[Instruction | None]) -> Any:
    """Return the function ``program`` of a source, whose errors get a note."""
    file = f"<program {next(_numbers)}>"
    exec(compile(source, file, "exec"), names)
    run = names["program"]
    names["explain"] = lambda error: explain(error, calls)
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    weakref.finalize(run, linecache.cache.pop, file, None)
    return run


class _Writer:
    """Writes a graph as the source of a function ``program``."""

    def __init__(self, graph: Graph, plan: Plan) -> None:
        self.graph, self.plan = graph, plan
        self.lines: list[str] = []
        #: The instruction of each line.
        self.calls: list[Instruction | None] = []
        self.bound: dict[str, Any] = {}
        self._by_id: dict[int, str] = {}
        self._hints: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._methods: dict[Of, Any] = {}
        self._comments = Comments()
        #: Index of an instruction -> names that nobody reads after it.
        self._deaths: dict[float, list[str]] = {}
        arguments = []
        for number, value in enumerate(graph.inputs):
            self._names.setdefault(value.number, f"x{number}")
            arguments.append(f"x{number}")
        self._add("", f"def program({', '.join(arguments)}):")
        indent = "    "
        if plan.names:
            self._add(indent, "try: arena = arenas.pop()")
            self._add(indent, "except IndexError: arena = new_arena()")
            self._add(indent, f"{', '.join(plan.names)}, = arena")
        self._add(indent, "try:")
        self._body("        ")
        self._results("        ")
        self._add(indent, "except Exception as error:")
        self._add(indent, "    explain(error)")
        self._add(indent, "    raise")

    def _add(self, indent: str, text: str, each: Instruction | None = None) -> None:
        self.lines.append(indent + text)
        self.calls.append(each)

    def _copies(self, indent: str) -> None:
        """Copy the constants that the caller gets, or views of them."""
        graph = self.graph
        for number in sorted(escaping(graph.instructions, graph.wanted) & graph.constants.keys()):
            if isinstance(graph.constants[number], np.ndarray):
                constant = self._bind(graph.constants[number], "c")
                self._names[number] = name = f"v{number}" if number >= 0 else f"w{-number}"
                self._add(indent, f"{name} = {constant}.copy('K')")

    def _body(self, indent: str) -> None:
        self._copies(indent)
        state: Any = None
        inner = indent
        for index, each in enumerate(self.graph.instructions):
            errors = None if each.call is operator.getitem else each.errors
            if errors != state:
                state, inner = errors, indent
                if state:
                    settings = ", ".join(f"{kind}={how!r}" for kind, how in state.items())
                    self._add(indent, f"with {self._bind(np.errstate, 'errstate')}({settings}):")
                    inner = indent + "    "
            first = len(self.lines)
            self._instruction(inner, each)
            self.lines[-1] += self._comments.of(each)
            if state and self.lines[first].lstrip().startswith("#"):
                self._add(inner, "pass")  # a view that is made once is a comment alone
            if index in self._deaths:
                self._add(inner, f"del {', '.join(self._deaths.pop(index))}")

    def _results(self, indent: str) -> None:
        results = [self._text(value) for value in self.graph.wanted]
        if self.plan.names:
            self._add(indent, "arenas.append(arena)")
        self._add(indent, f"return [{', '.join(results)}]")

    def _instruction(self, indent: str, each: Instruction) -> None:
        if type(each) is Guard:
            self._add(indent, self._guard(each), each)
            return
        y = each.outputs[0] if len(each.outputs) == 1 else None
        if y is not None and y.number in self.plan.views:
            self._names[y.number] = slot = self.plan.views[y.number]
            self._add(indent, f"# {slot} is {self._expression(each, None)}", each)
        elif is_write(each):
            self._write(indent, each)
        else:
            text = self._expression(each, self._out(y) if y is not None else None)
            names = ", ".join(self._new(value) for value in each.outputs)
            comma = "," if each.several and len(each.outputs) == 1 else ""
            self._add(indent, f"{names}{comma} = {text}", each)

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
        failure = f"{self._bind(GuardError, 'GuardError')}({failed})"
        if self.plan.names:
            return f"if {test}: arenas.append(arena); raise {failure}"
        return f"if {test}: raise {failure}"

    def _out(self, y: Value) -> str | None:
        """Return the name of the array that a result is written to."""
        x = self.plan.in_place.get(y.number)
        return self._names[x.number] if x is not None else self.plan.slots.get(y.number)

    def _expression(self, each: Instruction, out: str | None) -> str:
        args = [self._text(x) for x in each.args]
        call = each.call
        if is_reduction(each):
            return self._reduction(each, args[0], out)
        kwargs = [f"{name}={self._text(x)}" for name, x in each.kwargs.items()]
        if out is not None and takes_out(each):
            args.append(f"out={out}" if call in _OUT_BY_NAME else out)
        if call in INFIX and len(args) == 2:
            return f"{args[0]} {INFIX[call]} {args[1]}"
        if call in _PREFIX:
            return f"{_PREFIX[call]}{args[0]}"
        if call is operator.getitem:
            return f"{args[0]}[{args[1]}]"
        if type(call) is Attribute:
            return f"{args[0]}.{call.name}"
        if type(call) is Method:
            return f"{args[0]}.{call.name}({', '.join([*args[1:], *kwargs])})"
        return f"{self._function(call)}({', '.join([*args, *kwargs])})"

    def _reduction(self, each: Instruction, x: str, out: str | None) -> str:
        """Write ``ufunc.reduce`` with arguments by position, which is the fastest."""
        how = each.kwargs
        dtype = "None" if how["dtype"] is None else self._bind(how["dtype"], "dtype")
        args = [x, self._text(how["axis"]), dtype, str(out), str(how["keepdims"])]
        if "initial" in how:
            args.append(self._text(how["initial"]))
        for usual in ("False", "None", "None"):
            if args[-1] != usual or len(args) > 5:
                break
            args.pop()
        return f"{self._function(each.call)}({', '.join(args)})"

    def _write(self, indent: str, each: Instruction) -> None:
        """Write into the array itself, if it dies here, else into a copy of it."""
        (x, *others), (y,) = each.args, each.outputs
        source, out = self._text(x), self._out(y)
        arguments = [self._text(x) for x in others]
        name = self._new(y)
        if y.number in self.plan.in_place:
            self._add(indent, f"{name} = {out}", each)
        elif out is not None:
            self._add(indent, f"{name} = {out}", each)
            self._add(indent, f"{self._bind(np.copyto, 'copyto')}({name}, {source})", each)
        else:
            self._add(indent, f"{name} = {source}.copy('K')", each)
        arguments += [f"{key}={self._text(value)}" for key, value in each.kwargs.items()]
        self._add(indent, self._statement(each.call, name, arguments), each)

    def _statement(self, call: Any, name: str, args: list[str]) -> str:
        if call is written:
            return f"{name}[{args[0]}] = {args[1]}"
        if type(call) is Through:
            steps: list[str] = []  # not nested: Python takes no more than 200 parentheses
            for step, more, kwargs in call.views:
                texts = ["view" if steps else name, *map(self._text, more)]
                texts += [f"{key}={self._text(value)}" for key, value in kwargs]
                steps.append(f"view = {self._function(step)}({', '.join(texts)})")
            return "; ".join([*steps, f"view[...] = {args[0]}", "del view"])
        if type(call) is Into:
            return f"{self._function(call.call)}({', '.join([*args, f'out={name}'])})"
        if type(call.call) is Updated:
            infix = INFIX[getattr(operator, call.call.name, None) or _LOGIC[call.call.name]]
            return f"{name} {infix}= {args[0]}"
        return f"{self._function(call.call)}({', '.join([name, *args])})"

    def _function(self, call: Any) -> str:
        if call is as_array:
            return self._bind(np.asarray, "asarray")
        if type(call) is Of:
            if call not in self._methods:  # a method is another object each time
                self._methods[call] = getattr(call.ufunc, call.name)
            return self._bind(self._methods[call], f"{call.ufunc.__name__}_{call.name}")
        return self._bind(call, getattr(call, "__name__", type(call).__name__.lower()))

    def _new(self, value: Value) -> str:
        """Name a result; note when it is to be let go of, if it is large and no buffer."""
        number, plan = value.number, self.plan
        name = self._names[number] = f"v{number}" if number >= 0 else f"w{-number}"
        if number not in plan.slots and (value.shape is None or math.prod(value.shape) >= _LARGE):
            self._deaths.setdefault(plan.last[number], []).append(name)
        return name

    def _text(self, x: Any) -> str:
        """Return how an argument is written."""
        if type(x) is Value:
            if x.number not in self._names:
                array = self.graph.constants[x.number]
                self._names[x.number] = self._bind(array, "c")
            return self._names[x.number]
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
        found = self._by_id.get(id(x))
        if found is not None and self.bound[found] is x:
            return found
        hint = "".join(char if char.isalnum() else "_" for char in hint)
        number = self._hints[hint] = self._hints.get(hint, 0) + 1
        name = hint if number == 1 and hint not in _RESERVED else f"{hint}_{number}"
        self.bound[name] = x
        self._by_id[id(x)] = name
        return name


_LOGIC = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
_RESERVED = {"arena", "arenas", "new_arena", "explain", "program", "slice", "error", "view"}
