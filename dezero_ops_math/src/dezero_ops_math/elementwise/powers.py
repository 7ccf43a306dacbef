"""Square and reciprocal."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand


class Square(Function):
    """d x**2 = 2 x dx."""

    def forward(self, x: Array) -> Array:
        return np.square(x)

    def backward(self, gy: Array) -> Array:
        return gy * (2.0 * self.inputs[0].data)


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
    Source: ``numpy.square``; *Deep Learning from Scratch 3*, step 13.

    Examples
    --------
    >>> x = Variable(np.array(3.0))
    >>> y = square(x)
    >>> y.backward()
    >>> x.grad
    array(6.)
    """
    return Square()(x)


class Reciprocal(Function):
    """d(1 / x) = -dx / x**2."""

    saves = ("outputs",)

    def forward(self, x: Array) -> Array:
        return np.reciprocal(x)

    def backward(self, gy: Array) -> Array:
        y = self.outputs[0]().data
        return -(gy * y * y)


def reciprocal(x: Operand) -> Variable:
    """``1 / x``, elementwise: ``np.reciprocal``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape. 0 gives inf with a RuntimeWarning; integers stay integers, as in NumPy.

    Returns
    -------
    Variable
        Shape and dtype of `x`. Derivative: ``-1 / x**2``.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x` is no number.

    Notes
    -----
    Source: ``numpy.reciprocal``.

    Examples
    --------
    >>> x = Variable(np.array(2.0))
    >>> y = reciprocal(x)
    >>> y.backward()
    >>> y, x.grad
    (variable(0.5), array(-0.25))
    """
    return Reciprocal()(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = elementwise((-3.0, 3.0), complex=True)
    register("square", square, Square, numpy=np.square, sample=sample)
    sample = elementwise((0.5, 3.0), complex=True)
    register("reciprocal", reciprocal, Reciprocal, numpy=np.reciprocal, sample=sample)
