"""The tape: NumPy calls in the order in which they were made, with their arguments and results."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from dezero_core.extend import mode

from .errstate import Warnings, of_errors
from .instructions import Guard, Instruction, Region, Value
from .nested import equal
from .rows import Rows
from .stop import Stop, users_line


class Mark(NamedTuple):
    """How far a tape is: its instructions, its Values, and its warnings."""

    instructions: int
    values: int
    warnings: int


class Tape:
    """A recording, while it runs and afterwards."""

    def __init__(self) -> None:
        self.instructions = Rows()
        #: Number of a Value -> the array that it is in every run.
        self.constants: dict[int, Any] = {}
        #: Numbers of Values that are computed of constants alone.
        self.fixed: set[int] = set()
        self.region: Region | None = None
        self.open = True
        #: The end of the recording, if the function goes on after an error of a call.
        self.raised: Stop | None = None
        #: ``before_write(array)`` is called before something is written into a recording array.
        self.before_write: Callable[[Any], None]
        self._thread = threading.get_ident()
        #: How many Values there are.
        self.numbers = 0
        self.warnings = Warnings()
        #: Whether the code sets how NumPy treats errors of floating point.
        self.sets_errors = False
        #: The state of errors at the beginning; that at the last call that was noted, and how it
        #: differs.
        self._usual: Any = None
        self._state: Any = None
        self._errors: Any = None
        #: The Mode of a backward pass, and the line of the user's that began it: the engine alone
        #: makes calls between two bodies of a pass. None where others may make calls.
        self.of_pass: tuple[Any, str] | None = None
        #: id of an ndarray that is no input -> it, and a Value for each content that it had.
        self._operands: dict[int, tuple[Any, list[Value]]] = {}
        #: Shape, dtype and strides -> the Value of all new zeros of this form.
        self._zeros: dict[Any, Value] = {}

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep NumPy's warnings until the end of the call, which is recorded."""
        with self.warnings.at_the_end():
            self._state = of_errors()
            self._usual = self._state, np.geterr()
            yield
            self.of_pass = None  # its Mode has all that records

    @property
    def usual_errors(self) -> Any:
        """The state of errors at the beginning."""
        return self._usual[0]

    def mark(self) -> Mark:
        """Return how far it is."""
        return Mark(len(self.instructions), self.numbers, len(self.warnings.kept))

    def forget(self, mark: Mark) -> None:
        """Forget the instructions and warnings since a mark."""
        self.instructions.forget(mark.instructions)
        del self.warnings.kept[mark.warnings :]

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Note nothing: recording arrays that the code reaches behave as the arrays."""
        self.open = False
        try:
            yield
        finally:
            self.open = True

    @contextmanager
    def only_if_it_raises(self) -> Iterator[None]:
        """Let code do what a replay could not do: the recording ends, unless the call raises."""
        if self.raised is None:
            self.raised = Stop("catches an error in whose text a value is, and a replay could not")
        with self.paused():
            yield

    @property
    def listens(self) -> bool:
        """Whether it records calls that are made here and now."""
        return self.open and self._thread == threading.get_ident()

    def value(self, content: Any) -> Value:
        """Return a new Value."""
        self.numbers += 1
        return Value(self.numbers, content)

    def like(self, value: Value) -> Value:
        """Return a new Value of the form of another one."""
        self.numbers += 1
        return value.renumbered(self.numbers)

    def operand(self, array: Any) -> Value:
        """Return the Value of an array that is no recording one: a constant, or a captured one."""
        found = self._operands.setdefault(id(array), (array, []))[1]
        if not found or not equal(self.constants[found[-1].number], array):
            found.append(self.value(array))
            is_array = isinstance(array, np.ndarray)
            self.constants[found[-1].number] = _copy(array) if is_array else array
        return found[-1]

    def zeros(self, array: Any) -> Value:
        """Return the Value of an array that is nothing but zeros, and new.

        All zeros of one form share it: a gradient of each ``x[i]`` begins with some.
        """
        form = array.shape, array.dtype, array.strides
        if form not in self._zeros:
            self._zeros[form] = value = self.value(array)
            self.constants[value.number] = np.zeros_like(array)
        return self._zeros[form]

    def append(self, call: Any, args: Any, kwargs: Any, outputs: Any, several: bool) -> None:
        """Write down a call."""
        region = self.region
        if (state := of_errors()) is not self._state:
            first, usual = self._usual
            self.sets_errors |= state is not first
            differing = {kind: how for kind, how in np.geterr().items() if usual[kind] != how}
            self._state, self._errors = state, differing or None
        where = self._line() if region is None else region.where
        self.instructions.append(
            Instruction(call, args, kwargs, outputs, several, region, where, self._errors)
        )

    def _line(self) -> str:
        """Return the line of the user's that makes a call outside of bodies."""
        now = self.of_pass
        return now[1] if now is not None and mode.get() is now[0] else users_line()

    def guard(self, convert: Any, value: Value, expected: Any) -> None:
        """Write down that a value decided something."""
        where = self._line() if self.region is None else self.region.where
        self.instructions.append(Guard(convert, value, expected, self.region, where))

    def note_error(self, call: Any, error: Exception) -> None:
        """Note that a call has raised: a program cannot catch that, if the function does."""
        if self.listens and self.raised is None:
            name = getattr(call, "__name__", str(call))
            stop = Stop(
                f"goes on after {name} has raised {type(error).__name__}, and a replay cannot "
                "catch an error: test for the cause of the error before the call"
            )
            if self.region is not None:
                raise stop
            self.raised = stop

    def refuse(self, reason: str) -> None:
        """End the recording, of a body if one runs, if the tape listens."""
        if self.listens:
            raise Stop(reason)


def _copy(array: Any) -> Any:
    """Return a copy that is laid out alike: an operation lays out its result by its operands."""
    pairs = zip(array.shape, array.strides, strict=True)
    once = tuple([slice(0, 1) if n and not stride else slice(None) for n, stride in pairs])
    copy = array[(*once, ...)].copy("K")
    return copy if copy.shape == array.shape else np.broadcast_to(copy, array.shape)
