"""NumPy's elementwise functions as instructions of LLVM's, on vectors of any length.

Arithmetic, comparisons, roots and roundings have NumPy's bits. The others are functions of glibc's
vector library, which may differ from NumPy's by 4 units in the last place.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy._core import umath

from .ir import Function, Type, V, literal
from .machine import Machine

Emit = Callable[[Function, Machine, list[V]], V]

ELEMENTS: dict[Any, str] = {
    np.dtype(np.float64): "double",
    np.dtype(np.float32): "float",
    np.dtype(np.bool_): "i1",
    **{np.dtype(f"{kind}{size}"): f"i{8 * size}" for kind in "iu" for size in (1, 4, 8)},
}
"""Dtypes of arrays that are read natively -> their elements. Those of 2 bytes are NumPy's."""

INEXACT = {
    np.exp: "exp",
    np.exp2: "exp2",
    np.expm1: "expm1",
    np.log: "log",
    np.log2: "log2",
    np.log10: "log10",
    np.log1p: "log1p",
    np.sin: "sin",
    np.cos: "cos",
    np.arcsin: "asin",
    np.arccos: "acos",
    np.arctan: "atan",
    np.sinh: "sinh",
    np.cosh: "cosh",
    np.tanh: "tanh",
    np.arcsinh: "asinh",
    np.arccosh: "acosh",
    np.arctanh: "atanh",
    np.cbrt: "cbrt",
    np.power: "pow",
    np.arctan2: "atan2",
}
"""Functions of the vector library."""

NEEDS = {**{ufunc: (name,) for ufunc, name in INEXACT.items()}, np.logaddexp: ("exp", "log1p")}
"""Functions -> those of the vector library that they are made of."""


def _infix(name: str, of_whole: str = "") -> Emit:
    def emit(f: Function, machine: Machine, args: list[V]) -> V:
        a, b = args
        return f.op(name if a.type.is_float else of_whole, a, b)

    return emit


def _comparison(of_floats: str, of_whole: str) -> Emit:
    def emit(f: Function, machine: Machine, args: list[V]) -> V:
        a, b = args
        return f.compare(f"fcmp {of_floats}" if a.type.is_float else f"icmp {of_whole}", a, b)

    return emit


def _larger(test: str) -> Emit:
    """The larger, or smaller, of two numbers; nan if one is nan; of two zeros the second one."""

    def emit(f: Function, machine: Machine, args: list[V]) -> V:
        a, b = args
        if not a.type.is_float:
            return f.select(f.compare("icmp s" + test[1:], a, b), a, b)
        takes_first = f.op("or", f.compare(f"fcmp {test}", a, b), _is_nan(f, a))
        return f.select(takes_first, a, b)

    return emit


def _is_nan(f: Function, a: V) -> V:
    return f.compare("fcmp uno", a, a)


def _unary(name: str) -> Emit:
    return lambda f, machine, args: f.intrinsic(name, args[0])


def _absolute(f: Function, machine: Machine, args: list[V]) -> V:
    return f.intrinsic("fabs", args[0])


def _beside_infinity(test: str) -> Emit:
    def emit(f: Function, machine: Machine, args: list[V]) -> V:
        size = f.intrinsic("fabs", args[0])
        return f.compare(f"fcmp {test}", size, literal(math.inf, size.type))

    return emit


def _sign(f: Function, machine: Machine, args: list[V]) -> V:
    (a,) = args
    zero = literal(0.0, a.type)
    sign = f.select(f.compare("fcmp oeq", a, zero), zero, a)
    sign = f.select(f.compare("fcmp olt", a, zero), literal(-1.0, a.type), sign)
    return f.select(f.compare("fcmp ogt", a, zero), literal(1.0, a.type), sign)


def _clip(above: str, below: str) -> Emit:
    """A number between two limits; nan, if one of the three is."""

    def emit(f: Function, machine: Machine, args: list[V]) -> V:
        x, low, high = args
        for test, limit in ((above, low), (below, high)):
            stays = f.op("or", f.compare(f"fcmp {test}", x, limit), _is_nan(f, x))
            x = f.select(stays, x, limit)
        return x

    return emit


def _of_library(name: str) -> Emit:
    def emit(f: Function, machine: Machine, args: list[V]) -> V:
        kind = args[0].type
        if not kind.lanes:  # one number: the function of the mathematical library
            return f.call(name + "f" * (kind.element == "float"), kind, *args)
        symbol, lanes = machine.symbol(name, Type(kind.element, max(kind.lanes, _least(kind))))
        return _in_parts(f, symbol, lanes, args)

    return emit


def _least(kind: Type) -> int:
    """Return how many lanes the shortest vectors of the library have."""
    return 4 if kind.element == "float" else 2


def _in_parts(f: Function, symbol: str, lanes: int, args: list[V]) -> V:
    """Call a function of vectors of `lanes` on others: on halves, or on each number twice."""
    kind = args[0].type
    if kind.lanes == lanes:
        return f.call(symbol, kind, *args)
    if kind.lanes < lanes:
        found, _ = f.halves(_in_parts(f, symbol, lanes, [f.joined(x, x) for x in args]))
        return found
    halves = [f.halves(x) for x in args]
    low, high = (_in_parts(f, symbol, lanes, [x[side] for x in halves]) for side in (0, 1))
    return f.joined(low, high)


