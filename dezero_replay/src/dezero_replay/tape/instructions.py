"""Instructions: NumPy calls, with a `Value` in place of each array that was recorded.

A `Value` is written once and never changed. Where a program writes into an array, there is a new
Value for the array as it is afterwards.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .classes import is_a
from .nested import NESTED, Tree, leaves, mapped


class Value:
    """One array, or number, of a program."""

    __slots__ = ("dtype", "kind", "number", "shape", "strides")

    #: ndarray, the type of a scalar of NumPy's, or any other.
    kind: Any
    #: None, as the others, if it is no array.
    shape: Any
    dtype: Any
    strides: Any

    def __init__(self, number: int, content: Any) -> None:
        self.number, self.kind = number, type(content)
        if isinstance(content, (np.ndarray, np.generic)):
            self.shape, self.dtype, self.strides = content.shape, content.dtype, content.strides
        else:
            self.shape = self.dtype = self.strides = None

    @property
    def form(self) -> Any:
        """All but the number: two arrays of one form are treated alike."""
        return self.kind, self.shape, self.dtype, self.strides

    def renumbered(self, number: int) -> Value:
        """Return a Value of the same form with another number."""
        found = object.__new__(Value)
        found.number, found.kind = number, self.kind
        found.shape, found.dtype, found.strides = self.shape, self.dtype, self.strides
        return found

    def __repr__(self) -> str:
        return f"v{self.number}"


class Method(NamedTuple):
    """A method of an array, as a function of the array and the arguments."""

    name: str

    def __call__(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(x, self.name)(*args, **kwargs)


class Attribute(NamedTuple):
    """An attribute of an array that is an array itself, as a function of it."""

    name: str

    def __call__(self, x: Any) -> Any:
        return getattr(x, self.name)


class Of(NamedTuple):
    """A method of a ufunc, such as ``np.add.reduce``, with its ufunc and its name."""

    ufunc: np.ufunc
    name: str

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.ufunc, self.name)(*args, **kwargs)


def as_array(x: Any) -> Any:
    """Return an array, or a scalar of NumPy's as an array without dimensions."""
    return np.asarray(x)


def same(x: Any) -> Any:
    """Return `x` itself, under another name."""
    return x


def written(x: Any, index: Any, value: Any) -> Any:
    """Return `x` as it is after ``x[index] = value``: a copy."""
    copy = x.copy("K")
    copy[index] = value
    return copy


