"""A part of a program that becomes machine code: its calls as steps over arrays in memory.

A call is one of four things: a `Map`, elementwise; a `Reduction`; a `Product` of matrices; or a
view, which costs nothing: it is another way to address the memory of an array.
"""

from __future__ import annotations

import operator
from math import prod
from operator import getitem
from typing import Any

import numpy as np
from dezero_replay.passes.aliasing import (
    VIEW,
    as_view,
    is_alias,
    is_basic,
    is_packed,
    relation,
)
from dezero_replay.passes.buffers import is_reduction
from dezero_replay.passes.constants import dtype_of, resolved
from dezero_replay.passes.finite import all_finite
from dezero_replay.passes.forms import OPERATORS
from dezero_replay.passes.rounds import Counter, Linear
from dezero_replay.tape.instructions import (
    Guard,
    Instruction,
    Method,
    Through,
    Value,
    as_array,
    replaced,
    same,
    shape_and_dtype,
    written,
)
from dezero_replay.tape.nested import has_any, leaves

from . import lapack
from .assembly import Part, parts_of
from .boxes import LEAST, MOST, all_of, beside, indexed, part_of, squeezed, within
from .functions import CLIP, CLIP_BY_NUMBERS, FUNCTIONS, NEEDS, NEUTRAL, OF_FLOATS, can_convert
from .machine import Machine
from .product_forms import PRODUCTS, as_matrices
from .steps import (
    Array,
    Box,
    Copy,
    Factorization,
    Map,
    NotNative,
    Patch,
    Product,
    Reduction,
    Step,
    dtype_of_value,
    whole,
)


