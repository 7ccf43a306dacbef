"""Functions made of functions, which can be pickled."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any


class Derived:
    """A function made of another one, which it looks like; it is pickled as the way to make it.

    A plain function would be pickled by its name, and that is the name of the other one.

    Parameters
    ----------
    make : callable
        The function that has made it, such as `grad`.
    *args
        The arguments of that: the other function first.
    """

    def __init__(self, call: Callable[..., Any], make: Callable[..., Any], *args: Any) -> None:
        functools.update_wrapper(self, args[0])
        self._call, self._made_by = call, (make, args)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._made_by

    def __repr__(self) -> str:
        make, (function, *_) = self._made_by
        return f"<{make.__name__} of {function!r}>"


def derived(make: Callable[..., Any], *args: Any) -> Callable[[Callable[..., Any]], Derived]:
    """Return a decorator that makes a `Derived` of a function."""
    return lambda call: Derived(call, make, *args)
