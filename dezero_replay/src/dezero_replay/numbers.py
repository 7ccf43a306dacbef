"""Programs of single numbers, as arithmetic of Python's floats: the same bits, without NumPy.

Only operations that IEEE 754 defines to the bit take part. Where a result is not finite, or Python
raises an error, NumPy runs the whole again, for its warnings and errors.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import isfinite, isinf, prod, sqrt
from typing import Any

import numpy as np

from .aliasing import RESHAPES, VIEW, VIEWS, is_basic, relation
from .buffers import is_reduction
from .errors import GuardError
from .errstate import is_calm, of_errors
from .graph import Graph
from .notes import Comments
from .numpy_executor import INFIX, LoweredToPython, of_arrays, run_of
from .tape import (
    Guard,
    Instruction,
    Into,
    Method,
    Of,
    Updated,
    Value,
    Written,
    as_array,
    written,
)

_FEW = 8
_NAMED = 200
"""In programs of up to so many lines each number has a name of its own; longer ones use names
again, which makes CPython faster."""

_MANY = 10**9

_COMPARISONS = {"<", "<=", "==", "!=", ">", ">="}
_UFUNCS = {np.add: "+", np.subtract: "-", np.multiply: "*", np.true_divide: "/"}
_UFUNCS |= {np.less: "<", np.less_equal: "<=", np.greater: ">", np.greater_equal: ">="}
_UFUNCS |= {np.equal: "==", np.not_equal: "!="}
#: Operators of floats that have the bits of NumPy's.
_INFIX: dict[Any, str] = {call: text for call, text in INFIX.items() if text in _UFUNCS.values()}
_INFIX |= _UFUNCS
_OF_ONE: dict[Any, str] = {
    np.negative: "-{0}",
    operator.neg: "-{0}",
    np.absolute: "abs({0})",
    operator.abs: "abs({0})",
    np.square: "{0} * {0}",
    np.sqrt: "sqrt({0})",
    np.reciprocal: "1.0 / {0}",
    np.isfinite: "isfinite({0})",
    np.isinf: "isinf({0})",
    np.isnan: "{0} != {0}",
    np.logical_not: "not {0}",
}
_NAMES = {
    *(np.positive, operator.pos, np.copy, as_array, Method("copy"), Method("flatten")),
    *(*VIEWS, *RESHAPES),
}
_SAME_OF_ONE = {np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or}
_UPDATES = {"add": "+", "sub": "-", "mul": "*", "truediv": "/"}
_WHOLE: tuple[Any, ...] = (Ellipsis, (), slice(None))


class _NotOfNumbers(Exception):  # noqa: N818 - no error: NumPy runs it
    """A call has other operands than numbers, or may give other bits in Python than in NumPy."""


def of_numbers(graph: Graph) -> LoweredToPython | None:
    """Return a graph of single float64 as a function of Python's floats; None for other graphs."""
    try:
        return _Writer(graph).lowered()
    except _NotOfNumbers:
        return None


