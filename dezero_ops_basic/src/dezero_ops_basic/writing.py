"""Writing elements: ``x[i] = v``, and `setitem`, which returns a new Variable."""

from __future__ import annotations

import operator
import sys
from math import prod
from sys import getrefcount
from typing import Any

import numpy as np

from dezero_core import Function, GraphError, Registrar, Variable
from dezero_core.extend import Array, call_by_type, copied, is_written_by, kind_of

from .broadcasting import SumTo
from .in_place import Writing, in_rows, operand, own_copy, require_no_loss, sample_of, write_by
from .indexing import (
    GetItem,
    GetItemAt,
    Index,
    filled,
    fixed_index,
    has_positions,
)


class SetItem(Writing):
    """Replaces elements; the gradient of these goes to the new ones, that of others to `x`."""

    writes = operator.setitem

    def forward(self, x: Array, value: Array) -> Array:
        return x if self.in_place else _written(x, self.index, value)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        in_place = type(gy) is np.ndarray and getrefcount(gy) <= _ALONE and gy.flags.owndata
        wants_x, wants_value = self.needs_grad
        gv = None
        if wants_value:
            gv = GetItem(self.index).of(gy)
            if gv.size > 1 and has_positions(self.index):
                is_lost = _is_lost(self.index, gy.shape, gv.shape)
                gv = SetItem(is_lost).of(gv, 0.0) if np.any(is_lost) else gv
            gv = summed(gv, self.inputs[1].shape)
        if not wants_x:
            return None, gv
        if not (in_place and gy.flags.writeable):
            return SetItem(self.index).of(gy, 0.0), gv
        gv = None if gv is None else copied(gv, gy)  # maybe a view
        gy[self.index] = 0.0
        return gy, gv


class SetItemAt(Function):
    """Replaces elements at positions that are operands: they differ from example to example."""

    saves = ("other inputs",)

    def __init__(self, parts: tuple[Any, ...]) -> None:
        #: The index, with "positions" in place of each operand.
        self.parts = parts

    def forward(self, x: Array, value: Array, *positions: Array) -> Array:
        return _written(x, filled(self.parts, positions), value, *positions)

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        wants_x, wants_value, *_ = self.needs_grad
        at, gx, gv = [each.data for each in self.inputs[2:]], None, None
        if wants_x:
            gx = SetItemAt(self.parts).of(gy, 0.0, *at)
        if wants_value:
            gv = GetItemAt(self.parts).of(gy, *at)
            if any(each.dtype != bool for each in at):
                is_lost = _is_lost(filled(self.parts, at), gy.shape, gv.shape, *at)
                gv = SetItemAt(("positions",)).of(gv, 0.0, is_lost)
            gv = summed(gv, self.inputs[1].shape)
        return gx, gv, *(None for _ in at)


def _written(x: Array, index: Index, value: Array, *others: Array) -> Array:
    """Return a copy of `x` in which `value` is written at an index."""
    if not others and any(kind_of(each).immutable for each in (x, value)):
        return _chosen(x, index, value)
    y = own_copy(x, value, *others)
    y[index] = in_rows(index, value)
    return y


def _chosen(x: Array, index: Index, value: Array) -> Array:
    """Return the same, of arrays that nobody can write into."""
    numbers, shape = np.full(np.shape(x), -1), np.empty(np.shape(x), bool)[index].shape
    numbers[index] = np.arange(prod(shape)).reshape(shape)
    if np.shape(value):
        lead = max(0, np.ndim(value) - len(shape))  # NumPy drops leading axes of length 1
        flat = np.reshape(value, np.shape(value)[lead:])
        value = np.reshape(np.broadcast_to(flat, shape), (-1,))
        value = np.reshape(value[numbers.reshape(-1)], numbers.shape) if prod(shape) else 0.0
    y: Any = np.where(numbers >= 0, value, x)
    return y.astype(x.dtype)


def _is_lost(index: Index, shape: tuple[int, ...], picked: tuple[int, ...], *others: Array) -> Any:
    """Return which values of a write were written over by others, at the same position."""
    numbers = np.arange(prod(picked)).reshape(picked)
    last = _written(np.zeros(shape, np.intp), index, numbers, *others)
    return call_by_type(operator.getitem, (last, index), {}) != numbers


