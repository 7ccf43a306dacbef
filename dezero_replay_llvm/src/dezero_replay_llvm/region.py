"""A part of a program that becomes machine code: its calls as steps over arrays in memory.

A call is a `Map`, elementwise; a `Reduction`; a `Product` or a `Factorization` of matrices; a write
into a part of an array; or a view, which costs nothing.
"""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np
from dezero_replay.passes.aliasing import RESHAPES, UNKNOWN, VIEW, is_alias, is_packed, relation
from dezero_replay.passes.buffers import is_reduction
from dezero_replay.passes.constants import dtype_of
from dezero_replay.passes.finite import all_finite
from dezero_replay.passes.forms import OPERATORS
from dezero_replay.passes.rounds import Counter
from dezero_replay.tape.instructions import (
    Guard,
    Instruction,
    Method,
    Through,
    Updated,
    Value,
    Written,
    as_array,
    same,
    written,
)

from .addresses import Addresses, check_conversion, is_dense
from .assembly import parts_of
from .composites import COMPOSITES, compose
from .functions import CLIP, CLIP_BY_NUMBERS, FUNCTIONS, NEUTRAL
from .linear_algebra import FACTORIZATIONS, factorization, outer, product
from .machine import Machine
from .positions import ADD_AT, TAKES, put, take
from .product_forms import PRODUCTS
from .sorting import sort
from .steps import Array, Map, NotNative, dtype_of_value
from .writes import assemble, write


