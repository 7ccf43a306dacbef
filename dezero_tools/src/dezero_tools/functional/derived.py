"""Functions made of functions, which can be pickled."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any, TypeVar

from dezero_core import Variable

F = TypeVar("F", bound=Callable[..., Any])


class Derived:
    """A function made from another function, with its name and docstring.

    It is pickled as the call ``grad(f)``, of `make` with `args`: its own name is that of `f`.
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
    """Return a decorator that turns a function into a `Derived`."""
    return lambda call: Derived(call, make, *args)


def takes_function(make: F) -> F:
    """Refuse autograd's ``argnum``, as Python does from 3.13 on, and anything but a function."""

    @functools.wraps(make)
    def made(*args: Any, **kwargs: Any) -> Any:
        if "argnum" in kwargs:
            raise TypeError(
                f"{make.__name__}() got an unexpected keyword argument 'argnum'. Did you mean "
                "'argnums'?"
            )
        if args and not callable(args[0]):
            advice = " For the gradient of a Variable that is already computed, call "
            advice = f"{advice}dezero_core.grad(y, x)." if isinstance(args[0], Variable) else ""
            raise TypeError(f"{make.__name__}() takes a function, got {type(args[0])}.{advice}")
        return make(*args, **kwargs)

    return made  # type: ignore[return-value]