def summed(gv: Array, shape: tuple[int, ...]) -> Array:
    """Return the gradient of values that were broadcast."""
    lead = max(0, len(shape) - np.ndim(gv))  # NumPy drops leading axes of length 1
    if gv.shape != shape[lead:]:
        gv = SumTo(shape[lead:]).of(gv)
    return GetItem((None,) * lead).of(gv) if lead else gv


def setitem(x: Variable, index: Index, value: Any) -> Variable:
    """Return `x` with other elements at an index, a new Variable: NumPy's ``x[index] = value``.

    Parameters
    ----------
    x : Variable or ndarray
    index : int, slice, array_like, Variable, tuple of these, ``...`` or None
        As of ``x[index]``.
    value : Variable, ndarray or number
        Of a shape that broadcasts to that of ``x[index]``. It is converted to the dtype of `x`.

    Returns
    -------
    Variable
        Derivative: 1 by each element of `x` that stays, and by each element of `value` in each
        place where it is. Of an element that is written twice, the last value counts.

    Raises
    ------
    IndexError, ValueError
        As NumPy does: if the index is out of range, or the shapes do not broadcast.
    VariableTypeError (TypeError)
        If `value` is complex and `x` is not, or has a gradient and `x` is of integers: it would be
        lost.

    Notes
    -----
    Source: ``numpy.ndarray.__setitem__``.

    Examples
    --------
    >>> x, v = Variable(np.array([1.0, 2.0, 3.0])), Variable(np.array(7.0))
    >>> y = setitem(x, slice(1, None), v)
    >>> y.backward()
    >>> y, x.grad, v.grad
    (variable([1. 7. 7.]), array([1., 0., 0.]), array(2.))
    """
    value = operand(value)
    require_no_loss(x, value)
    index, positions = fixed_index(index)
    return SetItemAt(index)(x, value, *positions) if positions else SetItem(index)(x, value)


def write(x: Variable, index: Index, value: Any) -> None:
    """Write into a Variable: ``x[index] = value``, as `setitem`; the Variable becomes the result.

    Another Variable that is a view of `x` keeps the old values. Under ``no_grad()`` an input stays
    an input, with other data.

    Raises
    ------
    GraphError (RuntimeError)
        If `x` has no name, as in ``y[0][1] = v``; if it is a `Parameter`, or has a ``.grad``, which
        belongs to the old value; while a backward pass runs; under ``no_grad()``, if `x` has a
        graph.
    IndexError, ValueError, VariableTypeError (TypeError)
        As `setitem`. In every case `x` is as before.

    Examples
    --------
    >>> x = Variable(np.array([1.0, 2.0, 3.0]))
    >>> y = x * x
    >>> y[0] = x[1]
    >>> y.backward()
    >>> y, x.grad
    (variable([2. 4. 9.]), array([0., 5., 6.]))
    """
    if getrefcount(x) <= _UNNAMED and is_written_by(sys._getframe(1)):
        raise GraphError(
            "nobody would see what is written into a Variable that has no name, as y[0] in "
            "y[0][1] = v: it keeps its values apart from y. Write y[0, 1] = v.",
            variable=x,
        )
    write_by(setitem, SetItem, x, index, value)


class _Counting:
    def backward(self, gy: Array) -> int:
        return getrefcount(gy)

    def __setitem__(self, references: list[int], value: Any) -> None:
        references.append(getrefcount(self))


def _references_of(function: Any) -> int:
    """Return the number of references to a gradient in ``backward`` that only the engine has."""
    gy = np.empty(1)
    return int(function.backward(gy))


def _references_without_a_name() -> int:
    """Return how many references there are to an object that is written into and has no name.

    It is 0 where Python does not count those of its stack, so that a name makes no difference.
    """
    named, references = _Counting(), list[int]()
    _Counting()[references] = 0
    named[references] = 0
    return references[0] if references[0] < references[1] else 0


_ALONE, _UNNAMED = _references_of(_Counting()), _references_without_a_name()


def register_ops(register: Registrar) -> None:
    """Register the operation of this file, and bind ``x[i] = v`` to its form that writes."""
    sample = sample_of(operator.setitem, ((slice(1, 3), 0), (1, 1, 2)))
    register("setitem", setitem, SetItem, dunders={"__setitem__": write}, sample=sample)
