"""The tape: NumPy calls in the order in which they were made, with their arguments and results.

A `Value` is written once and never changed. Where a program writes into an array, the tape has a
new Value for the array as it is afterwards.
"""

from __future__ import annotations

import operator
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from dezero_core.extend import user_line

from .errors import RefusedError
from .errstate import of_errors

Tree = Any
NESTED = (tuple, list, dict, slice)

#: Types of arguments that have nothing inside, asked first for the sake of time.
ATOMS = frozenset({type(None), bool, int, float, complex, str, type, type(Ellipsis)})


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
        is_array = isinstance(content, (np.ndarray, np.generic))
        self.shape = content.shape if is_array else None
        self.dtype = content.dtype if is_array else None
        self.strides = content.strides if is_array else None

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


class Region:
    """The instructions of one run of ``forward`` or ``backward`` of a Function.

    The `function` is a copy of the Function as it was before ``forward``. The user applied that at
    `where`.
    """

    __slots__ = ("forward", "function", "is_opaque", "method", "opaque", "where", "why")

    def __init__(self, function: Any, method: str, where: str | None, forward: Any = None) -> None:
        self.function, self.method, self.where = function, method, where
        #: Of ``backward``: the region of the ``forward`` that belongs to it.
        self.forward: Region | None = forward
        #: The whole run as one instruction, to be taken if a guard in the region fails.
        self.opaque: Instruction | None = None
        #: Whether `opaque` always runs in place of the other instructions, and why.
        self.is_opaque = False
        self.why = ""

    @property
    def first(self) -> Region:
        """The region of ``forward``."""
        return self.forward or self

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
        call: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        outputs: tuple[Value, ...],
        several: bool = False,
        region: Region | None = None,
        where: str | None = None,
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
        found = []
        for x in self.args:
            if type(x) is Value:
                found.append(x)
            elif isinstance(x, NESTED):
                found.extend(values_in(x))
        if self.kwargs:
            found.extend(values_in(self.kwargs))
        return found

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


def shape_and_dtype(x: Any) -> Any:
    """Return shape and dtype of an array, for a guard: they depend on data."""
    return np.shape(x), getattr(x, "dtype", None)


def leaves(tree: Tree, kind: type) -> list[Any]:
    """Return the objects of a type in nested tuples, lists, dicts and slices."""
    found: list[Any] = []
    _collect(tree, kind, found)
    return found


def _collect(tree: Tree, kind: type, found: list[Any]) -> None:
    if type(tree) is kind:
        found.append(tree)
    elif type(tree) not in ATOMS and isinstance(tree, NESTED):
        if isinstance(tree, dict):
            tree = tree.values()
        elif isinstance(tree, slice):
            tree = (tree.start, tree.stop, tree.step)
        for item in tree:
            _collect(item, kind, found)


def has_any(tree: Tree, kind: type) -> bool:
    """Return whether nested arguments hold an object of a type."""
    return bool(leaves(tree, kind))


def values_in(tree: Tree) -> list[Value]:
    """Return the Values in nested arguments."""
    return leaves(tree, Value)


def mapped(of: Callable[[Any], Any], tree: Tree) -> Tree:
    """Return a tuple, list, dict or slice with ``of(x)`` in place of each item."""
    if isinstance(tree, dict):
        return {key: of(x) for key, x in tree.items()}
    if isinstance(tree, slice):
        return slice(of(tree.start), of(tree.stop), of(tree.step))
    items = [of(x) for x in tree]
    return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)


def replaced(tree: Tree, by: Callable[[Value], Any]) -> Tree:
    """Return nested arguments with ``by(value)`` in place of each Value."""
    if type(tree) is Value:
        return by(tree)
    return mapped(lambda x: replaced(x, by), tree) if isinstance(tree, NESTED) else tree


def _silent(*of: Any) -> None:
    pass


#: NumPy calls `_silent` for the floating-point errors whose treatment a body does not set itself.
_IN_BODY: Any = dict.fromkeys(("divide", "over", "under", "invalid"), "call")


