"""A part of a program that becomes machine code: its calls as steps over arrays in memory.

A call is one of four things: a `Map`, elementwise; a `Reduction`; a `Product` of matrices; or a
view, which costs nothing: it is another way to address the memory of an array.
"""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np
from dezero_replay.passes.aliasing import VIEW, is_packed, relation
from dezero_replay.passes.buffers import is_reduction
from dezero_replay.passes.constants import dtype_of, resolved
from dezero_replay.passes.finite import all_finite
from dezero_replay.passes.forms import OPERATORS
from dezero_replay.tape.instructions import (
    Guard,
    Instruction,
    Method,
    Value,
    as_array,
    same,
    written,
)

from .functions import CLIP, CLIP_BY_NUMBERS, FUNCTIONS, NEEDS, NEUTRAL, OF_FLOATS, can_convert
from .machine import Machine
from .steps import Array, Map, NotNative, Product, Reduction, Step, dtype_of_value, whole

_LARGEST = 4_000
"""The most steps of one region: the time of compilation grows with them."""


class Region:
    """Calls that become one piece of machine code."""

    def __init__(self, machine: Machine, constants: dict[int, Any]) -> None:
        self.machine, self.constants = machine, constants
        #: In the order of the calls.
        self.steps: list[Step] = []
        #: Arrays and numbers that are there before.
        self.inputs: list[Value] = []
        #: Each with the boolean that it looks at.
        self.guards: list[tuple[Guard, Array]] = []
        self.instructions: list[Instruction] = []
        #: Number of a Value -> how it is addressed.
        self.arrays: dict[int, Array] = {}
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
        self.instructions.append(each)
        self._made.update(value.number for value in each.outputs)

    @property
    def is_full(self) -> bool:
        """Whether further calls are to go into another region."""
        return len(self.steps) >= _LARGEST

    def makes(self, value: Value) -> bool:
        """Return whether a call in this region makes a Value."""
        return value.number in self._made

    def is_view(self, value: Value) -> bool:
        """Return whether a Value that it makes is addressed in the memory of another one."""
        return self.arrays[value.number].root is not value

    def _take(self, each: Instruction) -> None:
        if type(each) is Guard:
            self._guard(each)
            return
        if len(each.outputs) != 1 or each.several:
            raise NotNative("it has several results")
        y, call = each.outputs[0], each.call
        dtype_of_value(y)
        if relation(each) == VIEW or _is_like_view(each) or call is np.broadcast_to:
            self._view(each)  # also of a number that is broadcast
        elif is_reduction(each):
            self._reduction(each)
        elif call is np.matmul and not each.kwargs:
            self._product(each)
        elif call is np.where and len(each.args) == 3 and not each.kwargs:
            self._map(np.where, each.args, (np.dtype(bool), y.dtype, y.dtype), y)
        elif call is written:
            self._write(each)
        elif _is_copy(each):
            self._map(None, each.args[:1], (y.dtype,), y)
        elif call in _UFUNCS or type(call) is np.ufunc:
            self._ufunc(_UFUNCS.get(call, call), each)
        else:
            raise NotNative("there is no machine code for it")

    # The kinds of calls.

    def _ufunc(self, ufunc: Any, each: Instruction) -> None:
        if ufunc not in FUNCTIONS or each.kwargs or len(each.args) != ufunc.nin:
            raise NotNative("there is no machine code for it")
        y = each.outputs[0]
        for name in NEEDS.get(ufunc, ()):
            if not self.machine.has(name):
                raise NotNative(f"the vector library of this machine has no {name}")
        dtypes = resolved(ufunc, tuple(map(dtype_of, each.args)))
        if dtypes is None or dtypes[-1] != dtype_of_value(y):
            raise NotNative("its dtypes are not known")
        if ufunc in OF_FLOATS and dtypes[0].kind != "f":
            raise NotNative(f"it computes with {dtypes[0]}")
        if dtypes[0].kind == "u" and ufunc in _BY_SIGN:
            raise NotNative(f"it compares {dtypes[0]}")
        if dtypes[0].kind == "b" and ufunc in _NOT_OF_BOOLS:
            raise NotNative("it computes with booleans")
        if ufunc is CLIP:
            ufunc = self._clip(each)
        elif ufunc is np.power:
            exponent = self._operand(each.args[1])
            # For -inf and -0.0 pow gives other results than a square root.
            if each.call is np.power and not isinstance(exponent, Array) and exponent == 0.5:
                raise NotNative("NumPy takes a square root in place of the power 0.5")
        self._map(ufunc, each.args, dtypes[:-1], y)

    def _clip(self, each: Instruction) -> Any:
        """Return which of NumPy's two loops gives the zeros of ``clip``."""
        limits, shape = [self._operand(x) for x in each.args[1:]], each.outputs[0].shape or ()
        if all(not np.shape(x) for x in limits):
            return CLIP_BY_NUMBERS
        if any(np.shape(x) == shape and _is_moving(x) for x in limits):
            return CLIP
        raise NotNative("it is clipped by arrays that are broadcast")

    def _map(self, function: Any, args: Any, dtypes: Any, y: Value) -> None:
        operands = [self._operand(x) for x in args]
        for x, dtype in zip(operands, dtypes, strict=True):
            _check_conversion(x.dtype, dtype)
        self.steps.append(Map(function, operands, dtypes, self._new(y)))

    def _reduction(self, each: Instruction) -> None:
        (x,), y, how, ufunc = each.args, each.outputs[0], each.kwargs, each.call.ufunc
        operand, dtype = self._operand(x), dtype_of_value(y)
        _check_conversion(operand.dtype, dtype)
        of_booleans = dtype.kind == "b" and ufunc not in (np.logical_and, np.logical_or)
        if of_booleans or ufunc not in NEUTRAL or type(operand) is not Array:
            raise NotNative("there is no machine code for it")
        axis, initial = how["axis"], how.get("initial")
        if initial is None and ufunc is np.add:
            initial = 0  # so that the sum of negative zeros is 0.0
        if axis is None and _is_dense(x):
            operand = self._flat_root(operand)
        ndim = len(operand.shape)
        axes = tuple(range(ndim)) if axis is None else axis if type(axis) is tuple else (axis,)
        axes = tuple(sorted(each % ndim for each in axes)) if ndim else ()
        if not prod(operand.shape):
            raise NotNative("it reduces an empty array")
        self._reduce(ufunc, operand, axes, initial, self._new(y))

    def _flat_root(self, operand: Array) -> Array:
        """Return the root of a reshaped view, if the view has all its elements; else the view."""
        root = self.arrays[operand.root.number]
        is_like = operand.dtype == root.dtype and prod(operand.shape) == prod(root.shape)
        return root if is_like and not operand.offset and _is_dense(root.root) else operand

    def _reduce(self, ufunc: Any, operand: Array, axes: Any, initial: Any, out: Array) -> None:
        """Add a reduction, with a result that has all axes of the operand."""
        kept = tuple([1 if axis in axes else n for axis, n in enumerate(operand.shape)])
        strides = iter(s for s, n in zip(out.strides, out.shape, strict=True) if n != 1)
        with_all = tuple([0 if n == 1 else next(strides) for n in kept])
        result = out._replace(shape=kept, strides=with_all)
        self.steps.append(Reduction(ufunc, [operand], (out.dtype,), result, axes, initial))

    def _product(self, each: Instruction) -> None:
        a, b = (self._operand(x) for x in each.args)
        y = each.outputs[0]
        if len(a.shape) != 2 or len(b.shape) != 2 or not a.dtype == b.dtype == y.dtype:
            raise NotNative("it is no product of two matrices of one dtype")
        if y.dtype.kind != "f" or not prod((*y.shape, a.shape[1])):
            raise NotNative("it is no product of matrices of floating point")
        size = sum(prod(x.shape) * x.dtype.itemsize for x in (a, b))
        if size > self.machine.cache:
            raise NotNative(f"its operands have {size:,} bytes, more than the second-level cache")
        self.steps.append(Product(np.matmul, [a, b], (y.dtype, y.dtype), self._new(y)))

    def _write(self, each: Instruction) -> None:
        """Copy an array, and write a part of the copy."""
        x, index, value = each.args
        y = each.outputs[0]
        self._map(None, (x,), (y.dtype,), y)
        part = self._viewed(self.arrays[y.number], lambda array: array[index])
        operand = self._operand(value, y.dtype)
        if not can_convert(operand.dtype, y.dtype):
            raise NotNative(f"it writes {operand.dtype} into {y.dtype}")
        self.steps.append(Map(None, [operand], (y.dtype,), part))

    def _view(self, each: Instruction) -> None:
        x, y, call = each.args[0], each.outputs[0], each.call
        source = self._operand(x)
        if not isinstance(source, Array):
            raise NotNative("it is a view of a constant")
        if call in (same, as_array) or _is_like_view(each):
            found = source
        else:
            found = self._viewed(source, lambda array: call(array, *each.args[1:], **each.kwargs))
        self.arrays[y.number] = found

    def _viewed(self, source: Array, by: Any) -> Array:
        """Return the view of an array that a call gives."""
        ways = [(n - 1) * s for n, s in zip(source.shape, source.strides, strict=True)]
        starts, ends = -sum(way for way in ways if way < 0), sum(way for way in ways if way > 0)
        memory = np.empty(starts + ends + source.dtype.itemsize, np.uint8)
        array: Any = np.ndarray(source.shape, source.dtype, memory, starts, source.strides)
        view = by(array)
        if not isinstance(view, np.ndarray) or not np.may_share_memory(view, memory):
            raise NotNative("it returns a view in some cases alone")
        offset = view.__array_interface__["data"][0] - array.__array_interface__["data"][0]
        return Array(source.root, source.offset + offset, view.shape, view.strides, view.dtype)

    def _guard(self, guard: Guard) -> None:
        x = self._operand(guard.args[0])
        is_array = isinstance(x, Array)
        if is_array and guard.call is all_finite:
            x = self._flat_root(x)
            test, found = self._temporary(x.shape), self._temporary(())
            self.steps.append(Map(np.isfinite, [x], (x.dtype,), test))
            self._reduce(np.logical_and, test, tuple(range(len(x.shape))), None, found)
        elif is_array and guard.call is bool and x.dtype.kind == "b" and prod(x.shape) == 1:
            found = x._replace(shape=(), strides=())
        else:
            raise NotNative("Python looks at the value")
        self.guards.append((guard, found))

    # Arrays.

    def _operand(self, x: Any, like: Any = None) -> Any:
        """Return an argument: an Array, or a number that is the same in every run."""
        if type(x) is not Value:
            if type(x) not in (int, float, bool):
                raise NotNative(f"it has an argument of type {type(x).__name__}")
            return np.array(x, like)[()]
        found = self.arrays.get(x.number)
        if found is not None:
            return found
        constant, dtype = self.constants.get(x.number), dtype_of_value(x)
        if constant is not None and np.size(constant) == 1:
            return np.asarray(constant).reshape(())[()]
        self.inputs.append(x)
        # A constant is a copy, in which there is nothing between the elements.
        strides = x.strides if constant is None else np.asarray(constant).strides
        self.arrays[x.number] = Array(x, 0, x.shape or (), strides or (), dtype)
        return self.arrays[x.number]

    def _new(self, y: Value) -> Array:
        if not (_is_dense(y) and prod(y.shape or ())):
            raise NotNative("its result is empty, or laid out in no order of the axes")
        self.arrays[y.number] = whole(y)
        return self.arrays[y.number]

    def _temporary(self, shape: tuple[int, ...]) -> Array:
        """Return a new array of booleans."""
        return self._new(Value(-1_000_000_000 - len(self.arrays), np.empty(shape, bool)))


