"""Observers: what happens inside of a block, call by call. ``with observe("nan"):``

The core's own are here; plugins bring more by the hook ``dezero_register_observers``.
"""

from __future__ import annotations

import sys
import tracemalloc
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple, TextIO
from weakref import WeakKeyDictionary

import numpy as np

from .config import Block, Watched, backprop
from .discovery import did_you_mean
from .edges import Saved
from .errors import NotFiniteError, UnknownObserverError, WrittenArrayError
from .function import Function
from .hidden import arrays_in
from .observing import OBSERVERS, ObservedCall
from .plugin_manager import registered_observers
from .provenance import described, written
from .variable import INEXACT, Array, Variable


class Observer:
    """Base class of observers; override what is of interest.

    An observer is started by the block that it is given to, and sees the calls of Functions that
    are made in that block, by the same thread and asyncio task. What one of its methods raises
    stops the calculation.

    Examples
    --------
    >>> class Largest(Observer):
    ...     value = 0.0
    ...
    ...     def after(self, call):
    ...         for y in call.outputs:
    ...             if y is not None:  # a gradient that nobody wants
    ...                 self.value = max(self.value, np.max(np.abs(y)))
    >>> class Double(Function):
    ...     def forward(self, x):
    ...         return 2.0 * x
    >>> with observe(Largest()) as largest:
    ...     y = Double()(Double()(Variable(np.array([1.0, -3.0]))))
    >>> float(largest.value)
    12.0
    """

    def start(self) -> None:
        """Prepare; the block begins."""

    def stop(self) -> None:
        """Clean up; the block ends."""

    def before(self, call: ObservedCall) -> None:
        """Look at a call that is about to run.

        Parameters
        ----------
        call : ObservedCall
        """

    def after(self, call: ObservedCall) -> None:
        """Look at a call that has run, and at what it returned.

        Parameters
        ----------
        call : ObservedCall
        """

    def recorded(self, function: Function) -> None:
        """Look at a Function that has become a node of the graph, with all that it saves.

        Parameters
        ----------
        function : Function
        """


class observe(Block):
    """Let observers see every ``forward`` and ``backward`` of a ``with`` block.

    Parameters
    ----------
    *observers : str or Observer
        ``"nan"`` raises at the first value that is not finite; ``"time"`` and ``"memory"`` count
        for each operation and plugin, and ``"trace"`` prints each call. Plugins bring others. Or
        an observer itself.

    Raises
    ------
    UnknownObserverError (LookupError)
        If no plugin has an observer of that name.
    TypeError
        If it is neither a name nor an observer.

    Notes
    -----
    ``with observe("time") as times:`` gives the observer, or a tuple if there are several; those
    that count are printed as tables. It holds for this thread and asyncio task. While no observer
    is active, nothing is slower.

    Examples
    --------
    >>> class Double(Function):
    ...     def forward(self, x):
    ...         return 2.0 * x
    ...
    ...     def backward(self, gy):
    ...         return 2.0 * gy
    >>> with observe("time") as times:
    ...     Double()(Variable(np.ones(3))).backward()
    >>> [(row.operation, row.forward.calls, row.backward.calls) for row in times.rows()]
    [('Double', 1, 1)]
    """

    _variable = backprop

    def __init__(self, *observers: str | Observer) -> None:
        super().__init__()
        if not observers:
            known = ", ".join(sorted(registered_observers() | _OWN))
            raise TypeError(f"observe() takes at least one observer. There are {known}.")
        self._observers = tuple(map(_observer, observers))

    def _changed(self, value: Any) -> Watched:
        if type(value) is Watched:
            new = [each for each in self._observers if each not in value.observers]
            return Watched((*value.observers, *new), value.recorded)
        return Watched(self._observers, value)

    def __enter__(self) -> Any:
        """Return the observer, or a tuple of them."""
        with ExitStack() as started:
            for observer in self._observers:
                observer.start()
                started.callback(observer.stop)
            super().__enter__()
            started.pop_all()
        return self._observers[0] if len(self._observers) == 1 else self._observers

    def __exit__(self, *exception: object) -> None:
        inside = self._variable.get()
        super().__exit__(*exception)
        if type(inside) is Watched:  # what was assigned to Config meanwhile outlives the block
            outside = self._variable.get()
            watched = type(outside) is Watched
            self._variable.set(outside.recording(inside.recorded) if watched else inside.recorded)
        with ExitStack() as stopped:
            for observer in self._observers:
                stopped.callback(observer.stop)


