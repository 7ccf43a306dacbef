"""The array that records: NumPy computes with its content, and the tape notes the call.

It is no subclass of ndarray, since C code would read its memory without asking. For ``isinstance``
it is an ndarray, so that bodies of operations take the same way as for one.
A request beyond NumPy's protocols (for a number, a list, the memory) ends the recording, and has an
ndarray's answer: the call that is being recorded goes on as an eager one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any
from weakref import ref

import numpy as np

from dezero_core import Variable

from .numpy_functions import (
    FACTS,
    LIKE,
    METHODS_OF_ONE_SHAPE,
    OF_ONE_SHAPE,
    WRITERS,
    WRITING_METHODS,
)
from .tape import (
    ATOMS,
    NESTED,
    Attribute,
    Into,
    Method,
    Of,
    Tape,
    Through,
    Updated,
    Value,
    Written,
    as_array,
    has_any,
    leaves,
    mapped,
    same,
    shape_and_dtype,
    written,
)

_ARRAYS = (np.ndarray, np.generic)


class Recorded:
    """An array, or a scalar of NumPy's, that is being recorded: its `content` is that."""

    __slots__ = (
        *("__weakref__", "_base", "_root", "_seen", "_value", "_version", "_view"),
        *("content", "tape"),
    )

    __class__ = property(lambda self: type(self.content))
    __array_priority__ = 1000.0

    def __init__(self, tape: Tape, content: Any, value: Value) -> None:
        self.tape, self.content, self._value = tape, content, value
        #: If this is a view: of which array, by which call with which arguments.
        self._base: Any = None
        self._root: Recorded | None = None
        self._view: Any = None
        self._version = self._seen = 0
        tape.made.append(ref(self))

    @property
    def root(self) -> Recorded:
        """The array whose memory this is."""
        return self if self._root is None else self._root

    def is_view_of(self, base: Recorded, call: Any, args: Any, kwargs: Any) -> None:
        """Note that this is a view of `base`, which a call with these arguments has made."""
        self._base, self._root, self._view = base, base.root, (call, args, kwargs)
        self._seen = self._root._version

    @property
    def value(self) -> Value:
        """Its value at this point of the tape."""
        root = self._root
        if root is None or self._seen == root._version:
            return self._value
        old, base = [self], self._base
        while base is not root and base._seen != root._version:
            old.append(base)
            base = base._base
        for each in reversed(old):
            call, args, kwargs = each._view
            if call is None:
                self.tape.refuse(
                    "an array was written into, and a view of it is used that a recording cannot "
                    "follow: copy the array before it is written into"
                )
                return self._value
            each._value = self.tape.value(each.content)
            self.tape.append(call, (each._base._value, *args), kwargs, (each._value,), False)
            each._seen = root._version
        return self._value

    def become(self, value: Value) -> None:
        """Note that something was written into this array: `value` is its new Value."""
        root = self.root
        if root is not self:
            views, view = [], self
            while view._base is not None:
                call, args, kwargs = view._view
                if call is None:
                    self.tape.refuse(
                        "the code writes into an array by way of a view that a recording cannot "
                        "follow: write into the array itself, or into a copy"
                    )
                views.append((call, args, tuple(kwargs.items())))
                view = view._base
            whole = self.tape.value(root.content)
            inputs = (root.value, value)
            self.tape.append(Through(tuple(views[::-1])), inputs, {}, (whole,), False)
            root._value = whole
        else:
            self._value = value
        root._version += 1

    # NumPy's protocols.

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if any(isinstance(x, Variable) for x in inputs):
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
        if any(issubclass(kind, Variable) for kind in types):
            return NotImplemented
        if func in FACTS:
            return func(*contents(args), **contents(kwargs))
        if func in WRITERS:
            return _write(self.tape, Written(func), args, kwargs)
        if func in LIKE:
            made = func(*contents(args), **contents(kwargs))
            return constant(self.tape, made) if self.tape.listens else made
        if kwargs.get("out") is not None:
            out = kwargs["out"]
            others = {name: x for name, x in kwargs.items() if name != "out"}
            return _write(self.tape, Into(func), (out, *args), others)
        return emit(self.tape, func, args, kwargs, func in OF_ONE_SHAPE)

    # Requests for values, which a replay may not be able to follow.

    def _decides(self, convert: Callable[[Any], Any]) -> Any:
        try:
            result = convert(self.content)
        except Exception as error:  # as int() of a nan does
            self.tape.note_error(convert, error)
            raise
        if self.tape.listens:
            self.tape.guard(convert, self.value, result)
        return result

    def __bool__(self) -> bool:
        return bool(self._decides(bool))

    def __int__(self) -> int:
        return int(self._decides(int))

    def __index__(self) -> int:
        return int(self._decides(operator.index))

    def _leaves(self, how: str) -> Any:
        if self.tape.listens:
            self.tape.refuse(
                f"{how} takes a value out of an array, and a replay cannot follow the value: "
                "compute with NumPy's functions, and take values out of the results"
            )
        return self.content

    def __float__(self) -> float:
        return float(self._leaves("float()"))

    def __complex__(self) -> complex:
        return complex(self._leaves("complex()"))

    def item(self, *args: Any) -> Any:
        """Return an element as a Python number, which ends the recording."""
        return self._leaves(".item()").item(*args)

    def tolist(self) -> Any:
        """Return nested lists, which ends the recording."""
        return self._leaves(".tolist()").tolist()

    def __bytes__(self) -> bytes:
        return bytes(self._leaves("bytes()"))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._leaves("np.asarray()"), dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return repr(self._leaves("repr()"))

    def __str__(self) -> str:
        return str(self._leaves("str()"))

    def __format__(self, spec: str) -> str:
        return format(self._leaves("formatting"), spec)

    def __copy__(self) -> Any:
        if isinstance(self.content, _ARRAYS):
            return emit(self.tape, Method("copy"), (self,), {}, True)
        return self  # a number

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__copy__()

    def __reduce__(self) -> Any:
        return self._leaves("copying or pickling").__reduce__()

    # Python's protocols for sequences and numbers.

    def __len__(self) -> int:
        return len(self.content)

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def __contains__(self, item: Any) -> bool:
        return bool((self == item).any())

    def __hash__(self) -> int:
        return hash(self._leaves("hash()"))

    def __round__(self, *args: Any) -> Any:
        return round(self._leaves("round()"), *args)

    def __trunc__(self) -> Any:
        return self._leaves("trunc()").__trunc__()

    def __floor__(self) -> Any:
        return self._leaves("floor()").__floor__()

    def __ceil__(self) -> Any:
        return self._leaves("ceil()").__ceil__()

    # Everything else: as an operator, an attribute or a method of an ndarray.

    def __setitem__(self, index: Any, value: Any) -> None:
        tape = self.tape
        try:
            self.content[contents(index)] = contents(value)
        except Exception as error:
            tape.note_error(written, error)
            raise
        if tape.listens:
            result = tape.value(self.content)
            inputs = (self.value, noted(tape, index), noted(tape, value))
            tape.append(written, inputs, {}, (result,), False)
            self.become(result)

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """Return itself for ``view(np.ndarray)``; else record a view, as of another dtype."""
        if args == (np.ndarray,):
            return self
        return emit(self.tape, Method("view"), (self, *args), kwargs, True)

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """Convert to another dtype."""
        return emit(self.tape, Method("astype"), (self, dtype, *args), kwargs, True)

    def __getitem__(self, index: Any) -> Any:
        if index is Ellipsis and isinstance(self.content, np.generic):
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


