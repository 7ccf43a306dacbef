"""Square and reciprocal."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..docstrings import documented


class Square(Function):
    """d x**2 = 2 x dx."""

    def forward(self, x: Array) -> Array:
        return np.square(x)

    def backward(self, gy: Array) -> Array:
        return gy * (2.0 * self.inputs[0].data)


@documented
def square(x: Operand) -> Variable:
    """Square, elementwise: ``np.square``.

    Derivative: ``2 * x``.
    Source: ``numpy.square``; *Deep Learning from Scratch 3*, step 13.

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


@documented
def reciprocal(x: Operand) -> Variable:
    """``1 / x``, elementwise: ``np.reciprocal``.

    x: any shape. 0 gives inf with a RuntimeWarning; integers stay integers, as in NumPy.
    Returns: shape and dtype of `x`.
    Derivative: ``-1 / x**2``.

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
