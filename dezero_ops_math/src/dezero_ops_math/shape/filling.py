"""Arrays in the shape of a Variable, filled with a constant."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Registrar, Sample, Variable, VariableTypeError
from dezero_core.extend import Array, Operand

from ..docstrings import sharing
from .creation import values

documented = sharing(
    """
    dtype (data-type, optional): as in NumPy.
    order ({"K", "A", "C", "F"}): as in NumPy.
    subok: as in NumPy.
    shape (int or sequence of int, optional): as in NumPy.
    device ({"cpu"}, optional): as in NumPy.
    Raises TypeError: if NumPy has no such dtype.
    """
)


@documented
def full_like(
    a: Operand,
    fill_value: Any,
    dtype: Any = None,
    order: Any = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Array:
    """An array in the shape and dtype of `a`, filled: ``np.full_like``.

    fill_value (number or array_like): broadcast to the shape.
    Returns (ndarray): it does not depend on the values of `a`.
    Raises VariableTypeError (TypeError): if `fill_value` is a Variable.

    >>> full_like(Variable(np.array([1.0, 2.0])), 7.0)
    array([7., 7.])
    """
    if isinstance(fill_value, Variable):
        raise VariableTypeError(
            "np.full_like gives an ndarray, and a Variable for 'fill_value' would get no "
            "gradient. Write np.broadcast_to(fill_value, a.shape), or give fill_value.data.",
            got=type(fill_value),
        )
    return np.full_like(values(a), fill_value, dtype, order, subok, shape, device=device)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file, which has no derivative."""
    a, point, empty = Draw((2, 3)), Draw(), Draw((0, 2))
    calls: tuple[Call, ...] = Call(a, 2.0), Call(a, 2, int), Call(a, [1.0, 2.0, 3.0], order="F")
    calls += Call(a, fill_value=5, shape=(3, 1)), Call(a, True, device="cpu")
    calls += Call(point, 1j, "c8"), Call(empty, np.nan)
    register("full_like", full_like, differentiable=False, numpy=np.full_like, sample=Sample(calls))