_UFUNCS: dict[Any, Any] = {
    **OPERATORS,
    operator.and_: np.bitwise_and,
    operator.or_: np.bitwise_or,
    operator.xor: np.bitwise_xor,
    operator.invert: np.invert,
}
_BY_SIGN = {np.less, np.less_equal, np.greater, np.greater_equal, np.maximum, np.minimum}
_NOT_OF_BOOLS = {np.add, np.subtract, np.multiply, *_BY_SIGN}


def _check_conversion(source: np.dtype[Any], target: np.dtype[Any]) -> None:
    if not can_convert(source, target):
        raise NotNative(f"it converts {source} to {target}")


def _is_moving(x: Any) -> bool:
    return all(stride or n == 1 for n, stride in zip(x.shape, x.strides, strict=True))


def _is_copy(each: Instruction) -> bool:
    name = each.call.name if type(each.call) is Method else ""
    if name == "astype":
        return len(each.args) == 2 and not each.kwargs
    return each.call is np.copy or name == "copy"


def _is_like_view(each: Instruction) -> bool:
    """Return whether a call gives a number as an array, or the other way round."""
    if each.call is as_array:
        return True
    return each.call is operator.getitem and not each.args[0].shape and each.args[1] in ((), ...)


def _is_dense(value: Value) -> bool:
    """Return whether the elements lie one beside the other, in some order of the axes."""
    return not value.shape or is_packed(value, sorted)
