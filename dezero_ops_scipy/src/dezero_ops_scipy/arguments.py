"""Checks of arguments that several families share."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from dezero_core import DezeroError, Variable, VariableTypeError
from dezero_core.extend import Array, shown


class DerivativeOrderError(DezeroError, NotImplementedError):
    """There is a derivative by an operand, and none of that one. Facts: ``function``, ``by``."""


def refuse_second_derivative(function: str, by: str) -> NoReturn:
    """Raise for the derivative of one that is an integral without a closed form.

    Raises
    ------
    DerivativeOrderError (NotImplementedError)
    """
    raise DerivativeOrderError(
        f"scipy.{function} has a first derivative by {by}, and no second one: it is a quadrature. "
        f"Give it {by}.data, a constant, or differentiate by {by} once.",
        function=f"scipy.{function}",
        by=by,
    )


def require_real(name: str, *xs: Any) -> None:
    """Raise for complex numbers, of which SciPy has values but no derivatives, and for no numbers.

    Raises
    ------
    VariableTypeError (TypeError)
        If one of `xs` is neither real nor of integers.
    """
    for x in xs:
        dtype = x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype
        if dtype.kind in "biuf":
            continue
        message = f"scipy.{name} of a Variable takes real numbers, got {dtype}"
        if dtype.kind == "c":
            message += ": its derivatives are not there for complex ones. For the values alone, "
            raise VariableTypeError(message + "give it x.data.", got=dtype)
        raise VariableTypeError(f"{message}: {shown(repr(x), 80)}.", got=dtype)


def refuse_derivative(name: str, **constants: Any) -> None:
    """Raise for a Variable where there is no derivative: an order, a count, a sign.

    Raises
    ------
    VariableTypeError (TypeError)
        If one of `constants` is a Variable.
    """
    for parameter, x in constants.items():
        if isinstance(x, Variable):
            raise VariableTypeError(
                f"scipy.{name} has no derivative by {parameter}: give it {parameter}.data, a "
                "constant.",
                got=type(x),
            )


def floating(*xs: Array) -> np.dtype[Any]:
    """Return the dtype in which SciPy computes: float32 or float64, and that for numbers alone."""
    arrays = any(hasattr(x, "dtype") for x in xs)
    return np.result_type(*xs, np.float32 if arrays else np.float64)
