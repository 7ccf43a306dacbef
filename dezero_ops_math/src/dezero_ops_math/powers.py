"""Square and square root."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable

Array = Any
Operand = Any


class Sqrt(Function):
    """d sqrt(x) = dx / (2 sqrt(x))."""

    saves = ("outputs",)

    def forward(self, x: Array) -> Array:
        return np.sqrt(x)

    def backward(self, gy: Array) -> Array:
        return gy / (2.0 * self.outputs[0]().data)


def sqrt(x: Operand) -> Variable:
    """Square root, elementwise: ``np.sqrt``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape. ``x < 0`` gives nan with a RuntimeWarning, as in NumPy.

    Returns
    -------
    Variable
        Shape of `x`, dtype as NumPy gives it. Derivative: ``1 / (2 * sqrt(x))``, inf at 0.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x` is no number.

    Notes
    -----
    Source: ``numpy.sqrt``.

    Examples
    --------
    >>> x = Variable(np.array(4.0))
    >>> y = sqrt(x)
    >>> y.backward()
    >>> x.grad
    array(0.25)
    """
    return Sqrt()(x)


class Square(Function):
    """d x**2 = 2 x dx."""

    def forward(self, x: Array) -> Array:
        return np.square(x)

    def backward(self, gy: Array) -> Array:
        return gy * 2.0 * self.inputs[0].data


def square(x: Operand) -> Variable:
    """Square, elementwise: ``np.square``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape.

    Returns
    -------
    Variable
        Shape of `x`, dtype as NumPy gives it. Derivative: ``2 * x``.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x` is no number.

    Notes
    -----
    Source: ``numpy.square``; the seeds, step 13.

    Examples
    --------
    >>> x = Variable(np.array(3.0))
    >>> y = square(x)
    >>> y.backward()
    >>> x.grad
    array(6.)
    """
    return Square()(x)