class _Writer:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        if not graph.inputs or not graph.instructions:
            raise _NotOfNumbers
        #: Number of a Value -> the Value that stands for it; the text of a literal.
        self._known: dict[int, Value] = {}
        self._literals: dict[int, str] = {}
        self._of_literal: dict[str, Value] = {}
        #: The Value, the text with places for operands, the operands, and the call of each line.
        self._steps: list[tuple[Value | None, str, list[Value], Instruction]] = []
        self._checked: dict[int, Value] = {}
        self._guards: dict[str, Any] = {}
        for value in graph.inputs:
            if not _is_number(value) or _is_bool(value):
                raise _NotOfNumbers
        for each in graph.instructions:
            self._take(each)
        self._wanted = [self._resolved(value) for value in graph.wanted]
        self._check_memory()

    def _check_memory(self) -> None:
        """Refuse results that share memory in eager code: with an input, or among themselves."""
        roots: dict[int, int] = {}
        for each in self.graph.instructions:
            if relation(each) == VIEW:
                x, y = each.args[0], each.outputs[0]
                roots[y.number] = roots.get(x.number, x.number)
        inputs = {value.number for value in self.graph.inputs}
        found: dict[int, int] = {}
        for value in self.graph.wanted:
            root = roots.get(value.number, value.number)
            is_float = _is_number(value) and value.dtype == np.float64
            if not is_float or root in inputs or root in self.graph.constants:
                raise _NotOfNumbers
            if found.setdefault(root, value.number) != value.number:
                raise _NotOfNumbers

    def _resolved(self, x: Any) -> Value:
        if type(x) is Value:
            x = self._known.get(x.number, x)
            if x.number in self.graph.constants and x.number not in self._literals:
                self._literals[x.number] = _literal(self.graph.constants[x.number])
            if not _is_number(x):
                raise _NotOfNumbers
            return x
        literal = _literal(x)  # of Python's; no instruction makes a Value of this number
        made = self._of_literal.setdefault(literal, Value(-_MANY - len(self._of_literal), 0.0))
        self._literals[made.number] = literal
        return made

    def _take(self, each: Instruction) -> None:
        if type(each) is Guard:
            self._guard(each)
            return
        if len(each.outputs) != 1 or each.several or not _is_number(each.outputs[0]):
            raise _NotOfNumbers
        y, call = each.outputs[0], each.call
        if relation(each) == VIEW or call in _NAMES or self._is_conversion(each):
            self._known[y.number] = self._resolved(each.args[0])
        elif type(call) is Of:
            self._reduction(each, y)
        elif call is written or type(call) in (Written, Into):
            self._write(each, y)
        elif call is np.where and len(each.args) == 3:
            if any(_is_bool(self._resolved(x)) is not _is_bool(y) for x in each.args[1:]):
                raise _NotOfNumbers  # np.where would convert one of them
            self._step(y, "{1} if {0} else {2}", each.args, each)
            for x in each.args[1:]:
                self._look_at(x)
        elif each.kwargs:
            raise _NotOfNumbers
        elif call in _OF_ONE and len(each.args) == 1:
            self._step(y, _OF_ONE[call], each.args, each)
        elif call in _INFIX and len(each.args) == 2:
            self._infix(_INFIX[call], y, each.args, each)
        else:
            raise _NotOfNumbers

    def _is_conversion(self, each: Instruction) -> bool:
        """Return whether a call gives the same number in another form."""
        if each.call is operator.getitem:  # x[...] gives a scalar as an array
            return is_basic(each.args[1])
        is_astype = type(each.call) is Method and each.call.name == "astype"
        return is_astype and each.outputs[0].dtype == each.args[0].dtype and len(each.args) == 2

    def _infix(self, sign: str, y: Value, args: Any, each: Instruction) -> None:
        operands = [self._resolved(x) for x in args]
        if all(_is_bool(x) for x in operands):
            raise _NotOfNumbers  # in NumPy the sum of two booleans is a boolean
        if sign in _COMPARISONS:
            for x in operands:
                self._look_at(x)
        elif sign == "/":
            self._look_at(operands[1])
        texts = [self._literals.get(x.number) for x in operands]
        if (sign == "*" and texts[0] == "1.0") or (sign in "*/" and texts[1] == "1.0"):
            x = operands[texts[0] == "1.0"] if sign == "*" else operands[0]
            if not _is_bool(x):
                self._known[y.number] = x
                return
        self._step(y, f"{{0}} {sign} {{1}}", operands, each)

    def _reduction(self, each: Instruction, y: Value) -> None:
        call, how = each.call, each.kwargs
        if not is_reduction(each) or "initial" in how:
            raise _NotOfNumbers
        x = self._resolved(each.args[0])
        is_bool = _is_bool(x)
        if call.ufunc is np.add and not is_bool:
            zero = np.full(each.args[0].shape, -0.0)
            total = np.add.reduce(zero, how["axis"], None, None, how["keepdims"])
            # Some sums of NumPy begin with 0.0, and then the sum of -0.0 is 0.0.
            self._step(y, "{0}" if np.signbit(total).all() else "0.0 + {0}", [x], each)
        elif call.ufunc in _SAME_OF_ONE and is_bool == _is_bool(y):
            self._known[y.number] = x
        else:
            raise _NotOfNumbers

    def _write(self, each: Instruction, y: Value) -> None:
        call, others = each.call, each.args[1:]
        if call is written:
            index, value = others
            if not any(type(index) is type(whole) and index == whole for whole in _WHOLE):
                raise _NotOfNumbers
            made = self._resolved(value)
            if _is_bool(made) or _is_bool(y):
                raise _NotOfNumbers
            self._known[y.number] = made
        elif type(call) is Written and type(call.call) is Updated and not each.kwargs:
            if call.call.name not in _UPDATES:
                raise _NotOfNumbers
            self._infix(_UPDATES[call.call.name], y, each.args, each)
        elif type(call) is Into and type(call.call) is np.ufunc:
            self._take(each.changed(call.call, tuple(others), each.kwargs))
        else:
            raise _NotOfNumbers

    def _look_at(self, x: Any) -> None:
        """Let a number be checked at the end for inf, since an inf in it may not reach a result."""
        x = self._resolved(x)
        if x.number not in self._literals and not _is_bool(x):
            self._checked[x.number] = x

    def _guard(self, guard: Guard) -> None:
        x = self._resolved(guard.args[0])
        if guard.call is not bool:
            raise _NotOfNumbers
        self._look_at(x)
        name = f"guard_{len(self._guards) + 1}"
        self._guards[name] = guard
        test = "not {0}" if guard.expected else "{0}"
        self._step(None, f"if {test}: raise GuardError({name})", [x], guard)

    def _step(self, y: Value | None, text: str, operands: Any, each: Instruction) -> None:
        self._steps.append((y, text, [self._resolved(x) for x in operands], each))

    def lowered(self) -> LoweredToPython:
        """Write the source, and compile it."""
        graph = self.graph
        names = _Names(self._literals)
        arguments = [f"x{number}" for number in range(len(graph.inputs))]
        again = f"return by_numpy({', '.join(arguments)})"
        lines = [f"def program({', '.join(arguments)}):"]
        lines.append(f"    if state() is not calm[0] and not is_calm(calm): {again}")
        lines.append("    try:")
        calls: list[Instruction | None] = [None] * 3
        last, comments = self._last_reads(), Comments()
        for argument, value in zip(arguments, graph.inputs, strict=True):
            if value.number in last:
                item = "" if value.kind is float else ".item()"
                lines.append(f"        {names.new(value, self._is_long)} = {argument}{item}")
                calls.append(None)
        for index, (y, text, operands, each) in enumerate(self._steps):
            filled = text.format(*[names.of(x) for x in operands])
            for x in operands:
                if last.get(x.number) == index:
                    names.free(x)
            if y is not None:
                filled = f"{names.new(y, self._is_long)} = {filled}"
                if y.number not in last:
                    names.free(y)
            lines.append(f"        {filled}{comments.of(each)}")
            calls.append(each)
        lines.append(f"    except (ZeroDivisionError, ValueError): {again}")
        lines.extend(self._ending(names, again))
        bound = {
            **self._guards,
            "sqrt": sqrt,
            "isfinite": isfinite,
            "isinf": isinf,
            "GuardError": GuardError,
            "array": np.array,
            "empty": np.empty,
            "float64": np.float64,
            "state": of_errors,
            "calm": [object()],
            "is_calm": is_calm,
            "by_numpy": _later(graph),
        }
        source = "\n".join(lines)
        return LoweredToPython(source, run_of(source, bound, calls), 0)

    @property
    def _is_long(self) -> bool:
        return len(self._steps) > _NAMED

    def _last_reads(self) -> dict[int, int]:
        last = {}
        for index, (_, _, operands, _) in enumerate(self._steps):
            for x in operands:
                last[x.number] = index
        for x in (*self._wanted, *self._checked.values()):
            last[x.number] = len(self._steps)
        return last

    def _ending(self, names: _Names, again: str) -> list[str]:
        """Write the look at what must be finite, and the results as new arrays."""
        values = (*self._wanted, *self._checked.values())
        looked = list(dict.fromkeys(names.of(x) for x in values))
        literals = set(self._literals.values())
        looked = [name for name in looked if name not in literals]
        lines = []
        if len(looked) <= _FEW:
            differences = " == ".join(f"{name} - {name}" for name in looked)
            lines.append(f"    if not {differences} == 0.0: {again}")
        else:
            lines.append(f"    if not all(map(isfinite, ({', '.join(looked)},))): {again}")
        results: list[str] = []
        made: dict[int, str] = {}
        for n, (value, x) in enumerate(zip(self.graph.wanted, self._wanted, strict=True)):
            if n in self.graph.copied:
                results.append(names.of(x))
                continue
            if value.number not in made:
                made[value.number], before = _as_result(value, names.of(x), len(made))
                lines.extend(before)
            results.append(made[value.number])
        lines.append(f"    return [{', '.join(results)}]")
        return lines


