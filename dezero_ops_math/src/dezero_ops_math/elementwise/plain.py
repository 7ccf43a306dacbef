"""Functions of NumPy that have no derivative: they get the values and give plain results."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

from dezero_core import Variable
from dezero_core.extend import explain_call

F = TypeVar("F", bound=Callable[..., Any])

X = "x : Variable, ndarray or number\n    Any shape."
A = X.replace("x", "a", 1)
PAIR = "{}, {} : Variable, ndarray or number\n    Of shapes that broadcast."
OUT = "out : None\n    Refused."
BOOLEANS = "ndarray of bool"
ONE_BOOLEAN = "bool"
NO_NUMBER = "TypeError\n    If NumPy has no such function of that dtype."
NO_BROADCAST = "ValueError\n    If the shapes do not broadcast."


def plain(*parameters: str, returns: str, raises: str = NO_NUMBER) -> Callable[[F], F]:
    """Let a function of arrays take Variables, and complete its docstring.

    That has the summary, and an example that says the result.
    """

    def complete(function: F) -> F:
        name = function.__name__

        @functools.wraps(function)
        def of_values(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = values_of(args), values_of(kwargs)
            try:
                return function(*args, **kwargs)
            except Exception as error:
                explain_call(error, name, of_values, (*args, *kwargs.values()))
                raise

        if function.__doc__ is None:  # python -OO
            return of_values  # type: ignore[return-value]
        summary, example = textwrap.dedent(function.__doc__).strip().split("\n\n", 1)
        sections = {
            "Parameters": "\n".join(parameters),
            "Returns": f"{returns}\n    Without a derivative: nothing is recorded.",
            "Raises": raises,
            "Notes": f"Source: ``numpy.{name}``.",
            "Examples": textwrap.dedent(example),
        }
        texts = (f"{head}\n{'-' * len(head)}\n{text}\n" for head, text in sections.items())
        of_values.__doc__ = "\n".join((summary + "\n", *texts))
        return of_values  # type: ignore[return-value]

    return complete


def values_of(x: Any) -> Any:
    """Return `x` with the data of every Variable in its place, also in lists and tuples."""
    if isinstance(x, Variable):
        return x.data
    if type(x) in (list, tuple):
        return type(x)(map(values_of, x))
    if type(x) is dict:
        return {key: values_of(value) for key, value in x.items()}
    return x
