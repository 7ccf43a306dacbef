"""Comparisons: they have no derivative and give plain boolean arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from dezero_core import Registrar, Variable
from dezero_core.extend import Operand, call_by_type, explain_call

Comparison = Callable[[Operand, Operand], np.ndarray[Any, Any]]


def _comparison(name: str, compare: Callable[[Any, Any], Any], symbol: str) -> Comparison:
    def function(x0: Operand, x1: Operand) -> np.ndarray[Any, Any]:
        x0 = x0.data if isinstance(x0, Variable) else x0
        x1 = x1.data if isinstance(x1, Variable) else x1
        try:
            found = call_by_type(compare, (x0, x1), {})
        except Exception as error:
            explain_call(error, name, function, (x0, x1))
            raise
        if isinstance(found, np.generic):
            scalar: Any = found
            return scalar[...]
        return found if hasattr(found, "__array_function__") else np.asarray(found)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Compare elementwise: ``x0 {symbol} x1``, ``np.{name}``.

    Parameters
    ----------
    x0, x1 : Variable, ndarray or number
        Of shapes that broadcast.

    Returns
    -------
    ndarray of bool
        Without a derivative: nothing is recorded.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: ``numpy.{name}``.

    Examples
    --------
    >>> {name}(Variable(np.array([1.0, 2.0])), 2.0)
    {compare(np.array([1.0, 2.0]), 2.0)!r}
    """
    return function


less = _comparison("less", operator.lt, "<")
less_equal = _comparison("less_equal", operator.le, "<=")
greater = _comparison("greater", operator.gt, ">")
greater_equal = _comparison("greater_equal", operator.ge, ">=")
# Elementwise like the rest, though a Variable hashes by identity: comparing identities
# would make `x == 0.0` a silent False while `np.zeros(3) == x` compares elements.
equal = _comparison("equal", operator.eq, "==")
not_equal = _comparison("not_equal", operator.ne, "!=")


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def sample(kit: Any) -> Any:
        return kit.elementwise((-3.0, 3.0), (-3.0, 3.0), complex=True)

    for function, dunder, ufunc in (
        (less, "__lt__", np.less),
        (less_equal, "__le__", np.less_equal),
        (greater, "__gt__", np.greater),
        (greater_equal, "__ge__", np.greater_equal),
        (equal, "__eq__", np.equal),
        (not_equal, "__ne__", np.not_equal),
    ):
        name = function.__name__
        register(name, function, differentiable=False, dunders=dunder, numpy=ufunc, sample=sample)