class checked(observe):
    """Verify that what is saved for ``backward`` is not written to, for a ``with`` block.

    Of each operation that is applied in it, the arrays that ``backward`` will read are copied, and
    compared when it runs, be it later: also what was written through another NumPy view of the
    same memory is found. Errors in ``backward`` then say where the operation was applied.

    Raises
    ------
    WrittenArrayError (RuntimeError)
        By ``backward()``, which then has changed no gradient.

    Notes
    -----
    It takes the time and the memory of the copies: for tests, and for the search of an error.

    Examples
    --------
    >>> class Square(Function):
    ...     def forward(self, x):
    ...         return x * x
    ...
    ...     def backward(self, gy):
    ...         return 2.0 * gy * self.inputs[0].data
    >>> x = Variable(np.array([1.0, 2.0]))
    >>> with checked():
    ...     y = Square()(x)
    ...     x.data[1] = 5.0
    >>> y.backward()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    dezero_core.errors.WrittenArrayError: the data of input 0 of Square.forward of ...
    """

    def __init__(self) -> None:
        super().__init__(_KeepCopies())


class _KeepCopies(Observer):
    def recorded(self, function: Function) -> None:
        _Guard(function)


class _Guard:
    """Copies of what a Function has saved; stands before its ``backward``.

    It is in the attributes of this one Function, so that nobody else asks for it.
    """

    def __init__(self, function: Function) -> None:
        self.function = weakref.ref(function)
        self.copies = [(what, array, array.copy()) for what, array in _arrays_saved_by(function)]
        vars(function).update(
            _as_recorded=self.as_recorded,
            _as_differentiable=self.as_differentiable,
            _end=self.end,
        )

    def as_recorded(self) -> Function:
        function = self.verified()
        return type(function)._as_recorded(function)

    def as_differentiable(self) -> Function:
        function = self.verified()
        return type(function)._as_differentiable(function)

    def end(self, how: Any) -> None:
        function: Any = self.function()
        for name in ("_as_recorded", "_as_differentiable", "_end"):
            del vars(function)[name]
        function._end(how)

    def verified(self) -> Function:
        function: Any = self.function()
        for what, array, copy in self.copies:
            if array.shape != copy.shape:
                change = f"they were of shape {copy.shape} and are of shape {array.shape}"
            else:
                changed = np.argwhere(_differ(array, copy))
                if not len(changed):
                    continue
                index = tuple(changed[0].tolist())
                change = f"{_at(index)} was {copy[index]} and is {array[index]}"
            where = function._where
            message = (
                f"the data of {what} of {described(function, 'forward')}, applied at {where}, were "
                f"written to before backward: {change}. The gradient may be wrong. Make a new "
                "array, x.data = x.data + 1 in place of x.data += 1, or write after backward()."
            )
            raise WrittenArrayError(message, function=type(function), what=what, where=where)
        return function


def _differ(array: Array, copy: Array) -> Any:
    """Return where two arrays differ. Not a number is not equal to itself; and -0.0 is not 0.0."""
    if array.dtype.kind == "O":  # whose elements may be arrays, of which == is no truth
        pairs = zip(array.flat, copy.flat, strict=True)
        return np.reshape([x is not y for x, y in pairs], array.shape)
    different = (array != copy) & ((array == array) | (copy == copy))
    if array.dtype.kind == "f":
        different |= (array == 0) & (np.signbit(array) != np.signbit(copy))
    return different


