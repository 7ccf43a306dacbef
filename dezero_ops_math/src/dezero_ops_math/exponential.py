"""Exponential and logarithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable

Array = Any
Operand = Any


class Exp(Function):
    """d exp(x) = exp(x) dx."""

    saves = ("outputs",)

    def forward(self, x: Array) -> Array:
        return np.exp(x)

    def backward(self, gy: Array) -> Array:
        return gy * self.outputs[0]().data


def exp(x: Operand) -> Variable:
    """Exponential, elementwise: ``np.exp``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape.

    Returns
    -------
    Variable
        Shape of `x`, dtype as NumPy gives it. Derivative: ``exp(x)``.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x` is no number.

    Notes
    -----
    Source: NIST DLMF 4.7.1; the seeds, document 5, section 1.2.

    Examples
    --------
    >>> x = Variable(np.array(0.0))
    >>> y = exp(x)
    >>> y.backward()
    >>> x.grad
    array(1.)
    """
    return Exp()(x)


class Log(Function):
    """d log(x) = dx / x."""

    def forward(self, x: Array) -> Array:
        return np.log(x)

    def backward(self, gy: Array) -> Array:
        return gy / self.inputs[0].data


def log(x: Operand) -> Variable:
    """Natural logarithm, elementwise: ``np.log``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape. ``x <= 0`` gives -inf or nan with a RuntimeWarning, as in NumPy.

    Returns
    -------
    Variable
        Shape of `x`, dtype as NumPy gives it. Derivative: ``1 / x``.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x` is no number.

    Notes
    -----
    Source: NIST DLMF 4.7.3.

    Examples
    --------
    >>> x = Variable(np.array(2.0))
    >>> y = log(x)
    >>> y.backward()
    >>> x.grad
    array(0.5)
    """
    return Log()(x)