class Written(NamedTuple):
    """A function that writes into its first argument, on a copy: `x` as it is afterwards."""

    call: Any

    def __call__(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        copy = x.copy("K")
        self.call(copy, *args, **kwargs)
        return copy


class Updated(NamedTuple):
    """An operator in place, as ``x += y``: by its name."""

    name: str

    def __call__(self, x: Any, y: Any) -> None:
        getattr(operator, f"i{self.name}")(x, y)


class Into(NamedTuple):
    """A call with ``out=``, on a copy: the array given first as it is afterwards."""

    call: Any

    def __call__(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        copy = x.copy("K")
        self.call(*args, out=copy, **kwargs)
        return copy


class Through(NamedTuple):
    """A write into an array by way of a view of it: the array as it is afterwards.

    `views` are the calls that lead from the array to the view, without the array itself.
    """

    views: tuple[tuple[Callable[..., Any], tuple[Any, ...], tuple[tuple[str, Any], ...]], ...]

    def __hash__(self) -> int:
        """Return the number of views, since slices among the arguments have no hash."""
        return len(self.views)

    def __call__(self, x: Any, value: Any) -> Any:
        copy = view = x.copy("K")
        for call, args, kwargs in self.views:
            view = call(view, *args, **dict(kwargs))
        view[...] = value
        return copy


class Draw(NamedTuple):
    """A draw from a generator by one of its methods, as a function of the arguments."""

    generator: Any
    name: str

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.generator, self.name)(*args, **kwargs)


class Region:
    """The instructions of one run of ``forward`` or ``backward`` of a Function.

    The `function` is a copy of the Function as it was before ``forward``. The user applied that at
    `where`.
    """

    __slots__ = ("alike", "forward", "function", "is_opaque", "method", "opaque", "where", "why")

    def __init__(self, function: Any, method: str, where: str, forward: Any = None) -> None:
        self.function, self.method, self.where = function, method, where
        #: Of ``backward``: the region of the ``forward`` that belongs to it.
        self.forward: Region | None = forward
        #: The whole run as one instruction, to be taken if a guard in the region fails.
        self.opaque: Instruction | None = None
        #: Whether `opaque` always runs in place of the other instructions, and why.
        self.is_opaque = False
        self.why = ""
        #: The regions of the other rounds, if this one is in the body of a loop: a guard in it
        #: fails for all of them.
        self.alike: set[Region] = {self}

    @property
    def first(self) -> Region:
        """The region of ``forward``."""
        return self.forward or self

    @property
    def line(self) -> Any:
        """The class and method that ran, and the line of the user's where it was applied."""
        return type(self.function), self.method, self.where

    def __repr__(self) -> str:
        return f"{type(self.function).__name__}.{self.method}"


class Instruction:
    """One call, with a `Value` in place of each array that was recorded.

    The result may be a sequence of `several` outputs. The user's own code is in no region; `where`
    is its line. `errors` is the error state of NumPy in which the call runs, if it is not that of
    the function.
    """

    __slots__ = ("args", "call", "errors", "kwargs", "outputs", "region", "several", "where")

    call: Any

    def __init__(
        self,
        call: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        outputs: tuple[Value, ...],
        several: bool = False,
        region: Region | None = None,
        where: str = "",
        errors: Any = None,
    ) -> None:
        self.call, self.args, self.kwargs = call, args, kwargs
        self.outputs, self.several = outputs, several
        self.region, self.where, self.errors = region, where, errors

    def changed(
        self, call: Any, args: Any, kwargs: Any, outputs: tuple[Value, ...] | None = None
    ) -> Instruction:
        """Return another call in the place of this one."""
        outputs = self.outputs if outputs is None else outputs
        several, region = self.several, self.region
        return Instruction(call, args, kwargs, outputs, several, region, self.where, self.errors)

    def reads(self) -> list[Value]:
        """Return the Values that go in."""
        return leaves((self.args, self.kwargs), Value)

    def __repr__(self) -> str:
        return f"{self.outputs} = {self.call}{self.args}{self.kwargs or ''}"


class Guard(Instruction):
    """A look at a value that decided how the program went on: it must be the same again.

    ``convert(value)`` must equal `expected`.
    """

    __slots__ = ("expected",)

    def __init__(self, convert: Any, value: Value, expected: Any, region: Any, where: Any) -> None:
        super().__init__(convert, (value,), {}, (), False, region, where)
        self.expected = expected


class Template:
    """The calls of a body of a Function, in place of which they are noted as one call.

    Bodies of one kind that run on arrays of the same forms make the same calls. So they are noted
    once, with the `inputs` that the body gets and the `wanted` Values that it returns; a pass puts
    them in place of each call of the template.
    """

    __slots__ = ("inputs", "instructions", "wanted")

    def __init__(
        self, instructions: list[Instruction], inputs: list[Value], wanted: list[Value]
    ) -> None:
        self.instructions, self.inputs, self.wanted = instructions, inputs, wanted


def shape_and_dtype(x: Any) -> Any:
    """Return shape and dtype of an array, for a guard: they depend on data."""
    return np.shape(x), getattr(x, "dtype", None)


def replaced(tree: Tree, by: Callable[[Any], Any], kinds: tuple[type, ...] = (Value,)) -> Tree:
    """Return nested arguments with ``by(x)`` in place of each Value, or each object of `kinds`."""
    if type(tree) in kinds:
        return by(tree)
    return mapped(lambda x: replaced(x, by, kinds), tree) if is_a(tree, NESTED) else tree
