"""A graph of a few numbers, read as operations on single numbers: the elements of small arrays.

Only operations that IEEE 754 defines to the bit take part.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from math import isfinite, prod
from typing import Any

import numpy as np

from ..passes.aliasing import RESHAPES, UNKNOWN, VIEW, VIEWS, as_view, is_basic, is_packed, relation
from ..passes.buffers import is_reduction
from ..passes.forms import OPERATORS
from ..passes.graph import Graph
from ..tape.instructions import (
    Guard,
    Instruction,
    Into,
    Method,
    Of,
    Through,
    Updated,
    Value,
    Written,
    as_array,
    replaced,
    written,
)
from ..tape.nested import has_any
from .numpy_executor import INFIX
from .python_writer import literal
from .sums import along, text_of_sum

_SMALL = 64
"""Arrays of at most so many elements are taken apart."""

_WORTH = 12
"""So many operations of Python's take as long as a call of NumPy's."""

_MOST = 20_000
"""So many elements of arrays are computed by Python at most: a longer source takes long to read."""


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
_SAME = {np.positive, operator.pos, np.copy, as_array, Method("copy")}
_OF_BOOLS: dict[Any, str] = {
    **dict.fromkeys((operator.and_, np.bitwise_and, np.logical_and), "{0} & {1}"),
    **dict.fromkeys((operator.or_, np.bitwise_or, np.logical_or), "{0} | {1}"),
}
#: Calls that put elements in another order, or together.
_MOVES = {*VIEWS, *RESHAPES, Method("flatten"), np.concatenate, np.stack} - {Method("view")}
_JOINED = {np.logical_and: " and ", np.logical_or: " or "}
_SAME_OF_ONE = {np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or}

Operand = Value | str
"""A number that is computed, or the text of one that is the same in each run."""


class NotOfNumbers(Exception):  # noqa: N818 - no error: NumPy runs it
    """A call has other operands than numbers, or may give other bits in Python than in NumPy."""


class Elements:
    """Reads all instructions, of which some only give numbers other names.

    Attributes
    ----------
    steps : list of tuples
        The Value, the text with places for operands, the operands, and the call of each line.
    wanted : list of ndarray
        The operands that the results consist of, in arrays of objects.
    looked : list
        Operands that have to be finite: else NumPy is to give its warnings.
    guards : dict
        The guards that the texts name.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        #: Number of a Value -> the operands that stand for its elements, in an array of objects.
        self._known: dict[int, Any] = {}
        made = [value.number for each in graph.instructions for value in each.outputs]
        self._numbers = min([0, *graph.constants, *made])
        self.steps: list[tuple[Value | None, str, list[Operand], Instruction]] = []
        self.guards: dict[str, Guard] = {}
        #: Numbers that are looked at in the end, since an inf in them may not reach a result.
        self._checked: dict[int, Value] = {}
        are_floats = all(_is_small(value) and not is_bool(value) for value in graph.inputs)
        if not (graph.inputs and graph.instructions and are_floats):
            raise NotOfNumbers
        _require_few(graph)
        for value in graph.inputs:
            self._known[value.number] = self._new_cells(value)
        for each in graph.instructions:
            self._take(each)
        self._check_memory()
        self.wanted = [self.cells(value) for value in graph.wanted]
        read = {x.number for step in self.steps for x in step[2] if type(x) is Value}
        # NumPy would warn of an element, too, that nobody reads.
        self._look_at_operands(y for y, *_ in self.steps if y and y.number not in read)
        self.looked = [*(x for of in self.wanted for x in of.flat), *self._checked.values()]

    def _check_memory(self) -> None:
        """Refuse results that share memory in eager code: with an input, or among themselves."""
        roots: dict[int, int] = {}
        for each in self._graph.instructions:
            if relation(each) == VIEW:
                x, y = each.args[0], each.outputs[0]
                roots[y.number] = roots.get(x.number, x.number)
        found: dict[int, int | None] = dict.fromkeys(self._graph.constants)
        found |= {value.number: None for value in self._graph.inputs}
        for value in self._graph.wanted:
            root = roots.get(value.number, value.number)
            is_float = _is_small(value) and value.dtype == np.float64 and _is_in_order(value)
            if not is_float or found.setdefault(root, value.number) != value.number:
                raise NotOfNumbers

    def cells(self, x: Any) -> Any:
        """Return the operands that an argument consists of, in an array of objects."""
        if type(x) is Value:
            if x.number in self._known:
                return self._known[x.number]
            if not _is_small(x):
                raise NotOfNumbers
            x = self._graph.constants[x.number]
        elif isinstance(x, (tuple, list)):
            if has_any(x, Value):
                raise NotOfNumbers
            x = np.asarray(x)
        cells = np.empty(np.shape(x), object)
        for place in np.ndindex(cells.shape):
            cells[place] = _literal(x[place] if cells.shape else x)
        return cells

    def _resolved(self, x: Any) -> Operand:
        """Return the one operand that an argument is."""
        operand: Operand = self.cells(x).item()
        return operand

    def _new_cells(self, y: Value) -> Any:
        """Return new operands for the elements of a Value: one is the Value itself."""
        cells = np.empty(y.shape or (), object)
        for place in np.ndindex(cells.shape):
            self._numbers -= 1
            number = np.bool_(False) if is_bool(y) else np.float64(0.0)
            cells[place] = y if cells.size == 1 else Value(self._numbers, number)
        return cells

    def _be(self, y: Value, cells: Any) -> None:
        """Let operands stand for a Value; their types must be those of its elements."""
        is_alike = cells.shape == (y.shape or ())
        for x in cells.flat:
            is_alike &= isinstance(x, (str, Value)) and is_bool(x) == is_bool(y)
        if not is_alike:
            raise NotOfNumbers
        self._known[y.number] = cells

    def _take(self, each: Instruction) -> None:
        call, args = each.call, each.args
        if type(each) is Guard and each.call is bool:
            name = f"guard_{len(self.guards) + 1}"
            self.guards[name] = each
            test = "not {0}" if each.expected else "{0}"
            self._look_at(args[0])
            operands = [self._resolved(args[0])]
            self.steps.append((None, f"if {test}: raise GuardError({name})", operands, each))
            return
        if len(each.outputs) != 1 or each.several or not _is_small(each.outputs[0]):
            raise NotOfNumbers
        y = each.outputs[0]
        if call in _SAME or _is_conversion(each):
            self._be(y, self.cells(args[0]).reshape(y.shape or ()))
        elif call is operator.getitem or call in _MOVES:
            self._move(each, y)
        elif type(call) is Of:
            self._reduction(each, y)
        elif call is written or type(call) is Through:
            self._write(each, y)
        elif type(call) is Written and type(call.call) is Updated:
            self._take(each.changed(getattr(operator, call.call.name, None), args, each.kwargs))
        elif type(call) is Into and type(call.call) is np.ufunc:
            self._take(each.changed(call.call, args[1:], each.kwargs))
        elif call is np.where and len(args) == 3:
            if any(is_bool(x) is not is_bool(y) for of in args[1:] for x in self.cells(of).flat):
                raise NotOfNumbers  # np.where would convert one of them
            self._steps_of(y, "{1} if {0} else {2}", each)
            self._look_at(*args[1:])
        elif call in _OF_ONE and len(args) == 1 and not each.kwargs:
            self._steps_of(y, _OF_ONE[call], each)
        elif call in _INFIX and len(args) == 2 and not each.kwargs:
            self._infix(_INFIX[call], y, each)
        elif call in _OF_BOOLS and len(args) == 2 and not each.kwargs:
            if not all(is_bool(x) for of in args for x in self.cells(of).flat):
                raise NotOfNumbers
            self._steps_of(y, _OF_BOOLS[call], each)
        else:
            raise NotOfNumbers

    def _moved(self, call: Any, args: Any, kwargs: Any) -> Any:
        """Return the result of a call that moves elements, for operands."""
        if call is operator.getitem:
            index = replaced(args[1], self._constant)
            return args[0][as_view(index) if is_basic(index) else index]
        return call(*args, **kwargs)

    def _constant(self, x: Value) -> Any:
        if x.number not in self._graph.constants:
            raise NotOfNumbers
        return self._graph.constants[x.number]

    def _move(self, each: Instruction, y: Value) -> None:
        call, args = each.call, each.args
        if call in RESHAPES and (relation(each) == UNKNOWN or not _is_plain_reshape(each)):
            raise NotOfNumbers  # the order may depend on how the elements lie in memory
        first = replaced(args[0], self.cells)
        self._be(y, np.asarray(self._moved(call, (first, *args[1:]), each.kwargs), object))

    def _write(self, each: Instruction, y: Value) -> None:
        x, *place, value = each.args
        views = each.call.views if type(each.call) is Through else ((operator.getitem, place, ()),)
        cells = view = self.cells(x).copy()
        for call, args, kwargs in views:
            before, view = view, self._moved(call, (view, *args), dict(kwargs))
            if not np.may_share_memory(view, before):
                raise NotOfNumbers  # positions
        view[...] = self.cells(value)
        self._be(y, cells)

    def _infix(self, sign: str, y: Value, each: Instruction) -> None:
        one, other = map(self.cells, each.args)
        if any(is_bool(x) and is_bool(z) for x, z in np.broadcast(one, other)):
            raise NotOfNumbers  # in NumPy the sum of two booleans is a boolean
        if sign in _COMPARISONS:
            self._look_at(*each.args)
        elif sign == "/":
            self._look_at(each.args[1])
        if sign == "*" and all(x == "1.0" for x in one.flat):
            one, other = other, one
        is_kept = one.shape == (y.shape or ()) and not any(map(is_bool, one.flat))
        if sign in "*/" and all(x == "1.0" for x in other.flat) and is_kept:
            self._be(y, one)
        else:
            self._steps_of(y, f"{{0}} {sign} {{1}}", each)

    def _reduction(self, each: Instruction, y: Value) -> None:
        ufunc, how, x = each.call.ufunc, each.kwargs, each.args[0]
        if not is_reduction(each) or "initial" in how:
            raise NotOfNumbers
        cells, axis = self.cells(x), how["axis"]
        axes = (
            tuple(range(cells.ndim)) if axis is None else axis if type(axis) is tuple else (axis,)
        )
        axes = tuple(sorted(axis % cells.ndim for axis in axes)) if cells.ndim else ()
        rows = along(cells, axes)
        if any(map(is_bool, cells.flat)) != is_bool(y):
            raise NotOfNumbers
        text: str | None
        if ufunc is np.add and not is_bool(y):
            is_laid_out = all(stride >= 0 for stride in x.strides or ())
            form = x.shape or (), x.strides or (), axes, how["keepdims"]
            text = text_of_sum(*form) if is_laid_out else None
        elif ufunc in _SAME_OF_ONE and rows.shape[-1] == 1:
            text = "{0}"
        elif ufunc in _JOINED and is_bool(y):
            text = _JOINED[ufunc].join(f"{{{n}}}" for n in range(rows.shape[-1]))
        else:
            text = None
        if text is None:
            raise NotOfNumbers
        if text == "{0}":
            self._be(y, rows[..., 0].reshape(y.shape or ()))
            return
        made = self._new_cells(y)
        for value, row in zip(made.flat, rows.reshape(-1, rows.shape[-1]), strict=True):
            self.steps.append((value, text, list(row), each))
        self._known[y.number] = made

    def _look_at(self, *args: Any) -> None:
        for of in args:
            self._look_at_operands(self.cells(of).flat)

    def _look_at_operands(self, operands: Iterable[Any]) -> None:
        for x in operands:
            if type(x) is Value and not is_bool(x):
                self._checked[x.number] = x

    def _steps_of(self, y: Value, text: str, each: Instruction) -> None:
        """Add a line for each element of the result of an elementwise function."""
        cells, made = [self.cells(x) for x in each.args], self._new_cells(y)
        operands = [np.broadcast_to(x, made.shape).flat for x in cells]
        for value, *given in zip(made.flat, *operands, strict=True):
            self.steps.append((value, text, given, each))
        self._known[y.number] = made


