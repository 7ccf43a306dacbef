"""Choosing elements by a condition."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable

Array = Any
Operand = Any


class Where(Function):
    """The gradient goes to the operand that was chosen."""

    saves = ()

    def __init__(self, condition: Array) -> None:
        self.condition = condition

    def forward(self, x: Array, y: Array) -> Array:
        return np.where(self.condition, x, y)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        return np.where(self.condition, gy, 0.0), np.where(self.condition, 0.0, gy)


def where(condition: Operand, x: Operand, y: Operand) -> Variable:
    """`x` where `condition` holds, elsewhere `y`, elementwise: ``np.where``.

    Parameters
    ----------
    condition : ndarray of bool, Variable or bool
        Has no derivative; copied.
    x, y : Variable, ndarray or number
        Of shapes that broadcast with each other and with `condition`.

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative: 1 for the operand chosen, 0 for
        the other: an inf or nan that was not chosen does not reach the gradient from here.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: ``numpy.where``.

    Examples
    --------
    >>> x = Variable(np.array([-1.0, 2.0]))
    >>> where(x > 0, x, 0.1 * x)
    variable([-0.1  2. ])
    """
    if isinstance(condition, Variable):
        condition = condition.data
    return Where(np.array(condition, dtype=bool))(x, y)