class Region(Addresses):
    """Calls that become one piece of machine code."""

    def __init__(
        self,
        machine: Machine,
        constants: dict[int, Any],
        runs_again: bool = True,
        rounds: dict[Counter, int] | None = None,
    ) -> None:
        super().__init__(machine, constants, runs_again, rounds or {})
        #: Each with the boolean that it looks at.
        self.guards: list[tuple[Guard, Array]] = []
        self.instructions: list[Instruction] = []
        self._made: set[int] = set()

    def take(self, each: Instruction) -> None:
        """Add a call; raise NotNative if NumPy must make it. Then the region is as it was."""
        steps, inputs, arrays = len(self.steps), len(self.inputs), len(self.arrays)
        try:
            self._take(each)
        except NotNative:
            del self.steps[steps:], self.inputs[inputs:]
            while len(self.arrays) > arrays:
                self.arrays.popitem()
            raise
        self.steps[steps:] = [x for x in self.steps[steps:] if any(prod(y.shape) for y in x.outs)]
        self.instructions.append(each)
        self._made.update(value.number for value in each.outputs)

    def makes(self, value: Value) -> bool:
        """Return whether a call in this region makes a Value."""
        return value.number in self._made

    def _take(self, each: Instruction) -> None:
        if type(each) is Guard:
            self._guard(each)
            return
        y, call = each.outputs[0], each.call
        if (len(each.outputs) != 1 or each.several) and call is not np.linalg.slogdet:
            raise NotNative("it has several results")
        dtype_of_value(y)
        if relation(each) == VIEW or call is np.broadcast_to or is_alias(each):
            self._view(each)  # also of a number that is broadcast
        elif call in RESHAPES and not each.kwargs:
            self._reshape(each)
        elif is_reduction(each):
            self._reduction(each)
        elif call in PRODUCTS and not each.kwargs:
            product(self, each)
        elif call is np.outer and not each.kwargs:
            outer(self, each)
        elif call in FACTORIZATIONS and each.kwargs in ({}, {"upper": False}):
            factorization(self, each)
        elif call is np.where and len(each.args) == 3 and not each.kwargs:
            self._map(np.where, each.args, (np.dtype(bool), y.dtype, y.dtype), y)
        elif call in TAKES and relation(each) != UNKNOWN:
            take(self, each)
        elif call == ADD_AT and not each.kwargs:
            put(self, each)
        elif type(call) is Written and call.call in _IN_PLACE and not each.kwargs:
            self._ufunc(_IN_PLACE[call.call], each)
        elif call is written or type(call) is Through:
            write(self, each)
        elif _is_copy(each):
            self._map(None, each.args[:1], (y.dtype,), y)
        elif call in _UFUNCS or type(call) is np.ufunc:
            self._ufunc(_UFUNCS.get(call, call), each)
        elif (parts := parts_of(each)) is not None:
            assemble(self, parts, y)
        elif call is np.sort and each.args:
            sort(self, each)
        elif call in COMPOSITES:
            compose(self, each)
        else:
            raise NotNative("there is no machine code for it")

    # The kinds of calls.

    def _ufunc(self, ufunc: Any, each: Instruction) -> None:
        if ufunc not in FUNCTIONS or each.kwargs or len(each.args) != ufunc.nin:
            raise NotNative("there is no machine code for it")
        y = each.outputs[0]
        dtypes = self.loop_of(ufunc, tuple(map(dtype_of, each.args)))
        if dtypes[-1] != dtype_of_value(y):
            raise NotNative("its dtypes are not known")
        if ufunc is CLIP:
            ufunc = self._clip(each)
        elif ufunc is np.power:
            exponent = self.operand(each.args[1])
            # For -inf and -0.0 pow gives other results than a square root.
            if each.call is np.power and not isinstance(exponent, Array) and exponent == 0.5:
                raise NotNative("NumPy takes a square root in place of the power 0.5")
        self._map(ufunc, each.args, dtypes[:-1], y)

    def _clip(self, each: Instruction) -> Any:
        """Return which of NumPy's two loops gives the zeros of ``clip``."""
        limits, shape = [self.operand(x) for x in each.args[1:]], each.outputs[0].shape or ()
        if all(not np.shape(x) for x in limits):
            return CLIP_BY_NUMBERS
        if any(np.shape(x) == shape and _is_moving(x) for x in limits):
            return CLIP
        raise NotNative("it is clipped by arrays that are broadcast")

    def _map(self, function: Any, args: Any, dtypes: Any, y: Value) -> None:
        operands = [self.element(x) for x in args]
        for x, dtype in zip(operands, dtypes, strict=True):
            check_conversion(x, dtype)
        self.steps.append(Map(function, operands, dtypes, self.new(y)))

    def _reduction(self, each: Instruction) -> None:
        (x,), y, how, ufunc = each.args, each.outputs[0], each.kwargs, each.call.ufunc
        operand, dtype = self.operand(x), dtype_of_value(y)
        check_conversion(operand, dtype)
        of_booleans = dtype.kind == "b" and ufunc not in (np.logical_and, np.logical_or)
        if of_booleans or ufunc not in NEUTRAL or type(operand) is not Array:
            raise NotNative("there is no machine code for it")
        axis, initial = how["axis"], how.get("initial")
        if initial is None and ufunc is np.add:
            initial = 0  # so that the sum of negative zeros is 0.0
        if axis is None and is_dense(x):
            operand = self.flat_root(operand)
        ndim = len(operand.shape)
        axes = tuple(range(ndim)) if axis is None else axis if type(axis) is tuple else (axis,)
        axes = tuple(sorted(each % ndim for each in axes)) if ndim else ()
        self.reduce(ufunc, operand, axes, initial, self.new(y))

    def _reshape(self, each: Instruction) -> None:
        """Give a view where NumPy does; else copy the elements in their order."""
        x, y, args = self.operand(each.args[0]), each.outputs[0], each.args[1:]
        if isinstance(x, Array) and (found := self.view_of(x, each.call, args, {})):
            self.arrays[y.number] = found
            return
        if not is_packed(y) or any(type(order) is str and order != "C" for order in args):
            raise NotNative("its result is laid out in another order")
        out, shape = self.new(y), x.shape if isinstance(x, Array) else ()
        out = out._replace(shape=shape, strides=np.empty(shape, y.dtype).strides)
        self.steps.append(Map(None, [x], (y.dtype,), out))

    def _view(self, each: Instruction) -> None:
        x, y, call = each.args[0], each.outputs[0], each.call
        source = self.operand(x)
        if not isinstance(source, Array):
            raise NotNative("it is a view of a constant")
        if call in (same, as_array):
            found = source
        else:
            found = self.viewed(source, call, each.args[1:], each.kwargs)
        self.arrays[y.number] = found

    def _guard(self, guard: Guard) -> None:
        x = self.operand(guard.args[0])
        is_array = isinstance(x, Array)
        if is_array and guard.call is all_finite:
            x = self.flat_root(x)
            test, found = self.temporary(x.shape), self.temporary(())
            self.steps.append(Map(np.isfinite, [x], (x.dtype,), test))
            self.reduce(np.logical_and, test, tuple(range(len(x.shape))), None, found)
        elif is_array and guard.call is bool and x.dtype.kind == "b" and prod(x.shape) == 1:
            found = x._replace(shape=(), strides=())
        else:
            raise NotNative("Python looks at the value")
        self.guards.append((guard, found))


_UFUNCS: dict[Any, Any] = {
    **OPERATORS,
    operator.and_: np.bitwise_and,
    operator.or_: np.bitwise_or,
    operator.xor: np.bitwise_xor,
    operator.invert: np.invert,
    np.float_power: np.power,
}
_IN_PLACE = {
    Updated(name): OPERATORS[getattr(operator, name)] for name in ("add", "sub", "mul", "truediv")
}


def _is_moving(x: Any) -> bool:
    return all(stride or n == 1 for n, stride in zip(x.shape, x.strides, strict=True))


def _is_copy(each: Instruction) -> bool:
    name = each.call.name if type(each.call) is Method else ""
    if name == "astype":
        return len(each.args) == 2 and not each.kwargs
    return each.call is np.copy or name == "copy"
