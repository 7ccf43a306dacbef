"""The protocols of Python and NumPy by which recording arrays are used: each use is noted."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from operator import attrgetter, methodcaller
from types import FunctionType
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import ArrayType, sum_to

from .instructions import Attribute, Into, Method, Of, Updated, Written, as_array, written
from .nested import has_any
from .numpy_functions import (
    FACTS,
    LIKE,
    METHODS_OF_ONE_SHAPE,
    OF_ONE_SHAPE,
    OF_ONE_SHAPE_BY_OTHERS,
    WRITERS,
    WRITING_METHODS,
)
from .recorded import _ARRAYS, Recorded, _write, constant, contents, emit
from .tape import Tape

_PRIORITY = Recorded.__array_priority__


class Protocols:
    """Methods of `Recorded`."""

    tape: Tape
    content: Any

    # NumPy's protocols.

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if any(is_around(type(x)) for x in inputs):
            return NotImplemented
        call = ufunc if method == "__call__" else Of(ufunc, method)
        if method == "at":
            return _write(self.tape, Written(call), inputs, kwargs)
        out = kwargs.pop("out", None)
        if out is None:
            return emit(self.tape, call, inputs, kwargs)
        if len(out) > 1:
            self.tape.refuse(
                f"np.{ufunc.__name__} has several results, and a recording cannot follow out= of "
                f"such a function: call np.{ufunc.__name__} without out="
            )
            return call(*contents(inputs), out=contents(out), **contents(kwargs))
        return _write(self.tape, Into(call), (out[0], *inputs), kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if any(map(is_around, types)):
            return NotImplemented
        if func in FACTS:
            return func(*contents(args), **contents(kwargs))
        if func in WRITERS:
            return _write(self.tape, Written(func), args, kwargs)
        if func in LIKE:
            if func is not np.ones_like:  # np.empty_like must be the same in each recording
                return _new_zeros(self.tape, np.zeros_like(*contents(args), **contents(kwargs)))
            made = func(*contents(args), **contents(kwargs))
            return constant(self.tape, made) if self.tape.listens else made
        if kwargs.get("out") is not None:
            out = kwargs["out"]
            others = {name: x for name, x in kwargs.items() if name != "out"}
            return _write(self.tape, Into(func), (out, *args), others)
        return emit(self.tape, func, args, kwargs, _has_one_shape(func, args, kwargs))

    # Python's protocols for sequences and numbers.

    def __len__(self) -> int:
        return len(self.content)

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def __contains__(self, item: Any) -> bool:
        return bool((self == item).any())

    # Everything else: as an operator, an attribute or a method of an ndarray.

    def __setitem__(self, index: Any, value: Any) -> None:
        _write(self.tape, written, (self, index, value), {})

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """Return itself for ``view(np.ndarray)``; else record a view, as of another dtype."""
        if args == (np.ndarray,):
            return self
        return emit(self.tape, Method("view"), (self, *args), kwargs, True)

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """Convert to another dtype."""
        return emit(self.tape, Method("astype"), (self, dtype, *args), kwargs, True)

    def __getitem__(self, index: Any) -> Any:
        if index is Ellipsis and not isinstance(self.content, np.ndarray):
            return emit(self.tape, as_array, (self,), {}, True)
        return emit(self.tape, operator.getitem, (self, index), {}, _gives_one_shape(index))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self.content, name)
        if name in ("base", "ctypes", "data", "flat"):
            self._leaves(f".{name}")
            return found
        is_number = not isinstance(self.content, _ARRAYS)  # its attributes are recorded, too
        if isinstance(found, _ARRAYS) or (is_number and not callable(found)):
            return emit(self.tape, Attribute(name), (self,), {}, True)
        if not callable(found):
            return found

        def method(*args: Any, **kwargs: Any) -> Any:
            if name in WRITING_METHODS:
                return _write(self.tape, Written(Method(name)), (self, *args), kwargs)
            if kwargs.get("out") is not None:
                out = kwargs.pop("out")
                return _write(self.tape, Into(Method(name)), (out, self, *args), kwargs)
            fixed = name in METHODS_OF_ONE_SHAPE
            return emit(self.tape, Method(name), (self, *args), kwargs, fixed)

        return method


def _has_one_shape(func: Any, args: Any, kwargs: Any) -> bool:
    """Return whether the results of a function of NumPy's have one shape and dtype in all runs."""
    if func in OF_ONE_SHAPE_BY_OTHERS:
        return not has_any((args[1:], kwargs), Recorded)
    is_choice = func is not np.where or len(args) == 3  # else it gives positions
    is_known = func in OF_ONE_SHAPE or getattr(func, "__module__", "") == "numpy.fft"
    return is_known and is_choice


