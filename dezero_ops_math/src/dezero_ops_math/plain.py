"""Functions of NumPy that have no derivative: they get the values and give plain results."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from dezero_core import Variable
from dezero_core.extend import call_by_type, explain_call

from .docstrings import Field, sharing

F = TypeVar("F", bound=Callable[..., Any])

Booleans = Any
Integers = Any
Positions = Any

_documented = sharing(
    """
    Booleans (bool, or ndarray of bool):
    Integers (int, or ndarray of int):
    Positions (ndarray of int):
    Without a derivative: nothing is recorded.
    """,
    error=Field("Raises TypeError", "", "if NumPy has no such function of that dtype."),
)


def plain(function: F) -> F:
    """Let a function of arrays take Variables, and complete its docstring."""
    name = function.__name__

    @functools.wraps(_documented(function))
    def of_values(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = values_of(args), values_of(kwargs)
        try:
            return call_by_type(function, args, kwargs)
        except Exception as error:
            explain_call(error, name, of_values, (*args, *kwargs.values()))
            raise

    return of_values  # type: ignore[return-value]


def values_of(x: Any) -> Any:
    """Return `x` with the data of every Variable in its place, also in lists and tuples."""
    if isinstance(x, Variable):
        return x.data
    if type(x) in (list, tuple):
        return type(x)(map(values_of, x))
    if type(x) is dict:
        return {key: values_of(value) for key, value in x.items()}
    return x
