"""The executor that calls NumPy: a graph as the source of a Python function."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ..errors import GuardError
from ..passes.aliasing import escaping, is_packed, is_write
from ..passes.buffers import Plan, is_reduction, is_roll, takes_out
from ..passes.graph import Graph, are_zeros
from ..passes.rolls import parts_of_roll
from ..passes.rounds import Linear, Loop
from ..tape.instructions import (
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
from .argument_writer import ArgumentWriter
from .python_writer import LoweredToPython

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


def of_arrays(graph: Graph) -> LoweredToPython:
    """Return a graph as a Python function that calls NumPy."""
    plan = Plan(graph)
    return _Writer(graph, plan).lowered(plan.planned_bytes)


class _Writer(ArgumentWriter):
    def __init__(self, graph: Graph, plan: Plan) -> None:
        super().__init__(graph)
        self.plan = plan
        self._methods: dict[Of, Any] = {}
        #: Index of an instruction -> names that nobody reads after it.
        self._deaths: dict[float, list[str]] = {}
        for argument, value in zip(self.arguments, graph.inputs, strict=True):
            self.names.setdefault(value.number, argument)
        if plan.names:
            self.bound |= {"arenas": [], "new_arena": plan.arena}
            self.add("try: arena = arenas.pop()")
            self.add("except IndexError: arena = new_arena()")
            self.add(f"{', '.join(plan.names)}, = arena")
        self.add("try:")
        self.indent = "        "
        self._copies(graph)
        self._body(graph)
        results = [self.text(value) for value in graph.wanted]
        if plan.names:
            self.add("arenas.append(arena)")
        self.add(f"return [{', '.join(results)}]")
        self.indent = "    "
        self.add("except Exception as error:")
        self.add("    explain(error)")
        self.add("    raise")

    def _copies(self, graph: Graph) -> None:
        """Copy the constants that the caller gets, or views of them."""
        for number in sorted(escaping(graph.instructions, graph.wanted) & graph.constants.keys()):
            content = graph.constants[number]
            constant = self.bind(content, "c")
            if type(content) is not list:
                self.add(f"{self.name(number)} = {constant}.copy('K')")
            else:
                item = "x.copy('K')" if isinstance(content[0], np.ndarray) else "x"  # of numbers
                self.add(f"{self.name(number)} = [{item} for x in {constant}]")

    def _body(self, graph: Graph) -> None:
        state: Any = None
        usual = self.indent
        for index, each in enumerate(graph.instructions):
            errors = None if each.call is operator.getitem else each.errors
            if errors != state:
                state, self.indent = errors, usual
                if state:
                    settings = ", ".join(f"{kind}={how!r}" for kind, how in state.items())
                    self.add(f"with {self.bind(np.errstate, 'errstate')}({settings}):")
                    self.indent = usual + "    "
            first = len(self.lines)
            if type(each.call) is Loop:
                self._loop(each, index)
                continue
            self._instruction(each)
            self.comment(each)
            if state and self.lines[first].lstrip().startswith("#"):
                self.add("pass")  # a view that is made once is a comment alone
            self._let_go(index)
        self.indent = usual

    def _let_go(self, index: int) -> None:
        if index in self._deaths:
            self.add(f"del {', '.join(self._deaths.pop(index))}")

    def _loop(self, each: Instruction, index: int) -> None:
        """Write a loop of Python's, with the body in it."""
        loop: Loop = each.call
        body, carried = loop.body, loop.carried
        given = [self.text(x) for x in each.args]
        for param, text in zip(loop.shared, given[carried:], strict=True):
            self.names[param.number] = text
        params = [self.name(param.number) for param in body.inputs[:carried]]
        for param, text in zip(body.inputs[:carried], given, strict=False):
            copy = ".copy('K')" if self.plan.bodies[loop].takes_over(param) else ""
            self.add(f"{self.names[param.number]} = {text}{copy}", each)
        lists: dict[int, str] = {}
        for n in sorted(loop.collected):
            y = each.outputs[n]
            if y.number in self.plan.slots:  # a list of arrays that the rounds write into
                self.names[y.number] = self.plan.slots[y.number]
            else:
                lists[n] = self._new(y)
        for name in lists.values():
            self.add(f"{name} = [None] * {loop.rounds}", each)
        depth = len(self.counters)
        self.counters[loop.counter] = counter = "ijklmn"[depth] if depth < 6 else f"i{depth}"
        self.add(f"for {counter} in range({loop.rounds}):", each)
        begin = len(self.lines)
        before = self.plan, self._deaths, self.indent
        self.plan, self._deaths, self.indent = self.plan.bodies[loop], {}, self.indent + "    "
        self._body(body)
        found = [self.text(value) for value in body.wanted]
        for n, name in lists.items():
            self.add(f"{name}[{counter}] = {found[n]}", each)
        for n, y in enumerate(each.outputs[carried:], carried):
            if n not in loop.collected and found[n] in params:  # which has its next value soon
                self.add(f"{self.name(y.number)} = {found[n]}", each)
                found[n] = self.names[y.number]
        if carried:
            self.add(f"{', '.join(params)} = {', '.join(found[:carried])}", each)
        if len(self.lines) == begin:  # all calls of the body run before it
            del self.lines[-1]
        self.plan, self._deaths, self.indent = before
        del self.counters[loop.counter]
        for n, value in enumerate(each.outputs):
            if n not in loop.collected:
                self.names[value.number] = params[n] if n < carried else found[n]
        self._let_go(index)

    def _instruction(self, each: Instruction) -> None:
        if type(each) is Guard:
            self.add(self._guard(each), each)
            return
        y = each.outputs[0] if len(each.outputs) == 1 else None
        if y is not None and y.number in self.plan.views:
            self.names[y.number] = slot = self.plan.views[y.number]
            self.add(f"# {slot} is {self._expression(each, None)}", each)
        elif is_write(each):
            self._write(each)
        elif is_roll(each):
            self._roll(each)
        else:
            text = self._expression(each, self._out(y) if y is not None else None)
            names = ", ".join(self._new(value) for value in each.outputs)
            comma = "," if each.several and len(each.outputs) == 1 else ""
            self.add(f"{names}{comma} = {text}", each)

    def _roll(self, each: Instruction) -> None:
        """Write ``np.roll`` as copies of its parts, which is faster than the function."""
        x, (y,) = self.text(each.args[0]), each.outputs
        out, name = self._out(y), self._new(y)
        self.add(f"{name} = {out or f'{self._function(np.empty_like)}({x})'}", each)
        for taken, put in parts_of_roll(*each.args) or ():
            self.add(f"{name}[{self.index(put)}] = {x}[{self.index(taken)}]", each)

    def _guard(self, guard: Guard) -> str:
        x = self.text(guard.args[0])
        failed = self.bind(guard, "guard")
        if guard.call is bool:
            test = f"not {x}" if guard.expected else x
        elif guard.call is shape_and_dtype:
            shape, dtype = guard.expected
            test = f"{x}.shape != {shape} or {x}.dtype != {self.bind(dtype, 'dtype')}"
        else:
            convert = self.bind(guard.call, getattr(guard.call, "__name__", "convert"))
            test = f"{convert}({x}) != {self.text(guard.expected)}"
        before = "arenas.append(arena); " if self.plan.names else ""
        return f"if {test}: {before}raise {self.bind(GuardError, 'GuardError')}({failed})"

    def _out(self, y: Value) -> str | None:
        """Return the name of the array that a result is written to."""
        x = self.plan.in_place.get(y.number)
        if x is not None:
            return self.names[x.number]
        slot = self.plan.slots.get(y.number)
        if y.number in self.plan.rows:
            return f"{slot}[{[*self.counters.values()][-1]}]"
        return slot

    def _expression(self, each: Instruction, out: str | None) -> str:
        call, args = each.call, self.texts(each.args)
        if is_reduction(each):
            return self._reduction(each, args[0], out)
        kwargs = self.texts((), each.kwargs.items())
        if out is not None and takes_out(each):
            args.append(f"out={out}" if call in _OUT_BY_NAME else out)
        if call in INFIX and len(args) == 2:
            pairs = zip(each.args, args, strict=True)
            one, other = (f"({text})" if type(x) is Linear else text for x, text in pairs)
            return f"{one} {INFIX[call]} {other}"
        if call in _PREFIX:
            return f"{_PREFIX[call]}{args[0]}"
        if call is operator.getitem:
            return f"{args[0]}[{self.index(each.args[1])}]"
        if type(call) in (Attribute, Method) and args[0][0].isdigit():
            args[0] = f"({args[0]})"
        if type(call) is Attribute:
            return f"{args[0]}.{call.name}"
        if type(call) is Method:
            return f"{args[0]}.{call.name}({', '.join([*args[1:], *kwargs])})"
        return f"{self._function(call)}({', '.join([*args, *kwargs])})"

    def _reduction(self, each: Instruction, x: str, out: str | None) -> str:
        """Write ``ufunc.reduce`` with arguments by position, which is the fastest."""
        how = each.kwargs
        dtype = "None" if how["dtype"] is None else self.bind(how["dtype"], "dtype")
        args = [x, self.text(how["axis"]), dtype, str(out), str(how["keepdims"])]
        if "initial" in how:
            args.append(self.text(how["initial"]))
        else:  # without those at the end that are as usual
            while len(args) > 2 and args[-1] == ("None" if len(args) < 5 else "False"):
                args.pop()
        return f"{self._function(each.call)}({', '.join(args)})"

    def _write(self, each: Instruction) -> None:
        """Write into the array itself, if it dies here, else into a copy of it."""
        (x, *others), (y,) = each.args, each.outputs
        source, out = self.text(x), self._out(y)
        arguments = self.texts(others, each.kwargs.items())
        name = self._new(y)
        if out is None:
            self.add(f"{name} = {self._copy(x, source)}", each)
        else:
            self.add(f"{name} = {out}", each)
            if y.number in self.plan.made:
                return
            if y.number not in self.plan.in_place:
                fill = f"{name}.fill(0)" if self._is_zero(x) else None
                self.add(fill or f"{self.bind(np.copyto, 'copyto')}({name}, {source})", each)
        self.add(self._statement(each, name, arguments), each)

    def _copy(self, x: Any, source: str) -> str:
        if not self._is_zero(x):
            return f"{source}.copy('K')"
        dtype = "" if x.dtype == np.float64 else f", {self.bind(x.dtype, 'dtype')}"
        return f"{self.bind(np.zeros, 'zeros')}({x.shape}{dtype})"

    def _is_zero(self, x: Value) -> bool:
        """Return whether an array is new zeros, in the order of its axes."""
        constant = self.graph.constants.get(x.number)
        return constant is not None and is_packed(x) and are_zeros(constant)

    def _statement(self, each: Instruction, name: str, args: list[str]) -> str:
        call = each.call
        if call is written:
            index = self.index(each.args[1])
            return f"{name}[{index}] = {args[1]}"
        if type(call) is Through:
            steps: list[str] = []  # not nested: Python takes no more than 200 parentheses
            for step, more, kwargs in call.views:
                texts = ["view" if steps else name, *self.texts(more, kwargs)]
                steps.append(f"view = {self._function(step)}({', '.join(texts)})")
            return "; ".join([*steps, f"view[...] = {args[0]}", "del view"])
        if type(call) is Into:
            return f"{self._function(call.call)}({', '.join([*args, f'out={name}'])})"
        if type(call.call) is Updated:
            update = call.call.name
            infix = getattr(operator, update, None) or getattr(operator, f"{update}_")
            return f"{name} {INFIX[infix]}= {args[0]}"
        return f"{self._function(call.call)}({', '.join([name, *args])})"

    def _function(self, call: Any) -> str:
        if call is as_array:
            return self.bind(np.asarray, "asarray")
        if type(call) is Of:
            if call not in self._methods:  # a method is another object each time
                self._methods[call] = getattr(call.ufunc, call.name)
            return self.bind(self._methods[call], f"{call.ufunc.__name__}_{call.name}")
        return self.bind(call, getattr(call, "__name__", type(call).__name__.lower()))

    def _new(self, value: Value) -> str:
        """Name a result; note when it is to be let go of, if it is large and no buffer."""
        name, plan = self.name(value.number), self.plan
        is_large = value.shape is None or math.prod(value.shape) >= _LARGE
        if is_large and value.number not in plan.slots:
            self._deaths.setdefault(plan.last[value.number], []).append(name)
        return name
