"""Switches that hold for one thread and one asyncio task: ``with no_grad():``.

They live in ``contextvars``: another thread or task never sees them, an exception
restores them, and blocks nest. A block that a *generator* leaves by ``yield`` still
holds in whoever called ``next()``. If it ends inside of a block that began later, that warns. If
another thread or task closes the generator, the block goes on in the one that it began in. So
decorate the generator function instead: then the switch holds only while its own code runs.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Generator
from contextvars import ContextVar
from typing import Any, TypeVar

from .errors import user_line

F = TypeVar("F", bound=Callable[..., Any])


class Mode:
    """How calls of Functions are treated, here and now.

    Each call reads the current Mode once, from `mode`. Nearly always that is `RECORDING`, so a call
    only asks ``mode is RECORDING``; blocks such as ``no_grad()`` put another one there. A result
    that was not recorded keeps the Mode as its edge: this costs nothing on the way forward, and
    ``backward()`` can name the line that switched recording off.

    Attributes
    ----------
    records : bool
        Whether results get a graph.
    where : str or None
        The line of the user that switched recording off.
    observers : tuple
        Observers that are shown every call.
    differentiated : bool
        Whether a function runs that is differentiated as a whole: then a gradient that is computed
        in it belongs to its graph, as under ``create_graph``.
    """

    __slots__ = ("differentiated", "observers", "records", "where")

    #: As an edge it leads to no Function.
    creator = None

    def __init__(
        self,
        records: bool = True,
        where: str | None = None,
        observers: tuple[Any, ...] = (),
        differentiated: bool = False,
    ) -> None:
        self.records, self.where = records, where
        self.observers, self.differentiated = observers, differentiated

    def changed(self, **fields: Any) -> Mode:
        """Return a Mode with other values for some attributes: `RECORDING` if it equals that."""
        new = Mode(**{name: fields.get(name, getattr(self, name)) for name in Mode.__slots__})
        usual = new.records and not new.observers and not new.differentiated
        return RECORDING if usual else new

    def recording(self) -> Mode:
        """Return a Mode that records, for the same observers."""
        return self if self.records else self.changed(records=True, where=None)


RECORDING = Mode()
"""The Mode outside of all blocks."""

CONSTANT = Mode(records=False)
"""The edge of a Variable that gets no gradient although its data are inexact: the engine's own."""

mode: ContextVar[Mode] = ContextVar("dezero_mode", default=RECORDING)

_SETTINGS = ("enable_backprop",)


def _require_setting(name: str) -> None:
    if name not in _SETTINGS:
        raise AttributeError(
            f"Config has no setting {name!r}. Known settings: {', '.join(_SETTINGS)}."
        )


class _ConfigType(type):
    def __getattr__(cls, name: str) -> bool:
        _require_setting(name)
        return mode.get().records

    def __setattr__(cls, name: str, value: bool) -> None:
        using_config(name, value)._assign()

    def __dir__(cls) -> list[str]:
        return [*super().__dir__(), *_SETTINGS]


class Config(metaclass=_ConfigType):
    """The settings of this thread and task, read and written as attributes.

    ``Config.enable_backprop`` (default True): whether calls of a Function are recorded.

    Raises
    ------
    AttributeError
        For a name that is no setting; the message lists the known ones.
    """


class _Entered:
    """A block that this thread and task is inside of."""

    __slots__ = ("block", "line", "outer", "previous", "value")

    def __init__(self, block: Block, outer: Any, value: Any, previous: _Entered | None) -> None:
        self.block, self.outer, self.value, self.previous = block, outer, value, previous
        self.line = user_line()


_innermost: ContextVar[_Entered | None] = ContextVar("dezero_innermost_block", default=None)