def _arrays_saved_by(function: Function) -> list[tuple[str, Any]]:
    """Return what ``backward`` may read, and what messages call it."""
    found: list[tuple[str, Any]] = []
    if function._saves_inputs:
        inputs = function._saved_inputs
        if inputs is None:  # of a product with a constant, the constant alone
            inputs = tuple(x.data if isinstance(x, Saved) else None for x in function.inputs)
        found += [(f"input {index}", x) for index, x in enumerate(inputs)]
    if function._saves_outputs:
        found += [(f"output {index}", y) for index, y in enumerate(function._saved_outputs)]
    attributes = function._own_attributes().items()
    found += arrays_in({k: v for k, v in attributes if k in function._names}, "self")
    return [(what, array) for what, array in found if isinstance(array, np.ndarray)]


class _NotFinite(Observer):
    """Raises at the first value that is not finite."""

    def after(self, call: ObservedCall) -> None:
        for number, y in enumerate(call.outputs):
            position = _not_finite(y)
            if position is None:
                continue
            array = _array(y)
            before = [n for n, x in enumerate(call.inputs) if _not_finite(x) is not None]
            if call.method == "forward":
                what, given = "its result", "input"
            else:
                what, given = f"the gradient of input {number}", "the gradient of output"
            if before:
                cause = f"{given} {before[0]} was not finite already."
            else:
                cause = "What it was given is finite."
            value = array[position]
            raise NotFiniteError(
                f"{described(call.function, call.method)}, applied "
                f"{f'at {call.where}' if call.where else 'before observe()'}: {what} is "
                f"{value} at {_at(position)}. {cause[:1].upper()}{cause[1:]}",
                function=type(call.function),
                method=call.method,
                position=position,
                value=value,
                where=call.where,
            )


def _array(x: Any) -> Any:
    """Return the values as an array; of what is none, as a list by mistake, an empty one."""
    if isinstance(x, Variable):
        return x.data
    return np.asarray(x if isinstance(x, (np.ndarray, np.generic, float, complex)) else ())


def _not_finite(x: Any) -> tuple[int, ...] | None:
    """Return where the first value is that is not finite, None if there is none."""
    array = _array(x)
    if array.dtype.kind not in INEXACT:
        return None
    finite = np.isfinite(array)
    return None if finite.all() else tuple(np.argwhere(~finite)[0].tolist())


def _at(position: Sequence[int]) -> str:
    return f"[{', '.join(map(str, position))}]" if len(position) else "its one element"


class Spent(NamedTuple):
    """How often something ran, and what it took in all.

    Attributes
    ----------
    calls : int
    seconds : float
    """

    calls: int = 0
    seconds: float = 0.0

    def __add__(self, other: Any) -> Spent:
        return Spent(self.calls + other.calls, self.seconds + other.seconds)


class TimeRow(NamedTuple):
    """Time of one operation, or of all of a plugin, whose `operation` is then empty.

    Attributes
    ----------
    plugin, operation : str
    forward, backward : Spent
    seconds : float
        Of both together.
    """

    plugin: str
    operation: str
    forward: Spent
    backward: Spent

    @property
    def seconds(self) -> float:
        """Of both together."""
        return self.forward.seconds + self.backward.seconds