def _gives_one_shape(index: Any) -> bool:
    """Return whether ``x[index]`` has one shape in all runs: not with recorded masks or slices."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(
        np.asarray(part.content).dtype.kind in "iu"
        if type(part) is Recorded
        else not has_any(part, Recorded)
        for part in parts
    )


def is_around(cls: type) -> bool:
    """Return whether objects of a class hold recording arrays: Variables, and arrays of batches."""
    priority = getattr(cls, "__array_priority__", None)  # of NumPy's own classes, a property
    return issubclass(cls, Variable) or (isinstance(priority, float) and priority > _PRIORITY)


def has_own_operators(other: Any, name: str) -> bool:
    """Return whether NumPy may ask an operand that is neither an array nor a number."""
    if isinstance(contents(other), (np.ndarray, np.generic, int, float, complex, Variable)):
        return False
    return hasattr(type(other), f"__r{name}__") or hasattr(type(other), "__array_ufunc__")


def _operator(name: str, call: Callable[..., Any]) -> None:
    def of_one(self: Recorded) -> Any:
        return emit(self.tape, call, (self,), {}, True)

    def of_two(self: Recorded, other: Any) -> Any:
        if is_around(type(other)) or getattr(other, "__array_ufunc__", 0) is None:
            return NotImplemented
        return emit(self.tape, call, (self, other), {}, True)

    def reflected(self: Recorded, other: Any) -> Any:
        return emit(self.tape, call, (other, self), {}, True)

    def in_place(self: Recorded, other: Any) -> Any:
        if not isinstance(self.content, np.ndarray):
            return of_two(self, other)
        if has_own_operators(other, name):
            self.tape.refuse(
                f"changes an array in place by a {type(other).__name__}, whose operator a "
                "recording does not follow: compute a new array"
            )
            return getattr(operator, f"i{name}")(self.content, other)
        return _write(self.tape, Written(Updated(name)), (self, other), {}) or self

    if name in ("neg", "pos", "abs", "invert"):
        setattr(Recorded, f"__{name}__", of_one)
    else:
        setattr(Recorded, f"__{name}__", of_two)
        if name not in ("lt", "le", "eq", "ne", "gt", "ge"):
            setattr(Recorded, f"__r{name}__", reflected)
            if name != "divmod":
                setattr(Recorded, f"__i{name}__", in_place)


for _name in (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift"),
    *("lt", "le", "eq", "ne", "gt", "ge", "neg", "pos", "abs", "invert", "and", "or", "xor"),
):
    _operator(_name, getattr(operator, f"__{_name}__"))
_operator("divmod", divmod)


def _value(name: str, how: str, call: Callable[..., Any]) -> None:
    """Give recording arrays a method that takes out a value, which ends the recording."""

    def taken(self: Recorded, *args: Any, **kwargs: Any) -> Any:
        return call(self._leaves(how), *args, **kwargs)

    setattr(Recorded, name, taken)


for _call in (float, complex, hash, round, bytes, repr, str):
    _value(f"__{_call.__name__}__", f"{_call.__name__}()", _call)
for _name in ("trunc", "floor", "ceil"):
    _value(f"__{_name}__", f"{_name}()", getattr(math, _name))
_value("__format__", "formatting", format)
_value("__reduce__", "copying or pickling", methodcaller("__reduce__"))
_value("__array__", "np.asarray()", np.array)
_value("tolist", ".tolist()", methodcaller("tolist"))


def _settable(name: str) -> None:
    """Give recording arrays an attribute.

    Setting a part of complex numbers writes into them; setting another one ends the recording.
    """

    def read(self: Recorded) -> Any:
        return Protocols.__getattr__(self, name)  # type: ignore[arg-type]

    def write(self: Recorded, value: Any) -> None:
        is_array = isinstance(self.content, np.ndarray)
        if is_array and self.content.dtype.kind == "c" and name in ("real", "imag"):
            read(self)[...] = value
            return
        self._leaves(f"setting .{name}")  # of a constant, too:
        self.tape.refuse(f"sets .{name} of an array, and a replay would not: make another one")
        setattr(self.content, name, value)

    is_fact = name in ("shape", "dtype")
    setattr(Recorded, name, property(attrgetter(f"content.{name}") if is_fact else read, write))


for _name in ("shape", "dtype", "strides", "real", "imag", "flat", "data"):
    _settable(_name)


for _name, _method in vars(Protocols).items():
    if isinstance(_method, FunctionType):
        setattr(Recorded, _name, _method)


# What Variables ask of a type of arrays.


def _zeros(shape: Any, dtype: Any, like: Any) -> Any:
    return _new_zeros(like.tape, np.zeros(shape, dtype))


def _new_zeros(tape: Tape, zeros: Any) -> Any:
    return Recorded(tape, zeros, tape.zeros(zeros)) if tape.listens else zeros


def _sum_to(array: Any, shape: Any) -> Any:
    return emit(array.tape, sum_to, (array, shape), {}, True)


def _resolve(array: Any) -> Any:
    return array if array.tape.listens else array.content


RECORDING = ArrayType(
    *("recording", Recorded),
    zeros=_zeros,
    sum_to=_sum_to,
    resolve=_resolve,
)
"""The type of the arrays that record, as Variables hold them."""