def _gives_one_shape(index: Any) -> bool:
    """Return whether ``x[index]`` has one shape in all runs: not with recorded masks or slices."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(
        np.asarray(part.content).dtype.kind in "iu"
        if type(part) is Recorded
        else not has_any(part, Recorded)
        for part in parts
    )


def contents(tree: Any) -> Any:
    """Return nested arguments with the arrays themselves in place of those that record."""
    kind = type(tree)
    if kind is Recorded:
        return tree.content
    if kind is tuple:
        return tuple([x.content if type(x) is Recorded else contents(x) for x in tree])
    if kind is np.ndarray or kind in ATOMS or not isinstance(tree, NESTED):
        return tree
    return mapped(contents, tree) if tree else tree


def noted(tape: Tape, tree: Any) -> Any:
    """Return nested arguments as a tape has them: a Value in place of each array."""
    kind = type(tree)
    if kind is Recorded:
        return tree.value if tree.tape is tape else tape.operand(tree.content)
    if kind in ATOMS:
        return tree
    if kind is tuple:
        return tuple([noted(tape, x) for x in tree])
    if isinstance(tree, _ARRAYS):
        return tape.operand(tree)
    return mapped(partial(noted, tape), tree) if isinstance(tree, NESTED) else tree


def constant(tape: Tape, array: Any) -> Any:
    """Return a recording array for one that is the same in every run."""
    return Recorded(tape, array, tape.operand(array))


def emit(tape: Tape, call: Any, args: Any, kwargs: Any, fixed: bool | None = None) -> Any:
    """Make a call and note it; return a recording array, or a sequence of them.

    `fixed` says whether shape and dtype of the result depend on those of the arguments alone. By
    default this is so for ufuncs alone.
    """
    args = tuple(args)
    plain = contents(args)
    try:
        result = call(*plain, **contents(kwargs)) if kwargs else call(*plain)
    except Exception as error:
        tape.note_error(call, error)
        raise
    if not tape.listens or result is NotImplemented:
        return result
    if isinstance(result, _ARRAYS):
        for given, x in zip(args, plain, strict=True):
            if result is x and type(given) is Recorded and isinstance(x, np.ndarray):
                return given  # as of x.astype(x.dtype, copy=False)
        recorded = _recorded(tape, call, args, kwargs, result)
        tape.append(call, noted(tape, args), noted(tape, kwargs), (recorded._value,), False)
        if fixed is False or (fixed is None and not isinstance(call, (np.ufunc, Of))):
            tape.guard(shape_and_dtype, recorded._value, shape_and_dtype(result))
        return recorded
    if isinstance(result, (tuple, list)) and all(isinstance(x, _ARRAYS) for x in result):
        made = [_recorded(tape, None, args, kwargs, x) for x in result]
        outputs = tuple([each._value for each in made])
        tape.append(call, noted(tape, args), noted(tape, kwargs), outputs, True)
        if not isinstance(call, np.ufunc):
            for each in made:
                tape.guard(shape_and_dtype, each._value, shape_and_dtype(each.content))
        return type(result)(*made) if hasattr(result, "_fields") else type(result)(made)
    if isinstance(result, (int, float, complex)) and _of_numbers(plain):
        recorded = Recorded(tape, result, tape.value(result))
        tape.append(call, noted(tape, args), noted(tape, kwargs), (recorded._value,), False)
        return recorded
    if result is None or isinstance(result, (bool, int, str)):
        value = tape.value(result)
        tape.append(call, noted(tape, args), noted(tape, kwargs), (value,), False)
        tape.guard(same, value, result)
        return result
    name = getattr(call, "__name__", call)
    tape.refuse(
        f"{name}() returns a {type(result).__name__}, which is neither an array nor a number: call "
        f"{name}() outside, and give what is needed of its result as an argument"
    )
    return result


def _of_numbers(plain: Any) -> bool:
    """Return whether all operands of a call are Python numbers; at least one of them records."""
    return all(type(x) in (int, float, complex) for x in plain)


def _recorded(tape: Tape, call: Any, args: Any, kwargs: Any, content: Any) -> Recorded:
    """Return a recording array for the result of a call; note of which argument it is a view."""
    recorded = Recorded(tape, content, tape.value(content))
    if isinstance(content, np.ndarray) and content.base is not None:
        owner = _owner(content)
        for base in leaves(args, Recorded):
            if _owner(base.content) is owner:
                by = call if args[0] is base else None
                recorded.is_view_of(base, by, noted(tape, args[1:]), noted(tape, kwargs))
                break
    return recorded


def _owner(array: Any) -> Any:
    while isinstance(array, np.ndarray) and isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _write(tape: Tape, call: Any, args: Any, kwargs: Any) -> Any:
    """Make a call that writes into its first argument, and note it."""
    target, others = args[0], args[1:]
    if type(target) is not Recorded:
        tape.refuse(
            "the code writes into an array that is no argument: keep the array in a Variable, and "
            "write into the .data of the Variable"
        )
        place = target
    else:
        place = target.content
    plain = contents(others), contents(kwargs)
    try:
        if isinstance(call, Into):
            result = call.call(*plain[0], out=place, **plain[1])
        else:
            result = call.call(place, *plain[0], **plain[1])
    except Exception as error:
        tape.note_error(call.call, error)
        raise
    if tape.listens and type(target) is Recorded:
        value = tape.value(place)
        inputs = (target.value, *noted(tape, others))
        tape.append(call, inputs, noted(tape, kwargs), (value,), False)
        target.become(value)
    return target if isinstance(call, Into) else result


def _operator(name: str, call: Callable[..., Any]) -> None:
    def of_one(self: Recorded) -> Any:
        return emit(self.tape, call, (self,), {}, True)

    def of_two(self: Recorded, other: Any) -> Any:
        if isinstance(other, Variable):
            return NotImplemented
        return emit(self.tape, call, (self, other), {}, True)

    def reflected(self: Recorded, other: Any) -> Any:
        return emit(self.tape, call, (other, self), {}, True)

    def in_place(self: Recorded, other: Any) -> Any:
        leaves_it = getattr(other, "__array_ufunc__", 0) is None  # to the other's operator
        if leaves_it or not isinstance(self.content, np.ndarray):
            return of_two(self, other)
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
    *("lt", "le", "eq", "ne", "gt", "ge", "neg", "pos", "abs", "invert"),
):
    _operator(_name, getattr(operator, _name))
_operator("and", operator.and_)
_operator("or", operator.or_)
_operator("xor", operator.xor)
_operator("divmod", divmod)


def _settable(name: str) -> None:
    """Give recording arrays an attribute. Setting the attribute ends the recording."""

    def read(self: Recorded) -> Any:
        return self.__getattr__(name)

    def write(self: Recorded, value: Any) -> None:
        self._leaves(f"setting .{name}")
        setattr(self.content, name, value)

    is_fact = name in ("shape", "dtype")
    setattr(Recorded, name, property(attrgetter(f"content.{name}") if is_fact else read, write))


for _name in ("shape", "dtype", "strides", "real", "imag", "flat", "data"):
    _settable(_name)
