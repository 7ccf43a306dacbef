"""Hyperbolic functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable

Array = Any
Operand = Any


class Tanh(Function):
    """d tanh(x) = (1 - tanh(x)**2) dx."""

    saves = ("outputs",)

    def forward(self, x: Array) -> Array:
        return np.tanh(x)

    def backward(self, gy: Array) -> Array:
        # 1 / cosh(x) ** 2 would be exact to the last digits beyond |x| = 5 too, at the cost of
        # another transcendental function and of an overflow warning beyond 710.
        y = self.outputs[0]().data
        return gy * (1.0 - y * y)


def tanh(x: Operand) -> Variable:
    """Hyperbolic tangent, elementwise: ``np.tanh``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape.

    Returns
    -------
    Variable
        Shape of `x`, dtype as NumPy gives it. Derivative: ``1 - tanh(x)**2``.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x` is no number.

    Notes
    -----
    Source: NIST DLMF 4.34.3.

    Examples
    --------
    >>> x = Variable(np.array(0.0))
    >>> y = tanh(x)
    >>> y.backward()
    >>> x.grad
    array(1.)
    """
    return Tanh()(x)