def _logaddexp(f: Function, machine: Machine, args: list[V]) -> V:
    a, b = args
    difference = f.op("fsub", a, b)
    size = f.negative(f.intrinsic("fabs", difference))
    rest = _of_library("log1p")(f, machine, [_of_library("exp")(f, machine, [size])])
    larger = f.select(f.compare("fcmp ogt", a, b), a, b)
    found = f.op("fadd", larger, rest)
    # The difference of equal infinities is nan.
    same = f.op("fadd", a, literal(math.log(2.0), a.type))
    found = f.select(f.compare("fcmp oeq", a, b), same, found)
    return f.select(
        _is_nan(f, difference),
        f.select(f.compare("fcmp oeq", a, b), same, f.op("fadd", a, b)),
        found,
    )


def _as_bool(f: Function, a: V) -> V:
    if a.type.element == "i1":
        return a
    zero = literal(0, a.type)
    return f.compare("fcmp une" if a.type.is_float else "icmp ne", a, zero)


def _logical(name: str) -> Emit:
    def emit(f: Function, machine: Machine, args: list[V]) -> V:
        a, b = (_as_bool(f, x) for x in args)
        return f.op(name, a, b)

    return emit


def _logical_not(f: Function, machine: Machine, args: list[V]) -> V:
    a = _as_bool(f, args[0])
    return f.op("xor", a, literal(True, a.type))


def _invert(f: Function, machine: Machine, args: list[V]) -> V:
    (a,) = args
    return f.op("xor", a, literal(True if a.type.element == "i1" else -1, a.type))


EXACT: dict[Any, Emit] = {
    np.add: _infix("fadd", "add"),
    np.subtract: _infix("fsub", "sub"),
    np.multiply: _infix("fmul", "mul"),
    np.true_divide: _infix("fdiv"),
    np.negative: lambda f, machine, args: f.negative(args[0]),
    np.positive: lambda f, machine, args: args[0],
    np.absolute: _absolute,
    np.fabs: _absolute,
    np.square: lambda f, machine, args: f.op("fmul", args[0], args[0]),
    np.reciprocal: lambda f, machine, args: f.op("fdiv", literal(1.0, args[0].type), args[0]),
    np.sqrt: _unary("sqrt"),
    np.floor: _unary("floor"),
    np.ceil: _unary("ceil"),
    np.trunc: _unary("trunc"),
    np.rint: _unary("rint"),
    np.copysign: lambda f, machine, args: f.call(
        f"llvm.copysign.{args[0].type.mangled}", args[0].type, *args
    ),
    np.sign: _sign,
    np.less: _comparison("olt", "slt"),
    np.less_equal: _comparison("ole", "sle"),
    np.equal: _comparison("oeq", "eq"),
    np.not_equal: _comparison("une", "ne"),
    np.greater: _comparison("ogt", "sgt"),
    np.greater_equal: _comparison("oge", "sge"),
    np.isnan: lambda f, machine, args: _is_nan(f, args[0]),
    np.isinf: _beside_infinity("oeq"),
    np.isfinite: _beside_infinity("olt"),
    np.logical_and: _logical("and"),
    np.logical_or: _logical("or"),
    np.logical_xor: _logical("xor"),
    np.logical_not: _logical_not,
    np.bitwise_and: _infix("and", "and"),
    np.bitwise_or: _infix("or", "or"),
    np.bitwise_xor: _infix("xor", "xor"),
    np.invert: _invert,
    np.maximum: _larger("ogt"),
    np.minimum: _larger("olt"),
}
CLIP: Any = umath.clip  # type: ignore[attr-defined]
CLIP_BY_NUMBERS = "clip by numbers"
"""NumPy has another loop for limits that are single numbers: there a zero stays as it is if a limit
is a zero of the other sign. With limits that are arrays it becomes the limit."""

EXACT[CLIP] = _clip("ogt", "olt")
EXACT[CLIP_BY_NUMBERS] = _clip("oge", "ole")

OF_FLOATS = {
    *(np.true_divide, np.negative, np.absolute, np.fabs, np.square, np.reciprocal, np.sqrt),
    *(np.floor, np.ceil, np.trunc, np.rint, np.copysign, np.sign, np.isnan, np.isinf, np.isfinite),
    *(np.logaddexp, CLIP, *INEXACT),
}
"""Functions of floating-point operands alone; for other operands NumPy makes the call."""

FUNCTIONS: dict[Any, Emit] = {
    **EXACT,
    **{ufunc: _of_library(name) for ufunc, name in INEXACT.items()},
    np.logaddexp: _logaddexp,
}


def converted(f: Function, a: V, source: np.dtype[Any], target: np.dtype[Any]) -> V:
    """Return a number of one dtype as one of another, as ``astype`` does."""
    element = ELEMENTS[target]
    if source == target or (a.type.element == element and source.kind == target.kind):
        return a
    if target.kind == "b":
        return _as_bool(f, a)
    if target.kind == "f":
        if source.kind == "f":
            return f.convert(
                "fpext" if target.itemsize > source.itemsize else "fptrunc", a, element
            )
        return f.convert("sitofp" if source.kind == "i" else "uitofp", a, element)
    if source.kind == "b" or source.itemsize < target.itemsize:
        return f.convert("sext" if source.kind == "i" else "zext", a, element)
    return f.convert("trunc", a, element)


def can_convert(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """Return whether `converted` gives NumPy's result: not from floats to whole numbers."""
    is_known = source in ELEMENTS and target in ELEMENTS
    return is_known and (target.kind in "fb" or source.kind in "iub")