class Tape:
    """A recording, while it runs and afterwards."""

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        #: Number of a Value -> the array that it is in every run.
        self.constants: dict[int, Any] = {}
        #: Why it cannot be replayed; "" as long as it can.
        self.problem = ""
        self.region: Region | None = None
        self.open = True
        #: A weak reference to each recording array.
        self.made: list[weakref.ref[Any]] = []
        self._thread = threading.get_ident()
        #: How many Values there are.
        self.numbers = 0
        #: How NumPy treated errors of floating point when the call began.
        self.usual_errors = np.geterr()
        #: The state of errors at the last call that was noted, and its difference from the usual.
        self._state: Any = None
        self._errors: Any = None
        #: id of an ndarray that is no input -> it, and a Value for each content that it had.
        self._operands: dict[int, tuple[Any, list[Value]]] = {}

    def run_body(self, region: Region, body: Callable[..., Any], arguments: Any) -> Any:
        """Run a body, note its calls as the instructions of a region, and give no warnings.

        The state of errors shows the body's own ``np.errstate`` by its difference.
        """
        self.region = region
        try:
            with np.errstate(**_IN_BODY, call=_silent):
                return body(*arguments)
        finally:
            self.region = None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Note nothing: recording arrays that the code reaches behave as the arrays."""
        self.open = False
        try:
            yield
        finally:
            self.open = True

    @property
    def listens(self) -> bool:
        """Whether it records calls that are made here and now."""
        return self.open and self._thread == threading.get_ident()

    def value(self, content: Any) -> Value:
        """Return a new Value."""
        self.numbers += 1
        return Value(self.numbers, content)

    def operand(self, array: Any) -> Value:
        """Return the Value of an array that is no recording one: a constant, or a captured one."""
        found = self._operands.setdefault(id(array), (array, []))[1]
        if not found or not equal(self.constants[found[-1].number], array):
            found.append(self.value(array))
            is_array = isinstance(array, np.ndarray)
            self.constants[found[-1].number] = _copy(array) if is_array else array
        return found[-1]

    def append(self, call: Any, args: Any, kwargs: Any, outputs: Any, several: bool) -> None:
        """Write down a call."""
        region = self.region
        if (state := of_errors()) is not self._state:
            usual: Any = self.usual_errors if region is None else _IN_BODY
            differing = {kind: how for kind, how in np.geterr().items() if usual[kind] != how}
            self._state, self._errors = state, differing or None
        where = user_line() if region is None else region.where
        self.instructions.append(
            Instruction(call, args, kwargs, outputs, several, region, where, self._errors)
        )

    def guard(self, convert: Any, value: Value, expected: Any) -> None:
        """Write down that a value decided something."""
        where = user_line() if self.region is None else self.region.where
        self.instructions.append(Guard(convert, value, expected, self.region, where))

    def note_error(self, call: Any, error: Exception) -> None:
        """Refuse the recording, since a call has raised: a program cannot catch that."""
        if self.listens:
            name = getattr(call, "__name__", str(call))
            self.refuse(
                f"{name} raised {type(error).__name__}, and the function went on, but a replay "
                "cannot catch an error: test for the cause of the error before the call"
            )

    def refuse(self, reason: str) -> None:
        """Note that something cannot be recorded, if the tape listens.

        In a body, a RefusedError ends the recording of the body alone: it will run as it is.
        """
        if not self.listens:
            return
        if self.region is not None:
            raise RefusedError(reason)
        if not self.problem:
            self.problem = f"{user_line()}: {reason}"


def _copy(array: Any) -> Any:
    """Return a copy that is laid out alike: an operation lays out its result by its operands."""
    pairs = zip(array.shape, array.strides, strict=True)
    once = tuple([slice(0, 1) if n and not stride else slice(None) for n, stride in pairs])
    copy = array[(*once, ...)].copy("K")
    return copy if copy.shape == array.shape else np.broadcast_to(copy, array.shape)


def equal(a: Any, b: Any) -> bool:
    """Return whether two arrays or numbers are equal to the bit, in dtype, shape and layout."""
    if type(a) is not type(b):
        return False
    if type(a) is float:
        return bool(a.hex() == b.hex())
    if not isinstance(a, (np.ndarray, np.generic)):
        return bool(a == b) or (a != a and b != b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.hasobject:
        return all(map(operator.is_, a.flat, b.flat))
    if a.dtype.char in "gG":  # a long double has bytes without a meaning
        return bool(np.array_equal(a, b, equal_nan=True))
    if a.flags.c_contiguous and b.flags.c_contiguous:
        return a.tobytes() == b.tobytes() if a.size < 64 else bool((_bits(a) == _bits(b)).all())
    return np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


def _bits(array: Any) -> Any:
    return array.reshape(-1).view(np.uint8)
