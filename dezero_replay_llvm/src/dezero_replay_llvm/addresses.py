"""Steps over arrays in memory, and how each array is addressed.

A view costs nothing: it is another way to address the memory of an array.
"""

from __future__ import annotations

from math import prod
from operator import getitem
from typing import Any

import numpy as np
from dezero_replay.passes.aliasing import as_view, is_basic, is_packed
from dezero_replay.passes.constants import resolved
from dezero_replay.passes.rounds import Counter, Linear
from dezero_replay.tape.instructions import Value, replaced
from dezero_replay.tape.nested import leaves

from .functions import NEEDS, OF_FLOATS, can_convert
from .machine import Machine
from .steps import Array, Map, NotNative, Patch, Reduction, Step, dtype_of_value, whole


class Addresses:
    """The arrays and numbers that some steps read and make."""

    def __init__(
        self,
        machine: Machine,
        constants: dict[int, Any],
        runs_again: bool,
        rounds: dict[Counter, int],
    ) -> None:
        self.machine, self.constants = machine, constants
        #: Whether NumPy can run the program again, to raise an error.
        self.runs_again = runs_again
        #: The counters of the loops around it, and how many rounds each has.
        self.rounds = rounds
        #: In the order of the calls.
        self.steps: list[Step] = []
        #: Arrays and numbers that are there before.
        self.inputs: list[Value] = []
        #: Number of a Value -> how it is addressed.
        self.arrays: dict[int, Array] = {}
        #: Number of an array that is put together of parts -> the writes of these.
        self.patches: dict[int, list[Patch]] = {}

    def is_view(self, value: Value) -> bool:
        """Return whether a Value is addressed in the memory of another one."""
        return self.arrays[value.number].root is not value

    def operand(self, x: Any, like: Any = None, in_memory: bool = False) -> Any:
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

    def element(self, x: Any, like: Any = None) -> Any:
        """Return an argument of an elementwise function: a constant of equal elements is one."""
        if type(x) is Value and x.number not in self.arrays:
            constant = self.constants.get(x.number)
            if constant is not None and np.size(constant) > 1:
                first = np.asarray(constant).flat[0]
                if dtype_of_value(x) == first.dtype and _are_all(constant, first):
                    return first
        return self.operand(x, like)

    def new(self, y: Value) -> Array:
        if prod(y.shape or ()) and not is_dense(y):
            raise NotNative("its result is laid out in no order of the axes")
        self.arrays[y.number] = whole(y)
        return self.arrays[y.number]

    def loop_of(self, ufunc: Any, dtypes: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the dtypes of operands and result of a ufunc, if there is machine code for it."""
        for name in NEEDS.get(ufunc, ()):
            if not self.machine.has(name):
                raise NotNative(f"the vector library of this machine has no {name}")
        found = resolved(ufunc, dtypes)
        if found is None:
            raise NotNative("its dtypes are not known")
        if ufunc in OF_FLOATS and found[0].kind != "f":
            raise NotNative(f"it computes with {found[0]}")
        if found[0].kind == "u" and ufunc in _BY_SIGN:
            raise NotNative(f"it compares {found[0]}")
        if found[0].kind == "b" and ufunc in _NOT_OF_BOOLS:
            raise NotNative("it computes with booleans")
        return found

    def temporary(self, shape: tuple[int, ...], dtype: Any = bool) -> Array:
        """Return a new array, of booleans if nothing else is asked for."""
        return self.new(Value(-1_000_000_000 - len(self.arrays), np.empty(shape, dtype)))

    def flat_root(self, operand: Array) -> Array:
        """Return the root of a reshaped view, if the view has all its elements; else the view."""
        root = self.arrays[operand.root.number]
        is_like = operand.dtype == root.dtype and prod(operand.shape) == prod(root.shape)
        return root if is_like and not operand.offset and is_dense(root.root) else operand

    def reduce(self, ufunc: Any, operand: Array, axes: Any, initial: Any, out: Array) -> None:
        """Add a reduction, with a result that has all axes of the operand."""
        if not prod(operand.shape):
            value = ufunc.identity if initial is None else initial
            if value is not None:  # else NumPy has raised, or the result is empty, too
                self.fill(out, value)
            return
        kept = tuple([1 if axis in axes else n for axis, n in enumerate(operand.shape)])
        strides = iter(s for s, n in zip(out.strides, out.shape, strict=True) if n != 1)
        with_all = tuple([0 if n == 1 else next(strides) for n in kept])
        result = out._replace(shape=kept, strides=with_all)
        self.steps.append(Reduction(ufunc, [operand], (out.dtype,), result, axes, initial))

    def fill(self, out: Array, value: Any) -> None:
        """Let all elements of an array be one number."""
        number = np.asarray(value, out.dtype)[()]
        self.steps.append(Map(None, [number], (out.dtype,), out))

    def viewed(self, source: Array, call: Any, args: Any, kwargs: Any) -> Array:
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
        found = self.view_of(source, call, args, kwargs)
        if found is None:
            raise NotNative("it returns a view in some cases alone")
        return found

    def view_of(self, source: Array, call: Any, args: Any, kwargs: Any) -> Array | None:
        """Return the view that a call gives, of which all arguments are known; or None."""
        ways = [(n - 1) * s for n, s in zip(source.shape, source.strides, strict=True)]
        starts, ends = -sum(way for way in ways if way < 0), sum(way for way in ways if way > 0)
        memory = np.empty(starts + ends + source.dtype.itemsize, np.uint8)
        array: Any = np.ndarray(source.shape, source.dtype, memory, starts, source.strides)
        view = call(array, *args, **kwargs)
        if view.size and not np.may_share_memory(view, memory):
            return None
        first, begin = (x.__array_interface__["data"][0] for x in (view, array))
        offset = first - begin if view.size else 0
        form = view.shape, view.strides, view.dtype
        return Array(source.root, source.offset + offset, *form, source.moves)


_BY_SIGN = {np.less, np.less_equal, np.greater, np.greater_equal, np.maximum, np.minimum}
_NOT_OF_BOOLS = {np.add, np.subtract, np.multiply, *_BY_SIGN}


def check_conversion(x: Any, target: np.dtype[Any]) -> None:
    """Raise NotNative if there is no machine code for a conversion of an operand."""
    if not can_convert(x.dtype, target):
        raise NotNative(f"it converts {x.dtype} to {target}")
    if not isinstance(x, Array) and (x.dtype.kind, target.kind) == ("f", "i"):
        raise NotNative("NumPy may warn of it")


def is_dense(value: Value) -> bool:
    """Return whether the elements lie one beside the other, in some order of the axes."""
    return not value.shape or is_packed(value, sorted)


def _are_all(array: Any, number: Any) -> bool:
    """Return whether all elements of an array have the bits of a number."""
    if not (array == number).all():
        return False
    return (
        number != 0
        or number.dtype.kind != "f"
        or bool((np.signbit(array) == np.signbit(number)).all())
    )
