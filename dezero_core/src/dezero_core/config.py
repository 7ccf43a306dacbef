"""Switches that hold for one thread and one asyncio task: ``with no_grad():``.

They live in ``contextvars``: another thread or task never sees them, an exception
restores them, and blocks nest. A block that a *generator* leaves by ``yield`` still
holds in whoever called ``next()``; decorate the generator function instead, and the
switch holds only while its own body runs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from contextvars import ContextVar, Token
from copy import copy
from typing import Any, Self, TypeVar

from .errors import user_line

F = TypeVar("F", bound=Callable[..., Any])


class Disabled:
    """Falsy stand-in for ``False`` that remembers the line which switched backprop off.

    A result made meanwhile carries it instead of an edge, which costs nothing on the
    way forward and lets ``backward()`` say where its graph went.
    """

    __slots__ = ("where",)
    creator = None

    def __init__(self, where: str | None) -> None:
        self.where = where

    def __bool__(self) -> bool:
        return False


class Watched:
    """In place of True or a `Disabled` while observers are active: so nothing else asks for them.

    Attributes
    ----------
    observers : tuple
    recorded : bool or Disabled
        What it is in place of.
    """

    __slots__ = ("observers", "recorded")

    def __init__(self, observers: tuple[Any, ...], recorded: bool | Disabled) -> None:
        self.observers, self.recorded = observers, recorded

    def __bool__(self) -> bool:
        return bool(self.recorded)

    def recording(self, recorded: bool | Disabled) -> Watched:
        """Return the same observers, with this in place of `recorded`."""
        return Watched(self.observers, recorded)


backprop: ContextVar[Any] = ContextVar("dezero_enable_backprop", default=True)
#: Whether a function is running that `dezero_core.functional` differentiates.
inside: ContextVar[bool] = ContextVar("dezero_inside_a_function", default=False)
_settings: dict[str, ContextVar[Any]] = {"enable_backprop": backprop}


def _setting(name: str) -> ContextVar[Any]:
    try:
        return _settings[name]
    except KeyError:
        known = ", ".join(sorted(_settings))
        raise AttributeError(f"Config has no setting {name!r}. Known settings: {known}.") from None


def _value(value: bool) -> bool | Disabled:
    return True if value else Disabled(user_line())


class _ConfigType(type):
    def __getattr__(cls, name: str) -> bool:
        return bool(_setting(name).get())

    def __setattr__(cls, name: str, value: bool) -> None:
        using_config(name, value).__enter__()  # and never left

    def __dir__(cls) -> list[str]:
        return [*super().__dir__(), *_settings]


class Config(metaclass=_ConfigType):
    """The settings of this thread and task, read and written as attributes.

    ``Config.enable_backprop`` (default True): whether calls of a Function are recorded.

    Raises
    ------
    AttributeError
        For a name that is no setting; the message lists the known ones.
    """


class Block:
    """Holds for a ``with`` block, or for each call of a decorated function.

    Raises
    ------
    TypeError
        If an async generator function is decorated: nothing could switch the setting
        off again between its steps.
    """

    #: What is set, for this thread and task.
    _variable: ContextVar[Any]

    def __init__(self) -> None:
        self._tokens: list[Token[Any]] = []

    def _changed(self, value: Any) -> Any:
        """Return what the variable holds in the block, given what it held outside."""

    def __enter__(self) -> Any:
        self._tokens.append(self._variable.set(self._changed(self._variable.get())))

    def __exit__(self, *exception: object) -> None:
        # The last one of this thread and task: others may be inside the same block.
        for token in reversed(self._tokens):
            try:
                self._variable.reset(token)
            except ValueError:
                continue
            self._tokens.remove(token)
            return

    def _again(self) -> Self:
        """Return a block of its own for one call, so that calls may overlap."""
        block = copy(self)
        block._tokens = []
        return block

    def __call__(self, function: F) -> F:
        if inspect.isasyncgenfunction(function):
            raise TypeError(
                f"{function.__qualname__} is an async generator: a setting cannot follow "
                "it from step to step. Use a with block inside it."
            )
        wrapper: Any
        if inspect.iscoroutinefunction(function):

            async def wrapper(*args: Any, **kwargs: Any) -> Any:
                with self._again():
                    return await function(*args, **kwargs)

        elif inspect.isgeneratorfunction(function):

            def wrapper(*args: Any, **kwargs: Any) -> Any:
                return self._step_by_step(function(*args, **kwargs))

        else:

            def wrapper(*args: Any, **kwargs: Any) -> Any:
                with self._again():
                    return function(*args, **kwargs)

        functools.update_wrapper(wrapper, function)
        return wrapper

    def _step_by_step(self, body: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        resume: Callable[[Any], Any] = body.send
        sent: Any = None
        while True:
            try:
                with self._again():
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

    def __init__(self, name: str, value: bool) -> None:
        super().__init__()
        self._variable = _setting(name)
        self._set_to = _value(value)

    def _changed(self, value: Any) -> Any:
        return value.recording(self._set_to) if type(value) is Watched else self._set_to


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
