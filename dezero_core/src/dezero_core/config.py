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
from typing import Any, TypeVar

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


backprop: ContextVar[bool | Disabled] = ContextVar("dezero_enable_backprop", default=True)
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
        _setting(name).set(_value(value))

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


class using_config:
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
        self._variable = _setting(name)
        self._set_to = _value(value)
        self._tokens: list[Token[Any]] = []

    def __enter__(self) -> None:
        self._tokens.append(self._variable.set(self._set_to))

    def __exit__(self, *exception: object) -> None:
        # The last one of this thread and task: others may be inside the same block.
        for token in reversed(self._tokens):
            try:
                self._variable.reset(token)
            except ValueError:
                continue
            self._tokens.remove(token)
            return

    def _again(self) -> using_config:
        """Return a block of its own for one call, so that calls may overlap."""
        block = object.__new__(using_config)
        block._variable, block._set_to, block._tokens = self._variable, self._set_to, []
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