def _require_few(graph: Graph) -> None:
    """Refuse programs that NumPy runs faster: with many elements for each call."""
    calls = elements = 0
    for each in graph.instructions:
        if type(each) is not Guard and relation(each) != VIEW and each.call is not written:
            calls += 1
            elements += sum(prod(y.shape or ()) for y in each.outputs)
    if elements > _WORTH * calls or (elements > calls and elements > _MOST):
        raise NotOfNumbers


def _is_plain_reshape(each: Instruction) -> bool:
    """Return whether a call takes no order of elements but that of the indices."""
    is_ravel = each.call in (np.ravel, Method("ravel"))
    shape = [x for of in each.args[1:] for x in (of if isinstance(of, (tuple, list)) else [of])]
    return (
        not each.kwargs
        and all(type(x) is int for x in shape)
        and (len(each.args) == 1 if is_ravel else True)
    )


def _is_conversion(each: Instruction) -> bool:
    """Return whether a call gives the same numbers in another form."""
    is_astype = type(each.call) is Method and each.call.name == "astype"
    return is_astype and each.outputs[0].dtype == each.args[0].dtype and len(each.args) == 2


def _is_small(value: Value) -> bool:
    """Return whether a Value is a few float64 or booleans, as an array, a scalar or a float."""
    dtype = value.dtype
    is_known = dtype is not None and dtype.char in "d?" and dtype.isnative
    return bool(value.kind is float or (is_known and 0 < prod(value.shape) <= _SMALL))


def _is_in_order(value: Value) -> bool:
    return not value.shape or prod(value.shape) == 1 or is_packed(value)


def is_bool(x: Operand) -> bool:
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
