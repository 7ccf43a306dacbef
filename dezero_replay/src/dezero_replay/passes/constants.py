"""Passes over constants: what depends on them alone is computed once, and numbers get a dtype."""

from __future__ import annotations

import operator
import warnings
from functools import cache
from typing import Any

import numpy as np

from ..tape.instructions import Draw, Guard, Instruction, Method, Value, replaced, same
from ..tape.opaque import OpaqueBackward, OpaqueForward
from .aliasing import VIEW, relation
from .graph import Rewriting
from .rounds import every_call

_GROWTH, _LITTLE = 2, 4096
"""A folded constant has at most twice the bytes of its operands, or at most a page of them."""

_NUMBERS = (int, float, complex)

_AS_THEY_ARE = (OpaqueForward, OpaqueBackward, Draw)
"""Calls that each run makes, whatever the operands are."""

#: Calls that work on each element by itself, beside ufuncs.
_ELEMENTWISE = {
    *(np.where, np.copy, Method("copy"), Method("astype")),
    *(getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "neg", "pos", "abs")),
    *(getattr(operator, name) for name in ("lt", "le", "eq", "ne", "gt", "ge", "and_", "or_")),
}


def folded(rewriting: Rewriting, each: Instruction) -> Any:
    """Compute a call once, if it depends on constants alone and gives no warning."""
    constants = rewriting.constants
    if _gives_nothing(each) and each.outputs[0].number not in rewriting.escaping:
        (y,) = each.outputs
        constants[y.number], rewriting.known[y.number] = np.empty(y.shape, y.dtype), y
        return None
    for x in each.args:
        if type(x) is Value and x.number not in constants:
            return each  # nearly always
    reads = each.reads()
    if (
        not reads
        or any(value.number not in constants for value in reads)
        or any(type(one.call) in _AS_THEY_ARE for one in every_call([each]))
        or any(value.number in rewriting.escaping for value in each.outputs)
    ):
        return each  # where it escapes, eager code makes a new array for each call
    try:
        results = _evaluated(each, constants)
    except Exception:  # each run of the program is to give the error or warning
        return each
    if type(each) is Guard:
        return None if results == each.expected else each
    made = list(results) if each.several else [results]
    before = sum(getattr(constants[value.number], "nbytes", 0) for value in reads)
    after = sum(getattr(x, "nbytes", 0) for x in made)
    is_small = relation(each) == VIEW or after <= max(_LITTLE, _GROWTH * before)
    if not (is_small and all(map(_is_like, made, each.outputs))):
        return each
    for value, x in zip(each.outputs, made, strict=True):
        rewriting.constants[value.number] = x
        rewriting.known[value.number] = value
    return None


def _gives_nothing(each: Instruction) -> bool:
    """Return whether the result is an array without elements, and there is nothing to warn of."""
    if len(each.outputs) != 1 or 0 not in (each.outputs[0].shape or ()):
        return False
    is_elementwise = type(each.call) is np.ufunc or each.call in _ELEMENTWISE
    return is_elementwise or relation(each) == VIEW


def _evaluated(each: Instruction, constants: dict[int, Any]) -> Any:
    def of(value: Value) -> Any:
        return constants[value.number]

    args, kwargs = replaced(each.args, of), replaced(each.kwargs, of)
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        return each.call(*args, **kwargs)


def _is_like(x: Any, value: Value) -> bool:
    found = Value(value.number, x)
    return all(getattr(found, name) == getattr(value, name) for name in Value.__slots__)


def decided_numbers(rewriting: Rewriting, each: Instruction) -> Any:
    """Let a whole number that a guard compares, as of ``range(n)``, be a constant from there on."""
    if type(each) is Guard and type(each.expected) is int and each.call in _INTEGERS:
        x = each.args[0]
        if type(x) is not Value:  # another guard has made it a constant
            return None if x == each.expected else each
        is_result = any(x.number == value.number for value in rewriting.graph.wanted)
        if x.kind is int and not is_result:
            rewriting.known[x.number] = each.expected
    return each


_INTEGERS = {operator.index, int, same}


def typed_literals(rewriting: Rewriting, each: Instruction) -> Any:
    """Give numbers of Python's that meet arrays the dtype that NumPy would take, once."""
    ufunc = each.call
    if type(ufunc) is not np.ufunc or ufunc.signature is not None or ufunc.nout != 1:
        return each
    if all(type(x) is Value for x in each.args):
        return each  # nearly always
    dtypes = tuple(map(dtype_of, each.args))
    if each.kwargs or not all(isinstance(x, np.dtype) or x in _NUMBERS for x in dtypes):
        return each
    loop = _loop(ufunc, dtypes)
    if loop is None:
        return each
    args = []
    for x, dtype in zip(each.args, loop, strict=True):
        if type(x) is not Value:
            key = (dtype, repr(x))
            if key not in rewriting.literals:
                try:
                    rewriting.literals[key] = rewriting.constant(np.array(x, dtype))
                except (OverflowError, TypeError):  # the call itself is to raise the error
                    return each
            x = rewriting.literals[key]
        args.append(x)
    return each.changed(ufunc, tuple(args), {})


def dtype_of(x: Any) -> Any:
    """Return the dtype of an operand; the type of a number of Python's, which adapts to others."""
    if type(x) is Value:
        return x.kind if x.dtype is None else x.dtype
    return np.dtype(bool) if type(x) is bool else type(x)  # which does not adapt


@cache
def _loop(ufunc: np.ufunc, dtypes: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return the dtypes of the loop that NumPy takes; None if typed numbers would take another."""
    loop = resolved(ufunc, dtypes)
    if loop is None or all(isinstance(dtype, type) for dtype in dtypes):
        return None
    pairs = zip(dtypes, loop, strict=False)
    typed = tuple([to if isinstance(dtype, type) else dtype for dtype, to in pairs])
    return loop[:-1] if loop == resolved(ufunc, typed) else None


def resolved(ufunc: np.ufunc, dtypes: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return the dtypes of operands and result of a loop; None if NumPy does not tell."""
    try:
        return ufunc.resolve_dtypes((*dtypes, None))
    except TypeError:
        return None