class _Names:
    """Names of numbers in the source; those of dead ones are given again in long programs."""

    def __init__(self, literals: dict[int, str]) -> None:
        self._names: dict[int, str] = dict(literals)
        self._free: list[str] = []
        self._count = 0

    def of(self, value: Value) -> str:
        return self._names[value.number]

    def new(self, value: Value, again: bool) -> str:
        if not again:
            name = f"v{value.number}" if value.number >= 0 else f"w{-value.number}"
        elif self._free:
            name = self._free.pop()
        else:
            self._count += 1
            name = f"r{self._count}"
        self._names[value.number] = name
        return name

    def free(self, value: Value) -> None:
        name = self._names.get(value.number, "")
        if name.startswith("r") and name not in self._free[-2:]:
            self._free.append(name)


def _as_result(value: Value, name: str, number: int) -> tuple[str, list[str]]:
    """Return the text of a new array or scalar, and the lines before it."""
    if value.kind is np.float64:
        return f"float64({name})", []
    result = f"y{number}"
    if value.shape == ():
        return result, [f"    {result} = array({name})"]
    first = ", ".join("0" for _ in value.shape)
    return result, [f"    {result} = empty({value.shape})", f"    {result}[{first}] = {name}"]


def _later(graph: Graph) -> Callable[..., Any]:
    """Return a function that runs a graph by NumPy, and is made when it is needed."""
    lowered: list[LoweredToPython] = []

    def by_numpy(*arrays: Any) -> Any:
        if not lowered:
            lowered.append(of_arrays(graph))
        return lowered[0].run(*arrays)

    return by_numpy


def _is_number(value: Value) -> bool:
    """Return whether a Value is one float64 or boolean, as an array, a scalar or a float."""
    if value.kind is float:
        return True
    if value.dtype is None or value.dtype.char not in "d?":
        return False
    return bool(prod(value.shape) == 1 and value.dtype.isnative)


def _is_bool(value: Value) -> bool:
    return bool(value.dtype is not None and value.dtype.kind == "b")


def _literal(x: Any) -> str:
    number = x.item() if isinstance(x, (np.ndarray, np.generic)) and x.size == 1 else x
    if type(number) is int and abs(number) < 2**53:
        number = float(number)
    if type(number) is bool or (type(number) is float and isfinite(number)):
        text = repr(number)
        return f"({text})" if text.startswith("-") else text
    raise _NotOfNumbers
