"""Blocks that set something for one thread and one asyncio task: ``with no_grad():``.

The setting is in a ``contextvars`` variable: another thread or task never sees it, an exception
restores it, and blocks nest.

A block that a *generator* leaves by ``yield`` still holds in the caller of ``next()``, and ends
there. If another thread or task closes the generator, it goes on in the one that it began in.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class _Entered:
    """A block that this thread and task is inside of."""

    __slots__ = ("block", "outer", "previous", "value")

    def __init__(self, block: Block, outer: Any, value: Any, previous: _Entered | None) -> None:
        self.block, self.outer, self.value, self.previous = block, outer, value, previous


_innermost: ContextVar[_Entered | None] = ContextVar("dezero_innermost_block", default=None)


class Block:
    """Holds for a ``with`` block, or for each call of a decorated function.

    Raises
    ------
    TypeError
        If a generator function is decorated: the setting would hold in its caller, too.
    """

    #: The variable that is set, for this thread and task.
    _variable: ContextVar[Any]

    def _changed(self, value: Any) -> Any:
        """Return the value in the block, given the value outside."""

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

    def __call__(self, function: F) -> F:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                f"{function.__qualname__} is a generator: a setting cannot follow it from step to "
                "step. Write a with block inside it, without a yield in that."
            )
        wrapper: Any
        if inspect.iscoroutinefunction(function):

            async def wrapper(*args: Any, **kwargs: Any) -> Any:
                with self:
                    return await function(*args, **kwargs)

        else:

            def wrapper(*args: Any, **kwargs: Any) -> Any:
                with self:
                    return function(*args, **kwargs)

        functools.update_wrapper(wrapper, function)
        return wrapper
