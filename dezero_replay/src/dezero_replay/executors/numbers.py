"""Programs of single numbers, as arithmetic of Python's floats: the same bits, without NumPy.

Only operations that IEEE 754 defines to the bit take part. Where a result is not finite, or Python
raises an error, NumPy runs the whole again, for its warnings and errors.
"""

from __future__ import annotations

import operator
from functools import cache
from math import isfinite, isinf, prod, sqrt
from typing import Any

import numpy as np

from ..errors import GuardError
from ..passes.aliasing import RESHAPES, VIEW, VIEWS, is_basic, relation
from ..passes.buffers import is_reduction
from ..passes.forms import OPERATORS
from ..passes.graph import Graph
from ..tape.errstate import is_calm, of_errors
from ..tape.instructions import (
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
from .numpy_executor import INFIX, of_arrays
from .python_writer import LoweredToPython, PythonWriter, literal

_FEW = 8
_NAMED = 200
"""In programs of up to so many lines each number has a name of its own; longer ones use names
again, which makes CPython faster."""

_COMPARISONS = {"<", "<=", "==", "!=", ">", ">="}
#: Operators of floats that have the bits of NumPy's, and their ufuncs.
_INFIX: dict[Any, str] = {
    call: sign
    for of, sign in INFIX.items()
    if sign in {"+", "-", "*", "/", *_COMPARISONS}
    for call in (of, OPERATORS[of])
}
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
_WHOLE: tuple[Any, ...] = (Ellipsis, (), slice(None))
#: Functions and types that the source names.
_CALLED: Any = (sqrt, isfinite, isinf, is_calm, np.array, np.empty, np.float64, GuardError)

Operand = Value | str
"""A number that is computed, or the text of one that is the same in each run."""


class NotOfNumbers(Exception):  # noqa: N818 - no error: NumPy runs it
    """A call has other operands than numbers, or may give other bits in Python than in NumPy."""


class NumbersExecutor:
    """Computes with Python's floats; `lower` raises `NotOfNumbers` if that will not do."""

    name, exact = "numbers", True

    def lower(self, graph: Graph) -> LoweredToPython:
        """Return a graph of single float64 as a callable."""
        return _Writer(graph).lowered(0)


class _Writer(PythonWriter):
    """Reads all instructions, of which some only give a number another name, and then writes."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        #: Number of a Value -> the operand that stands for it.
        self._known: dict[int, Operand] = {}
        #: The Value, the text with places for operands, the operands, and the call of each line.
        self._steps: list[tuple[Value | None, str, list[Operand], Instruction]] = []
        #: Numbers that are looked at in the end, since an inf in them may not reach a result.
        self._checked: dict[int, Value] = {}
        are_floats = all(_is_number(value) and not _is_bool(value) for value in graph.inputs)
        if not (graph.inputs and graph.instructions and are_floats):
            raise NotOfNumbers
        for each in graph.instructions:
            self._take(each)
        self._check_memory()
        self._wanted = [self._resolved(value) for value in graph.wanted]
        self._looked = [*self._wanted, *self._checked.values()]
        #: Index of the last step that reads a Value; the results are one step more.
        self._last = {
            x.number: index
            for index, operands in enumerate([*(step[2] for step in self._steps), self._looked])
            for x in operands
            if type(x) is Value
        }
        #: Names of dead numbers, to be given again, and how many there are; in long programs only.
        self._free: list[str] = []
        self._count = 0
        again = f"return by_numpy({', '.join(self.arguments)})"
        self._body(again)
        self._ending(again)
        by_numpy = cache(lambda: of_arrays(graph).run)  # made when it is needed
        self.bound |= {each.__name__: each for each in _CALLED}
        self.bound |= {"state": of_errors, "calm": [object()]}
        self.bound["by_numpy"] = lambda *arrays: by_numpy()(*arrays)

    def _check_memory(self) -> None:
        """Refuse results that share memory in eager code: with an input, or among themselves."""
        roots: dict[int, int] = {}
        for each in self.graph.instructions:
            if relation(each) == VIEW:
                x, y = each.args[0], each.outputs[0]
                roots[y.number] = roots.get(x.number, x.number)
        found: dict[int, int | None] = dict.fromkeys(self.graph.constants)
        found |= {value.number: None for value in self.graph.inputs}
        for value in self.graph.wanted:
            root = roots.get(value.number, value.number)
            is_float = _is_number(value) and value.dtype == np.float64
            if not is_float or found.setdefault(root, value.number) != value.number:
                raise NotOfNumbers

    def _resolved(self, x: Any) -> Operand:
        if type(x) is Value:
            if not _is_number(x):
                raise NotOfNumbers
            if x.number not in self.graph.constants:
                return self._known.get(x.number, x)
            x = self.graph.constants[x.number]
        return _literal(x)

    def _take(self, each: Instruction) -> None:
        call, args = each.call, each.args
        if type(each) is Guard and each.call is bool:
            name = f"guard_{len(self.bound) + 1}"
            self.bound[name] = each
            test = "not {0}" if each.expected else "{0}"
            self._look_at(args[0])
            self._step(None, f"if {test}: raise GuardError({name})", each)
            return
        if len(each.outputs) != 1 or each.several or not _is_number(each.outputs[0]):
            raise NotOfNumbers
        y = each.outputs[0]
        if relation(each) == VIEW or call in _NAMES or _is_conversion(each):
            self._known[y.number] = self._resolved(args[0])
        elif type(call) is Of:
            self._reduction(each, y)
        elif call is written and any(type(args[1]) is type(x) and args[1] == x for x in _WHOLE):
            self._known[y.number] = made = self._resolved(args[2])
            if _is_bool(made) or _is_bool(y):
                raise NotOfNumbers  # the number may be converted
        elif type(call) is Written and type(call.call) is Updated:
            self._take(each.changed(getattr(operator, call.call.name, None), args, each.kwargs))
        elif type(call) is Into and type(call.call) is np.ufunc:
            self._take(each.changed(call.call, args[1:], each.kwargs))
        elif call is np.where and len(args) == 3:
            if any(_is_bool(self._resolved(x)) is not _is_bool(y) for x in args[1:]):
                raise NotOfNumbers  # np.where would convert one of them
            self._step(y, "{1} if {0} else {2}", each)
            self._look_at(*args[1:])
        elif call in _OF_ONE and len(args) == 1 and not each.kwargs:
            self._step(y, _OF_ONE[call], each)
        elif call in _INFIX and len(args) == 2 and not each.kwargs:
            self._infix(_INFIX[call], y, each)
        else:
            raise NotOfNumbers

    def _infix(self, sign: str, y: Value, each: Instruction) -> None:
        one, other = map(self._resolved, each.args)
        if _is_bool(one) and _is_bool(other):
            raise NotOfNumbers  # in NumPy the sum of two booleans is a boolean
        if sign in _COMPARISONS:
            self._look_at(*each.args)
        elif sign == "/":
            self._look_at(each.args[1])
        if sign == "*" and one == "1.0":
            one, other = other, one
        if sign in "*/" and other == "1.0" and not _is_bool(one):
            self._known[y.number] = one
        else:
            self._step(y, f"{{0}} {sign} {{1}}", each)

    def _reduction(self, each: Instruction, y: Value) -> None:
        ufunc, how = each.call.ufunc, each.kwargs
        if not is_reduction(each) or "initial" in how:
            raise NotOfNumbers
        x = self._resolved(each.args[0])
        if ufunc is np.add and not _is_bool(x):
            zero = np.full(each.args[0].shape, -0.0)
            total = np.add.reduce(zero, how["axis"], None, None, how["keepdims"])
            # Some sums of NumPy begin with 0.0, and then the sum of -0.0 is 0.0.
            self._step(y, "{0}" if np.signbit(total).all() else "0.0 + {0}", each)
        elif ufunc in _SAME_OF_ONE and _is_bool(x) == _is_bool(y):
            self._known[y.number] = x
        else:
            raise NotOfNumbers

    def _look_at(self, *args: Any) -> None:
        for x in map(self._resolved, args):
            if type(x) is Value and not _is_bool(x):
                self._checked[x.number] = x

    def _step(self, y: Value | None, text: str, each: Instruction) -> None:
        self._steps.append((y, text, [self._resolved(x) for x in each.args], each))

    def _body(self, again: str) -> None:
        self.add(f"if state() is not calm[0] and not is_calm(calm): {again}")
        self.add("try:")
        self.indent = "        "
        for argument, value in zip(self.arguments, self.graph.inputs, strict=True):
            if value.number in self._last:
                item = "" if value.kind is float else ".item()"
                self.add(f"{self._new(value)} = {argument}{item}")
        for index, (y, text, operands, each) in enumerate(self._steps):
            filled = text.format(*map(self._text, operands))
            self._release(operands, index)
            if y is not None:
                filled = f"{self._new(y)} = {filled}"
                self._release([y], None)
            self.add(filled, each)
            self.comment(each)
        self.indent = "    "
        self.add(f"except (ZeroDivisionError, ValueError): {again}")

    def _text(self, x: Operand) -> str:
        return x if isinstance(x, str) else self.names[x.number]

    def _new(self, value: Value) -> str:
        if len(self._steps) <= _NAMED:
            return self.name(value.number)
        if not self._free:
            self._count += 1
            self._free.append(f"r{self._count}")
        name = self.names[value.number] = self._free.pop()
        return name

    def _release(self, operands: list[Any], index: int | None) -> None:
        """Let the names of Values that nobody reads after a step be given again, each once."""
        for x in operands:
            if type(x) is Value and self._last.get(x.number) == index:
                name = self.names[x.number]
                if name.startswith("r") and name not in self._free[-2:]:
                    self._free.append(name)

    def _ending(self, again: str) -> None:
        """Write the look at what must be finite, and the results as new arrays."""
        looked = list(dict.fromkeys(self._text(x) for x in self._looked if type(x) is Value))
        if len(looked) <= _FEW:
            differences = " == ".join(f"{name} - {name}" for name in looked)
            self.add(f"if not {differences} == 0.0: {again}")
        else:
            self.add(f"if not all(map(isfinite, ({', '.join(looked)},))): {again}")
        results = [self._text(x) for x in self._wanted]
        for n, value in enumerate(self.graph.wanted):
            if n not in self.graph.copied:
                results[n] = self._result(value, results[n], f"y{n}")
        self.add(f"return [{', '.join(results)}]")

    def _result(self, value: Value, text: str, name: str) -> str:
        """Return the text of a new array or scalar, for which lines are written before."""
        if value.kind is np.float64:
            return f"float64({text})"
        if value.shape == ():
            self.add(f"{name} = array({text})")
        else:
            self.add(f"{name} = empty({value.shape})")
            self.add(f"{name}[{', '.join('0' * len(value.shape))}] = {text}")
        return name


def _is_conversion(each: Instruction) -> bool:
    """Return whether a call gives the same number in another form."""
    if each.call is operator.getitem:  # x[...] gives a scalar as an array
        return is_basic(each.args[1])
    is_astype = type(each.call) is Method and each.call.name == "astype"
    return is_astype and each.outputs[0].dtype == each.args[0].dtype and len(each.args) == 2


def _is_number(value: Value) -> bool:
    """Return whether a Value is one float64 or boolean, as an array, a scalar or a float."""
    dtype = value.dtype
    is_one = dtype is not None and dtype.char in "d?" and dtype.isnative and prod(value.shape) == 1
    return bool(value.kind is float or is_one)


def _is_bool(x: Operand) -> bool:
    if type(x) is Value:
        return x.dtype is not None and x.dtype.kind == "b"
    return x in ("True", "False")


def _literal(x: Any) -> str:
    number = x.item() if isinstance(x, (np.ndarray, np.generic)) and x.size == 1 else x
    if type(number) is int and abs(number) < 2**53:
        number = float(number)
    if type(number) is bool or (type(number) is float and isfinite(number)):
        return literal(number)
    raise NotOfNumbers
