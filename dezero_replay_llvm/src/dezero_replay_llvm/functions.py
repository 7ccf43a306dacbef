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

from .ir import SIZES, Function, V, literal

Emit = Callable[..., V]
"""Writes a function of its operands, each a V, into the Function that is given first."""

ELEMENTS: dict[Any, str] = {
    np.dtype(np.float64): "double",
    np.dtype(np.float32): "float",
    np.dtype(np.bool_): "i1",
    **{np.dtype(f"{kind}{size}"): f"i{8 * size}" for kind in "iu" for size in (1, 4, 8)},
}
"""Dtypes of arrays that are read natively -> their elements. Those of 2 bytes are NumPy's."""

INEXACT: dict[Any, str] = {
    getattr(np, name): name
    for name in (
        *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "asin", "acos"),
        *("atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt", "pow", "atan2"),
    )
}
"""Functions of the vector library."""

NEEDS = {**{ufunc: (name,) for ufunc, name in INEXACT.items()}, np.logaddexp: ("exp", "log1p")}
"""Functions -> those of the vector library that they are made of."""


def _infix(of_floats: str, of_whole: str = "", write: Any = Function.op) -> Emit:
    return lambda f, a, b: write(f, of_floats if a.type.is_float else of_whole, a, b)


def _comparison(of_floats: str, of_whole: str) -> Emit:
    return _infix(f"fcmp {of_floats}", f"icmp {of_whole}", Function.compare)


def _is_nan(f: Function, a: V) -> V:
    return f.compare("fcmp uno", a, a)


def _first_if(f: Function, test: str, a: V, b: V) -> V:
    """Return `a` where a test of the two is true or `a` is nan, else `b`."""
    return f.select(f.op("or", f.compare(f"fcmp {test}", a, b), _is_nan(f, a)), a, b)


def _larger(test: str) -> Emit:
    """The larger, or smaller, of two numbers; nan if one is nan; of two zeros the second one."""

    def emit(f: Function, a: V, b: V) -> V:
        if a.type.is_float:
            return _first_if(f, test, a, b)
        return f.select(f.compare("icmp s" + test[1:], a, b), a, b)

    return emit


def _intrinsic(name: str) -> Emit:
    return lambda f, *args: f.intrinsic(name, *args)


def _beside_infinity(test: str) -> Emit:
    return lambda f, a: f.compare(f"fcmp {test}", f.intrinsic("fabs", a), literal(math.inf, a.type))


def _sign(f: Function, a: V) -> V:
    sign, zero = a, literal(0.0, a.type)
    for test, value in (("oeq", 0.0), ("olt", -1.0), ("ogt", 1.0)):
        sign = f.select(f.compare(f"fcmp {test}", a, zero), literal(value, a.type), sign)
    return sign


def _clip(above: str, below: str) -> Emit:
    """A number between two limits; nan, if one of the three is."""
    return lambda f, a, low, high: _first_if(f, below, _first_if(f, above, a, low), high)


def _of_library(name: str) -> Emit:
    def emit(f: Function, *args: V) -> V:
        kind = args[0].type
        if not kind.lanes:  # one number: the function of the mathematical library
            return f.call(name + "f" * (kind.element == "float"), kind, *args)
        return _in_parts(f, *f.module.machine.symbol(name, SIZES[kind.element], kind.lanes), *args)

    return emit


def _in_parts(f: Function, symbol: str, lanes: int, *args: V) -> V:
    """Call a function of vectors of `lanes` on others: on halves, or on each number twice."""
    kind = args[0].type
    if kind.lanes == lanes:
        return f.call(symbol, kind, *args)
    if kind.lanes < lanes:
        found, _ = f.halves(_in_parts(f, symbol, lanes, *(f.joined(x, x) for x in args)))
        return found
    halves = zip(*map(f.halves, args), strict=True)
    return f.joined(*[_in_parts(f, symbol, lanes, *half) for half in halves])