class Block:
    """Holds for a ``with`` block, or for each call of a decorated function.

    Raises
    ------
    TypeError
        If an async generator function is decorated: nothing could switch the setting
        off again between its steps.

    Warns
    -----
    RuntimeWarning
        If a block ends inside of another one that began later.
    """

    #: What is set, for this thread and task.
    _variable: ContextVar[Any]

    def _changed(self, value: Any) -> Any:
        """Return what the variable holds in the block, given what it held outside."""

    def _left(self, outer: Any, entered: Any, now: Any) -> Any:
        """Return its value after the block, given those outside, at the entry and now."""
        return outer

    def __enter__(self) -> Any:
        outer = self._variable.get()
        value = self._changed(outer)
        before = _innermost.get()
        entered = _Entered(self, outer, value, before)
        try:
            _innermost.set(entered)
            self._variable.set(value)
        except BaseException:  # an interrupt: nobody will leave what was not entered
            _innermost.set(before)
            self._variable.set(outer)
            raise

    def __exit__(self, *exception: object) -> None:
        try:
            self._leave()
        except KeyboardInterrupt:
            self._leave()  # which does nothing, if it was done
            raise

    def _leave(self) -> None:
        entered, inner, later = _innermost.get(), None, None
        while entered is not None and entered.block is not self:
            if entered.block._variable is self._variable:
                later = entered
            inner, entered = entered, entered.previous
        if entered is None:  # it was entered in another thread or task
            return
        if later is None:
            now = self._variable.get()
            self._variable.set(self._left(entered.outer, entered.value, now))
        else:
            later.outer = entered.outer
        if inner is None:
            _innermost.set(entered.previous)
        else:
            inner.previous = entered.previous
        if later is None:
            return
        file, _, line = user_line().rpartition(":")
        message = (
            f"the block that began at {entered.line} ends inside of one that began later, at "
            f"{later.line}. A block of a generator that has a yield in it can do this. When the "
            "later block ends, everything is as it was before both. Decorate the generator "
            "function instead: then the setting holds only while its own code runs."
        )
        warnings.warn_explicit(message, RuntimeWarning, file, int(line))

    def __call__(self, function: F) -> F:
        if inspect.isasyncgenfunction(function):
            raise TypeError(
                f"{function.__qualname__} is an async generator: a setting cannot follow "
                "it from step to step. Use a with block inside it."
            )
        wrapper: Any
        if inspect.iscoroutinefunction(function):

            async def wrapper(*args: Any, **kwargs: Any) -> Any:
                with self:
                    return await function(*args, **kwargs)

        elif inspect.isgeneratorfunction(function):

            def wrapper(*args: Any, **kwargs: Any) -> Any:
                return self._step_by_step(function(*args, **kwargs))

        else:

            def wrapper(*args: Any, **kwargs: Any) -> Any:
                with self:
                    return function(*args, **kwargs)

        functools.update_wrapper(wrapper, function)
        return wrapper

    def _step_by_step(self, body: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        resume: Callable[[Any], Any] = body.send
        sent: Any = None
        while True:
            try:
                with self:
                    item = resume(sent)
            except StopIteration as stop:
                return stop.value
            try:
                resume, sent = body.send, (yield item)
            except BaseException as error:
                resume, sent = body.throw, error


class using_config(Block):
    """Set one switch for a ``with`` block, or for each call of a decorated function.

    Parameters
    ----------
    name : str
        A setting of `Config`.
    value : bool

    Raises
    ------
    AttributeError
        If `name` is no setting; the message lists the known ones.
    TypeError
        If an async generator function is decorated: nothing could switch the setting
        off again between its steps.

    Examples
    --------
    >>> with using_config("enable_backprop", False):
    ...     print(Config.enable_backprop)
    False
    >>> Config.enable_backprop
    True
    """

    _variable = mode

    def __init__(self, name: str, value: bool) -> None:
        _require_setting(name)
        self._records = bool(value)
        self._where = None if value else user_line()

    def _changed(self, value: Mode) -> Mode:
        return value.changed(records=self._records, where=self._where)

    def _assign(self) -> None:
        """Set it for good, or to the end of the block that this thread and task is in."""
        self._variable.set(self._changed(self._variable.get()))


def no_grad(*misplaced: Any) -> using_config:
    """Record nothing: ``with no_grad():`` or ``@no_grad()``, for inference and updates.

    Returns
    -------
    using_config
        Of ``enable_backprop``, False.

    Raises
    ------
    TypeError
        If it is given anything, as by ``@no_grad`` without the parentheses.

    Examples
    --------
    >>> with no_grad():
    ...     Config.enable_backprop
    False
    """
    if misplaced:
        raise TypeError("no_grad() takes no arguments. As a decorator, write @no_grad().")
    return using_config("enable_backprop", False)
