"""Which results of calls are views of their arguments, and which are arrays of their own."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..tape.instructions import (
    Attribute,
    Instruction,
    Into,
    Method,
    Of,
    Through,
    Value,
    Written,
    as_array,
    written,
)
from ..tape.nested import has_any
from .rounds import Linear, Loop

VIEW, FRESH, UNKNOWN = "view", "fresh", "unknown"

VIEWS = {
    *(np.broadcast_to, np.transpose, np.swapaxes, np.moveaxis, np.expand_dims, np.squeeze),
    *(np.flip, np.diagonal),
    *(Method("transpose"), Method("swapaxes"), Method("squeeze"), Method("view")),
    *(Attribute("T"), Attribute("mT")),
}
RESHAPES = {np.reshape, np.ravel, Method("reshape"), Method("ravel")}
_FRESH = {
    *(np.where, np.concatenate, np.stack, np.roll, np.pad, np.copy, np.take, np.take_along_axis),
    *(np.sort, np.argsort),
    *(np.cumsum, np.cumprod, np.outer, np.dot, np.tensordot, np.full_like, np.sum, np.prod),
    *(np.max, np.min, np.mean, np.var, np.std, np.any, np.all, np.argmax, np.argmin, written),
    *map(Method, ("copy", "flatten", "dot", "cumsum", "cumprod", "sum", "prod", "max", "min")),
    *map(Method, ("mean", "var", "std", "any", "all", "argmax", "argsort")),
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv),
    *(operator.mod, operator.pow, operator.matmul, operator.neg, operator.pos, operator.abs),
    *(operator.invert, operator.lt, operator.le, operator.eq, operator.ne, operator.gt),
    *(operator.ge, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift),
}
_BASIC = (int, slice, type(None), type(Ellipsis), Linear)


def relation(each: Instruction) -> str:
    """Return ``VIEW`` if the results of a call are views of its first argument.

    ``FRESH`` if they share no memory with any argument; else ``UNKNOWN``.
    """
    call = each.call
    kind = type(call)
    if kind is np.ufunc or kind in (Of, Written, Into, Through) or call in _FRESH:
        return FRESH
    if len(each.outputs) != 1 or not each.args or type(each.args[0]) is not Value:
        return UNKNOWN
    x, y = each.args[0], each.outputs[0]
    if issubclass(y.kind, (np.generic, bool, int)):
        return FRESH
    if y.kind is not np.ndarray:
        return UNKNOWN
    if issubclass(x.kind, np.generic):
        return FRESH  # no array is a view of a scalar
    if call is as_array:
        return VIEW if x.kind is np.ndarray else FRESH
    if call is operator.getitem:
        return _of_index(each.args[1])
    if has_any((each.args[1:], each.kwargs), Value) or x.kind is not np.ndarray:
        return UNKNOWN
    if call in VIEWS:
        return VIEW
    is_plain = call in RESHAPES and not each.kwargs and is_packed(x)
    return VIEW if is_plain else UNKNOWN


def is_basic(index: Any) -> bool:
    """Return whether indexing by it gives a view, whatever is in the array."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(type(part) in _BASIC for part in parts) and not has_any(index, Value)


def as_view(index: Any) -> Any:
    """Return a basic index that gives a view in any case, also of one element."""
    parts = index if isinstance(index, tuple) else (index,)
    return index if any(part is Ellipsis for part in parts) else (*parts, ...)


def is_alias(each: Instruction) -> bool:
    """Return whether the result of a call is a number, or an array of it, at a fixed address.

    Such an address is that of an element ``x[1]``, as long as nobody writes into `x`.
    """
    if each.call is as_array:
        return True
    return each.call is operator.getitem and is_basic(each.args[1])


def _of_index(index: Any) -> str:
    if is_basic(index):
        return VIEW
    parts = index if isinstance(index, tuple) else (index,)
    arrays = [part for part in parts if isinstance(part, (Value, list))]
    if arrays and all(isinstance(part, list) or part.shape for part in arrays):
        return FRESH
    return UNKNOWN


def is_write(each: Instruction) -> bool:
    """Return whether a call stands for a write: its result is the first argument, changed."""
    return each.call is written or type(each.call) in (Written, Into, Through)


def is_packed(value: Value, order: Callable[..., Iterable[Any]] = reversed) -> bool:
    """Return whether the elements of an array lie one beside the other, without gaps.

    `order` puts pairs of a stride and a length in the order in which the strides are to grow:
    ``reversed`` that of the indices, ``iter`` the opposite one, ``sorted`` any.
    """
    expected = value.dtype.itemsize
    for stride, n in order([*zip(value.strides, value.shape, strict=True)]):
        if n != 1 and stride != expected:
            return False
        expected *= n
    return True


def escaping(instructions: Sequence[Instruction], wanted: list[Value]) -> set[int]:
    """Return the numbers of the Values whose memory the caller gets."""
    found = {value.number for value in wanted}
    for each in reversed(instructions):
        if found.isdisjoint([value.number for value in each.outputs]):
            continue
        how = relation(each)
        if type(each.call) is Loop:
            inside = escaping_of_loop(each, found)
            pairs = zip(each.call.body.inputs, each.args, strict=True)
            found |= inside | {x.number for param, x in pairs if param.number in inside}
        elif how == VIEW:
            found.add(each.args[0].number)
        elif how == UNKNOWN:
            found.update(value.number for value in each.reads())
    return found


def escaping_of_loop(each: Instruction, given: set[int]) -> set[int]:
    """Return the same for the body of a loop, of which the caller gets `given` results."""
    loop: Loop = each.call
    body, wanted, found = loop.body, list[Value](), set[int]()
    before = [*zip(body.inputs, body.wanted[: loop.carried], strict=False)]  # of the round before
    more = [x for x, y in zip(body.wanted, each.outputs, strict=True) if y.number in given]
    while more:
        wanted += more
        found = escaping(body.instructions, wanted)
        more = [x for param, x in before if param.number in found and x not in wanted]
    return found