def _logaddexp(f: Function, a: V, b: V) -> V:
    difference = f.op("fsub", a, b)
    size = f.negative(f.intrinsic("fabs", difference))
    rest = _of_library("log1p")(f, _of_library("exp")(f, size))
    larger = f.select(f.compare("fcmp ogt", a, b), a, b)
    sum_of_both = f.op("fadd", a, b)
    found = f.select(_is_nan(f, difference), sum_of_both, f.op("fadd", larger, rest))
    # The difference of equal infinities is nan.
    same = f.op("fadd", a, literal(math.log(2.0), a.type))
    return f.select(f.compare("fcmp oeq", a, b), same, found)


def _as_bool(f: Function, a: V) -> V:
    if a.type.element == "i1":
        return a
    return f.compare("fcmp une" if a.type.is_float else "icmp ne", a, literal(0, a.type))


def _logical(name: str) -> Emit:
    return lambda f, a, b: f.op(name, _as_bool(f, a), _as_bool(f, b))


EXACT: dict[Any, Emit] = {
    None: lambda f, a: a,
    np.where: Function.select,
    np.add: _infix("fadd", "add"),
    np.subtract: _infix("fsub", "sub"),
    np.multiply: _infix("fmul", "mul"),
    np.true_divide: _infix("fdiv"),
    np.negative: Function.negative,
    np.positive: lambda f, a: a,
    np.absolute: _intrinsic("fabs"),
    np.fabs: _intrinsic("fabs"),
    np.square: lambda f, a: f.op("fmul", a, a),
    np.reciprocal: lambda f, a: f.op("fdiv", literal(1.0, a.type), a),
    np.sqrt: _intrinsic("sqrt"),
    np.floor: _intrinsic("floor"),
    np.ceil: _intrinsic("ceil"),
    np.trunc: _intrinsic("trunc"),
    np.rint: _intrinsic("rint"),
    np.copysign: _intrinsic("copysign"),
    np.sign: _sign,
    np.less: _comparison("olt", "slt"),
    np.less_equal: _comparison("ole", "sle"),
    np.equal: _comparison("oeq", "eq"),
    np.not_equal: _comparison("une", "ne"),
    np.greater: _comparison("ogt", "sgt"),
    np.greater_equal: _comparison("oge", "sge"),
    np.isnan: _is_nan,
    np.isinf: _beside_infinity("oeq"),
    np.isfinite: _beside_infinity("olt"),
    np.logical_and: _logical("and"),
    np.logical_or: _logical("or"),
    np.logical_xor: _logical("xor"),
    np.logical_not: lambda f, a: f.negation(_as_bool(f, a)),
    np.bitwise_and: _infix("and", "and"),
    np.bitwise_or: _infix("or", "or"),
    np.bitwise_xor: _infix("xor", "xor"),
    np.invert: lambda f, a: f.op("xor", a, literal(-1, a.type)),
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


NEUTRAL: dict[Any, Any] = {
    np.add: -0.0,
    np.multiply: 1,
    np.maximum: -math.inf,
    np.minimum: math.inf,
    np.logical_and: True,
    np.logical_or: False,
}
"""Functions by which arrays are reduced -> their neutral elements, for floating point."""


def converted(f: Function, a: V, source: np.dtype[Any], target: np.dtype[Any]) -> V:
    """Return a number of one dtype as one of another, as ``astype`` does."""
    element = ELEMENTS[target]
    if source == target or (a.type.element == element and source.kind == target.kind):
        return a
    if target.kind == "b":
        return _as_bool(f, a)
    widens, is_signed = source.itemsize < target.itemsize, source.kind == "i"
    if source.kind == target.kind == "f":
        name = "fpext" if widens else "fptrunc"
    elif target.kind == "f":
        name = "sitofp" if is_signed else "uitofp"
    elif source.kind == "f":
        # What is out of range is what the processor makes of it, as in NumPy, and raises a flag.
        return f.frozen(f.convert("fptosi", a, element))
    elif source.kind == "b" or widens:
        name = "sext" if is_signed else "zext"
    else:
        name = "trunc"
    return f.convert(name, a, element)


def can_convert(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """Return whether `converted` gives NumPy's result: not from floats to most whole numbers."""
    is_known = source in ELEMENTS and target in ELEMENTS
    return is_known and (target.kind in "fb" or source.kind in "iub" or target == np.int64)