class Times(Observer):
    """Counts the calls of each operation, and the time that they take; print it for a table.

    Times are those of ``forward`` and ``backward`` alone: what the core does for each call is not
    in them.
    """

    def __init__(self) -> None:
        self._spent: dict[tuple[str, str, str], Spent] = {}

    def after(self, call: ObservedCall) -> None:
        """Add a call."""
        key = call.plugin, call.operation, call.method
        self._spent[key] = self._spent.get(key, Spent()) + Spent(1, call.seconds)

    def rows(self) -> list[TimeRow]:
        """Return a row for each operation, the longest first."""
        return self._rows(lambda plugin, operation: (plugin, operation))

    def by_plugin(self) -> list[TimeRow]:
        """Return a row for each plugin, the longest first."""
        return self._rows(lambda plugin, operation: (plugin, ""))

    def _rows(self, key: Callable[[str, str], tuple[str, str]]) -> list[TimeRow]:
        found: dict[tuple[str, str], dict[str, Spent]] = {}
        for (plugin, operation, method), spent in self._spent.items():
            methods = found.setdefault(key(plugin, operation), {})
            methods[method] = methods.get(method, Spent()) + spent
        rows = [
            TimeRow(*key, methods.get("forward", Spent()), methods.get("backward", Spent()))
            for key, methods in found.items()
        ]
        return sorted(rows, key=lambda row: -row.seconds)

    def __str__(self) -> str:
        together = sum(row.seconds for row in self.rows()) or 1.0

        def cells(row: TimeRow) -> list[str]:
            milliseconds = [f"{1e3 * s:.3f}" for s in (row.forward.seconds, row.backward.seconds)]
            return [
                *(row.operation or "together", row.plugin, str(row.forward.calls)),
                *(milliseconds[0], str(row.backward.calls), milliseconds[1]),
                f"{100 * row.seconds / together:.0f} %",
            ]

        titles = ["operation", "plugin", "forward", "ms", "backward", "ms", "of all"]
        return _table(titles, [*map(cells, self.rows())], [*map(cells, self.by_plugin())])

    __repr__ = __str__


class MemoryRow(NamedTuple):
    """Bytes of one operation, or of all of a plugin, whose `operation` is then empty.

    Attributes
    ----------
    plugin, operation : str
    calls : int
        Of ``forward`` and ``backward``.
    results, gradients : int
        Size of what ``forward`` and ``backward`` returned, in all.
    kept : int
        Size of what was saved for ``backward``, each array counted once, while it lives.
    peak : int
        The most that one call had allocated at a time, beyond what there was before it.
    """

    plugin: str
    operation: str
    calls: int = 0
    results: int = 0
    gradients: int = 0
    kept: int = 0
    peak: int = 0

    def __add__(self, other: Any) -> MemoryRow:
        calls, results, gradients, kept = (self[n] + other[n] for n in range(2, 6))
        peak = max(self.peak, other.peak)
        return MemoryRow(self.plugin, self.operation, calls, results, gradients, kept, peak)


class Memory(Observer):
    """Counts the bytes of each operation; print it for a table.

    It starts `tracemalloc`, unless that runs already, and so takes time.
    """

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], MemoryRow] = {}
        self._kept: dict[int, Any] = {}
        #: What was allocated before a call, and the most that was while it ran.
        self._open: WeakKeyDictionary[ObservedCall, tuple[int, int]] = WeakKeyDictionary()
        self._started, self._blocks = False, 0

    def start(self) -> None:
        """Start to trace what is allocated."""
        if not self._blocks:
            self._started = not tracemalloc.is_tracing()
        self._blocks += 1
        if self._started and not tracemalloc.is_tracing():
            tracemalloc.start()

    def stop(self) -> None:
        """Stop to trace what is allocated, if it has started that."""
        self._blocks -= 1
        if self._started and not self._blocks:
            tracemalloc.stop()

    def before(self, call: ObservedCall) -> None:
        """Note what is allocated."""
        current, peak = tracemalloc.get_traced_memory()
        for outer in _around(call):
            if outer in self._open:
                start, highest = self._open[outer]
                self._open[outer] = start, max(highest, peak)
        tracemalloc.reset_peak()
        self._open[call] = current, current

    def after(self, call: ObservedCall) -> None:
        """Add a call."""
        start, highest = self._open.pop(call)
        peak = max(highest, tracemalloc.get_traced_memory()[1]) - start
        size = sum(_array(y).nbytes for y in call.outputs)
        results, gradients = (size, 0) if call.method == "forward" else (0, size)
        self._add(MemoryRow(call.plugin, call.operation, 1, results, gradients, peak=peak))

    def recorded(self, function: Function) -> None:
        """Count what a Function keeps and no other one before it does."""
        call = ObservedCall(function, "forward", ())
        kept = 0
        for _, array in _arrays_saved_by(function):
            owner = array
            while isinstance(owner.base, np.ndarray):
                owner = owner.base
            known = self._kept.get(id(owner))
            if known is None or known() is not owner:
                self._kept[id(owner)] = weakref.ref(owner)
                kept += owner.nbytes
        self._add(MemoryRow(call.plugin, call.operation, kept=kept))

    def _add(self, row: MemoryRow) -> None:
        key = row.plugin, row.operation
        self._rows[key] = self._rows.get(key, MemoryRow(*key)) + row

    def rows(self) -> list[MemoryRow]:
        """Return a row for each operation, what keeps most first."""
        return sorted(self._rows.values(), key=lambda row: (-row.kept, -row.peak))

    def by_plugin(self) -> list[MemoryRow]:
        """Return a row for each plugin, what keeps most first."""
        found: dict[str, MemoryRow] = {}
        for row in self.rows():
            found[row.plugin] = found.get(row.plugin, MemoryRow(row.plugin, "")) + row
        return list(found.values())

    def __str__(self) -> str:
        def cells(row: MemoryRow) -> list[str]:
            sizes = [f"{size / 1024:,.1f}" for size in row[3:]]
            return [row.operation or "together", row.plugin, str(row.calls), *sizes]

        titles = ["KiB of", "plugin", "calls", "results", "gradients", "kept", "peak"]
        return _table(titles, [*map(cells, self.rows())], [*map(cells, self.by_plugin())])

    __repr__ = __str__