class Region:
    """Calls that become one piece of machine code."""

    def __init__(
        self,
        machine: Machine,
        constants: dict[int, Any],
        runs_again: bool = True,
        rounds: dict[Counter, int] | None = None,
    ) -> None:
        self.machine, self.constants = machine, constants
        #: Whether NumPy can run the program again, to raise an error.
        self.runs_again = runs_again
        #: The counters of the loops around it, and how many rounds each has.
        self.rounds = rounds or {}
        #: In the order of the calls.
        self.steps: list[Step] = []
        #: Arrays and numbers that are there before.
        self.inputs: list[Value] = []
        #: Each with the boolean that it looks at.
        self.guards: list[tuple[Guard, Array]] = []
        self.instructions: list[Instruction] = []
        #: Number of a Value -> how it is addressed.
        self.arrays: dict[int, Array] = {}
        #: Number of an array that is put together of parts -> the writes of these.
        self._patches: dict[int, list[Patch]] = {}
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
        y, call = each.outputs[0], each.call
        if (len(each.outputs) != 1 or each.several) and call is not np.linalg.slogdet:
            raise NotNative("it has several results")
        dtype_of_value(y)
        if relation(each) == VIEW or call is np.broadcast_to or is_alias(each):
            self._view(each)  # also of a number that is broadcast
        elif is_reduction(each):
            self._reduction(each)
        elif call in PRODUCTS and not each.kwargs:
            self._product(each)
        elif call is np.outer and not each.kwargs:
            self._outer(each)
        elif call in _FACTORIZATIONS and each.kwargs in ({}, {"upper": False}):
            self._factorization(_FACTORIZATIONS[call], each)
        elif call is np.where and len(each.args) == 3 and not each.kwargs:
            self._map(np.where, each.args, (np.dtype(bool), y.dtype, y.dtype), y)
        elif call is written or type(call) is Through:
            self._write(each)
        elif _is_copy(each):
            self._map(None, each.args[:1], (y.dtype,), y)
        elif call in _UFUNCS or type(call) is np.ufunc:
            self._ufunc(_UFUNCS.get(call, call), each)
        elif (parts := parts_of(each)) is not None:
            self._assemble(parts, y)
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
        operands = [self._element(x) for x in args]
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
        a, b = (self._operand(x, in_memory=True) for x in each.args)
        y = each.outputs[0]
        a, b, out = as_matrices(each.call, a, b, self._new(y))
        size = sum(prod(x.shape[-2:]) * x.dtype.itemsize for x in (a, b))
        if size > self.machine.cache:
            raise NotNative(f"its operands have {size:,} bytes, more than the second-level cache")
        self.steps.append(Product(np.matmul, [a, b], (y.dtype, y.dtype), out))

    def _outer(self, each: Instruction) -> None:
        """Multiply vectors as a column and a row."""
        a, b = (self._operand(x) for x in each.args)
        y = each.outputs[0]
        if not all(isinstance(x, Array) and len(x.shape) == 1 for x in (a, b)):
            raise NotNative("it is a product of flattened arrays")
        if not a.dtype == b.dtype == dtype_of_value(y) or y.dtype.kind != "f":
            raise NotNative("it is no product of floating-point numbers of one dtype")
        column = a._replace(shape=(*a.shape, 1), strides=(*a.strides, 0))
        self.steps.append(Map(np.multiply, [column, b], (y.dtype, y.dtype), self._new(y)))

    def _factorization(self, name: str, each: Instruction) -> None:
        """Add a call of LAPACK's; a determinant is the product of a diagonal."""
        operands = [self._operand(x) for x in each.args]
        y, (a, *b) = each.outputs[0], operands
        if any(not isinstance(x, Array) or x.dtype != y.dtype for x in operands):
            raise NotNative("it is not of arrays of one dtype")
        if y.dtype.kind != "f" or len(a.shape) != 2 or any(len(x.shape) > 2 for x in b):
            raise NotNative("it is of no single matrix of floating point")
        if a.shape[0] != a.shape[1] or not 0 < a.shape[0] <= _LARGEST_MATRIX[name]:
            raise NotNative(f"it is of no matrix of at most {_LARGEST_MATRIX[name]} rows")
        if not self.runs_again:
            raise NotNative("a program that draws random numbers cannot run again for its error")
        if not lapack.is_there():
            raise NotNative("SciPy, which has LAPACK's functions, is not installed")
        dtypes = (y.dtype,) * len(operands)
        if name != "getrf":
            self.steps.append(Factorization(name, operands, dtypes, self._new(y)))
            return
        diagonal = self.temporary(a.shape[:1], y.dtype)
        self.steps.append(Factorization(name, operands, dtypes, diagonal))
        if each.call is np.linalg.det:
            self._reduce(np.multiply, diagonal, (0,), None, self._new(y))
        else:
            self._logarithm(diagonal, *each.outputs)

    def _logarithm(self, diagonal: Array, sign: Value, logarithm: Value) -> None:
        """Compute sign and logarithm of the product of a diagonal."""
        if not self.machine.has("log"):
            raise NotNative("the vector library of this machine has no log")
        dtypes = (diagonal.dtype,)
        signs, sizes, logs = (self.temporary(diagonal.shape, *dtypes) for _ in range(3))
        self.steps.append(Map(np.sign, [diagonal], dtypes, signs))
        self.steps.append(Map(np.absolute, [diagonal], dtypes, sizes))
        self.steps.append(Map(np.log, [sizes], dtypes, logs))
        self._reduce(np.multiply, signs, (0,), None, self._new(sign))
        self._reduce(np.add, logs, (0,), 0, self._new(logarithm))

    def _write(self, each: Instruction) -> None:
        """Copy an array, and write a part of the copy. `without_copies` may leave out the copy."""
        x, *place, value = each.args
        y = each.outputs[0]
        views = each.call.views if each.call is not written else ((getitem, tuple(place), ()),)
        source = self._element(x)
        operand = self._element(value, y.dtype)
        _check_conversion(source.dtype, y.dtype)
        if not can_convert(operand.dtype, y.dtype):
            raise NotNative(f"it writes {operand.dtype} into {y.dtype}")
        out = part = self._new(y)
        if has_any(views, Value):
            raise NotNative("it writes at positions that are computed")
        for call, args, kwargs in views:
            part = self._viewed(part, call, args, dict(kwargs))
        if len(operand.shape) > len(part.shape):
            raise NotNative("it writes what has more axes")
        box = indexed(place[0], out.shape) if place else None
        if box is None or not self._write_patches(source, box, operand, part, out):
            self.steps.append(Copy(None, [source], (y.dtype,), out))
            if prod(part.shape):
                self.steps.append(Map(None, [operand], (y.dtype,), part))

    def _write_patches(self, x: Any, box: Box, value: Any, part: Array, out: Array) -> bool:
        """Put a large array together of a part, and of patches or equal numbers beside it.

        Return whether it was done.
        """
        shape = out.shape
        if prod(shape) < LEAST:
            return False
        if not isinstance(x, Array):
            before = [(all_of(shape), x)]
        elif x.is_whole() and x.shape == shape and x.root.number in self._patches:
            patches = self._patches[x.root.number]
            before = [(each.box, squeezed(each.operands[0], each.shape)) for each in patches]
        else:
            return False
        pieces = [
            (piece, within(source, around, piece))
            for around, source in before
            for piece in beside(around, box)
        ]
        if len(pieces) >= MOST:
            return False
        for piece, source in pieces:
            self._patch(out, piece, source, part_of(out, shape, piece))
        self._patch(out, box, value, part)
        return True

    def _patch(self, out: Array, box: Box, value: Any, part: Array) -> None:
        """Add a write to a box of an array, which is addressed as `part`."""
        patch = Patch(None, [value], (out.dtype,), part, box)
        self.steps.append(patch)
        self._patches.setdefault(out.root.number, []).append(patch)

    def _assemble(self, parts: list[Part], y: Value) -> None:
        """Copy parts of arrays into a new one."""
        out = self._new(y)
        for x, taken, put in parts:
            operand = self._element(x, y.dtype)
            _check_conversion(operand.dtype, y.dtype)
            if isinstance(operand, Array) and taken:
                operand = self._viewed(operand, getitem, (taken,), {})
            box = indexed(put, out.shape)
            if box is not None:  # else, nothing is put there
                self._patch(out, box, operand, self._viewed(out, getitem, (put,), {}))

    def _view(self, each: Instruction) -> None:
        x, y, call = each.args[0], each.outputs[0], each.call
        source = self._operand(x)
        if not isinstance(source, Array):
            raise NotNative("it is a view of a constant")
        if call in (same, as_array):
            found = source
        else:
            found = self._viewed(source, call, each.args[1:], each.kwargs)
        self.arrays[y.number] = found

    def _viewed(self, source: Array, call: Any, args: Any, kwargs: Any) -> Array:
        """Return the view of an array that a call gives; an element is a view without axes."""
        if call is getitem:
            if not is_basic(args[0]):
                raise NotNative("it is of elements at positions")
            args = (as_view(args[0]),)
        counters = {counter for x in leaves((args, kwargs), Linear) for counter, _ in x.steps}
        if not counters:
            return self._view_of(source, call, args, kwargs)

        def at(rounds: dict[Counter, int]) -> Array:
            def of(x: Linear) -> int:
                return x.at(rounds)

            given = replaced(args, of, (Linear,)), replaced(kwargs, of, (Linear,))
            return self._view_of(source, call, *given)

        first, found = at(dict.fromkeys(counters, 0)), dict[Counter, int]()
        for counter in counters:
            second, last = (
                at({**dict.fromkeys(counters, 0), counter: n})
                for n in (1, self.rounds[counter] - 1)
            )
            step = found[counter] = second.offset - first.offset
            moved = first._replace(offset=first.offset + step * (self.rounds[counter] - 1))
            if last != moved:
                raise NotNative("it is of elements whose places do not grow by fixed steps")
        return first._replace(moves=(*source.moves, *found.items()))

    def _view_of(self, source: Array, call: Any, args: Any, kwargs: Any) -> Array:
        """Return the view that a call gives, of which all arguments are known."""
        ways = [(n - 1) * s for n, s in zip(source.shape, source.strides, strict=True)]
        starts, ends = -sum(way for way in ways if way < 0), sum(way for way in ways if way > 0)
        memory = np.empty(starts + ends + source.dtype.itemsize, np.uint8)
        array: Any = np.ndarray(source.shape, source.dtype, memory, starts, source.strides)
        view = call(array, *args, **kwargs)
        if not isinstance(view, np.ndarray) or not np.may_share_memory(view, memory):
            raise NotNative("it returns a view in some cases alone")
        offset = view.__array_interface__["data"][0] - array.__array_interface__["data"][0]
        form = view.shape, view.strides, view.dtype
        return Array(source.root, source.offset + offset, *form, source.moves)

    def _guard(self, guard: Guard) -> None:
        if guard.call is shape_and_dtype and self.makes(guard.args[0]):
            return  # machine code makes no other ones
        x = self._operand(guard.args[0])
        is_array = isinstance(x, Array)
        if is_array and guard.call is all_finite:
            x = self._flat_root(x)
            test, found = self.temporary(x.shape), self.temporary(())
            self.steps.append(Map(np.isfinite, [x], (x.dtype,), test))
            self._reduce(np.logical_and, test, tuple(range(len(x.shape))), None, found)
        elif is_array and guard.call is bool and x.dtype.kind == "b" and prod(x.shape) == 1:
            found = x._replace(shape=(), strides=())
        else:
            raise NotNative("Python looks at the value")
        self.guards.append((guard, found))

    # Arrays.

    def _operand(self, x: Any, like: Any = None, in_memory: bool = False) -> Any:
        """Return an argument: an Array, or a number that is the same in every run.

        If it is to be `in_memory`, such a number is an Array, too.
        """
        if type(x) is not Value:
            if type(x) not in (int, float, bool):
                raise NotNative(f"it has an argument of type {type(x).__name__}")
            return np.array(x, like)[()]
        found = self.arrays.get(x.number)
        if found is not None:
            return found
        constant, dtype = self.constants.get(x.number), dtype_of_value(x)
        if x.kind is list and constant is None:
            raise NotNative("it takes the values of a loop that NumPy runs")
        if constant is not None and np.size(constant) == 1 and not in_memory:
            return np.asarray(constant).reshape(())[()]
        self.inputs.append(x)
        # A constant is a copy, in which there is nothing between the elements.
        strides = x.strides if constant is None else np.asarray(constant).strides
        self.arrays[x.number] = Array(x, 0, x.shape or (), strides or (), dtype)
        return self.arrays[x.number]

    def _element(self, x: Any, like: Any = None) -> Any:
        """Return an argument of an elementwise function: a constant of equal elements is one."""
        if type(x) is Value and x.number not in self.arrays:
            constant = self.constants.get(x.number)
            if constant is not None and np.size(constant) > 1:
                first = np.asarray(constant).flat[0]
                if dtype_of_value(x) == first.dtype and _are_all(constant, first):
                    return first
        return self._operand(x, like)

    def _new(self, y: Value) -> Array:
        if not (_is_dense(y) and prod(y.shape or ())):
            raise NotNative("its result is empty, or laid out in no order of the axes")
        self.arrays[y.number] = whole(y)
        return self.arrays[y.number]

    def temporary(self, shape: tuple[int, ...], dtype: Any = bool) -> Array:
        """Return a new array, of booleans if nothing else is asked for."""
        return self._new(Value(-1_000_000_000 - len(self.arrays), np.empty(shape, dtype)))


_FACTORIZATIONS: dict[Any, str] = {
    np.linalg.inv: "gesv",
    np.linalg.solve: "gesv",
    np.linalg.cholesky: "potrf",
    np.linalg.det: "getrf",
    np.linalg.slogdet: "getrf",
}
"""Functions of a matrix -> functions of LAPACK's."""

_LARGEST_MATRIX = {"gesv": 64, "getrf": 64, "potrf": 24}
"""The most rows of a matrix for which NumPy's call costs more than LAPACK's, and two copies."""

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


def _are_all(array: Any, number: Any) -> bool:
    """Return whether all elements of an array have the bits of a number."""
    if not (array == number).all():
        return False
    return (
        number != 0
        or number.dtype.kind != "f"
        or bool((np.signbit(array) == np.signbit(number)).all())
    )


def _is_dense(value: Value) -> bool:
    """Return whether the elements lie one beside the other, in some order of the axes."""
    return not value.shape or is_packed(value, sorted)
