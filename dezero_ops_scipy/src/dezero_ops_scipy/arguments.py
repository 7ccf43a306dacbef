"""Checks of arguments that several families share."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from dezero_core import DezeroError, Variable, VariableTypeError
from dezero_core.extend import Array, shown


class DerivativeOrderError(DezeroError, NotImplementedError):
    """There is a derivative by a shape, and none of that one. Facts: ``distribution``, ``by``."""


def refuse_second_derivative(distribution: str, by: str) -> NoReturn:
    """Raise for the derivative of one of the distribution function that is a quadrature.

    Raises
    ------
    DerivativeOrderError (NotImplementedError)
    """
    raise DerivativeOrderError(
        f"scipy.{distribution} has a first derivative of its cdf, sf, logcdf, logsf and ppf by "
        f"{by}, which is a quadrature without a derivative. Differentiate by {by} once, and by "
        f"others before that; or give {by}.data, a constant.",
        distribution=f"scipy.{distribution}",
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
        how = "Of complex ones there is no derivative" if dtype.kind == "c" else "Give it numbers"
        raise VariableTypeError(
            f"scipy.{name} of a Variable takes real numbers, got {dtype}: {shown(repr(x), 80)}. "
            f"{how}.",
            got=dtype,
        )


def pair_of(name: str, pair: Any) -> tuple[Any, Any]:
    """Return the two parts of a factor that another function has returned.

    Raises
    ------
    ValueError
        If it is something else, such as one array, which might have two rows.
    """
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        factor = name.replace("_solve", "_factor")
        raise ValueError(
            f"scipy.{name} takes the pair that scipy.{factor} returns, got {shown(repr(pair), 80)}."
        )
    return pair[0], pair[1]


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


def doubles(*xs: Array) -> Any:
    """Return arrays of float64."""
    return [np.asarray(x, dtype=float) for x in xs]


def wide(*xs: Array) -> Any:
    """Return arrays of float64, of the same shape."""
    return np.broadcast_arrays(*doubles(*xs))