def _around(call: ObservedCall) -> Iterator[ObservedCall]:
    """Yield the calls inside of which this one is."""
    outer = call.parent
    while outer is not None:
        yield outer
        outer = outer.parent


def _table(titles: list[str], rows: list[list[str]], sums: list[list[str]]) -> str:
    """Return text in columns, names to the left and numbers to the right."""
    columns = zip(titles, *rows, *sums, strict=True)
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for part in ([titles, *rows], sums):
        for row in part:
            cells = zip(row, widths, strict=True)
            aligned = [f"{c:{'<' if n < 2 else '>'}{w}}" for n, (c, w) in enumerate(cells)]
            lines.append("  ".join(aligned).rstrip())
        lines.append("")
    return "\n".join(lines).rstrip()


class Trace(Observer):
    """Prints a line for each call that has run; those inside of another are indented.

    Parameters
    ----------
    file : text file, optional
        Where to; by default what ``sys.stdout`` is then.
    """

    def __init__(self, file: TextIO | None = None) -> None:
        self._file = file

    def after(self, call: ObservedCall) -> None:
        """Print a call."""
        depth = len(list(_around(call)))
        inputs, outputs = (", ".join(map(written, xs)) for xs in (call.inputs, call.outputs))
        print(
            f"{'  ' * depth}{call.operation}.{call.method} of {call.plugin}: {inputs} -> {outputs}"
            f"  {1e6 * call.seconds:.0f} µs  {call.where or ''}".rstrip(),
            file=self._file or sys.stdout,
        )


_OWN: dict[str, Callable[[], Observer]] = dict(
    zip(OBSERVERS, (Memory, _NotFinite, Times, Trace), strict=True)
)


def _observer(given: Any) -> Observer:
    """Return the observer that is given, or a new one of that name."""
    if isinstance(given, Observer):
        return given
    if not isinstance(given, str):
        raise TypeError(f"observe() takes names and observers, got {given!r}.")
    known = registered_observers() | _OWN
    if given not in known:
        guess = did_you_mean(given, known)
        raise UnknownObserverError(
            f"there is no observer {given!r}. There are {', '.join(sorted(known))}. "
            f"{guess[:1].upper()}{guess[1:]}".rstrip(),
            observer=given,
            known=tuple(sorted(known)),
        )
    made = known[given]()
    if not isinstance(made, Observer):
        raise TypeError(f"the observer {given!r} must be an Observer, got {made!r}.")
    return made
