"""The blocks that use observers: ``with observe("nan"):`` and ``with checked():``."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

from dezero_core.extend import Block, Mode, mode, parts_of, plugin_in_use
from dezero_tools.guessing import did_you_mean

from ..errors import UnknownObserverError
from .calls import Observer, Observers
from .saved_arrays import KeepCopies


class observe(Block):
    """Let observers see every ``forward`` and ``backward`` of a ``with`` block.

    ``with observe("time") as times:`` gives the observer, or a tuple if there are several. One that
    counts prints as a table. The block observes its own thread and asyncio task only.

    Parameters
    ----------
    *observers : str or Observer
        A name or an observer. ``"nan"`` raises at the first value that is not finite. ``"time"``
        and ``"memory"`` count for each operation and plugin. ``"trace"`` prints each call. Plugins
        add other names.

    Raises
    ------
    UnknownObserverError (LookupError)
        If no plugin has an observer of that name.
    TypeError
        If an argument is neither a name nor an observer, or there is no argument.
    VariableTypeError (TypeError)
        Within the block, by ``"nan"``, if an operation returns a lazy array: it has no values yet.

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

    _variable = mode

    def __init__(self, *observers: str | Observer) -> None:
        if not observers:
            known = _observer_names(parts_of("observer"))
            raise TypeError(f"observe() takes at least one observer. The observers are {known}.")
        self._observers = tuple(map(_observer, observers))

    def _changed(self, value: Mode) -> Mode:
        outer = value.observer.observers if isinstance(value.observer, Observers) else ()
        new = [each for each in self._observers if each not in outer]
        return value.changed(observer=Observers((*outer, *new)))

    def _left(self, outer: Mode, entered: Mode, now: Mode) -> Mode:
        if (now.records, now.where) == (entered.records, entered.where):
            return outer
        # A value that was assigned to Config in the block stays after the block.
        return outer.changed(records=now.records, where=now.where)

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
        super().__exit__(*exception)
        with ExitStack() as stopped:
            for observer in self._observers:
                stopped.callback(observer.stop)


class checked(observe):
    """Verify in a ``with`` block that nobody writes to the arrays that ``backward`` reads.

    Each operation that is applied in the block copies the arrays that its ``backward`` will read,
    and compares them when that runs, inside the block or later. So a change through another NumPy
    view of the same memory is found as well. Errors say where the operation was applied. The copies
    take time and memory: use the block in tests, and to search for an error.

    Raises
    ------
    WrittenArrayError (RuntimeError)
        By ``backward()``, if an array was changed. No gradient is then set.

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
    dezero_tools.errors.WrittenArrayError: the data of input 0 of Square.forward of ...
    """

    def __init__(self) -> None:
        super().__init__(KeepCopies())


def _observer(given: Any) -> Observer:
    """Return `given` if it is an observer, or a new observer of that name."""
    if isinstance(given, Observer):
        return given
    if not isinstance(given, str):
        raise TypeError(f"observe() takes names and observers, got {given!r}.")
    known = parts_of("observer")
    if given not in known:
        raise UnknownObserverError(
            f"there is no observer {given!r}. The observers are {_observer_names(known)}. "
            f"{did_you_mean(given, known)}".rstrip(),
            observer=given,
            known=tuple(sorted(known)),
        )
    slot = known[given]
    maker = slot.value()
    made = maker() if callable(maker) else maker
    if not isinstance(made, Observer):
        plugin = plugin_in_use(slot.name, slot.bindings)
        raise TypeError(
            f"the observer {given!r} must be an Observer, got {made!r}. Plugin {plugin!r} must "
            "register what makes one, such as its class."
        )
    return made


def _observer_names(known: Iterable[str]) -> str:
    return ", ".join(sorted(known)) or "none, since the plugin 'tools' is not loaded"
