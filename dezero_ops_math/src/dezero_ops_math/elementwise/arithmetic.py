"""Squares, roots, reciprocals and remainders."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..docstrings import documented


class Square(Function):
    """d x**2 = 2 x dx."""

    elementwise = True

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
    elementwise = True

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


class Sqrt(Function):
    """d sqrt(x) = dx / (2 sqrt(x))."""

    saves = ("outputs",)
    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.sqrt(x)

    def backward(self, gy: Array) -> Array:
        return gy / (2.0 * self.outputs[0]().data)


@documented
def sqrt(x: Operand) -> Variable:
    """Square root, elementwise: ``np.sqrt``.

    x: any shape. ``x < 0`` gives nan with a RuntimeWarning, as in NumPy.
    Derivative: ``1 / (2 * sqrt(x))``, inf at 0. There a gradient of 0 from above gives nan: 0 times
        inf can be any number, and of ``sqrt(x)**2`` it is 1.

    >>> x = Variable(np.array(4.0))
    >>> y = sqrt(x)
    >>> y.backward()
    >>> x.grad
    array(0.25)
    """
    return Sqrt()(x)


class Cbrt(Function):
    """d cbrt(x) = dx / (3 cbrt(x)**2)."""

    saves = ("outputs",)
    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.cbrt(x)

    def backward(self, gy: Array) -> Array:
        y = self.outputs[0]().data
        return gy / (3.0 * y * y)


@documented
def cbrt(x: Operand) -> Variable:
    """Cube root, elementwise: ``np.cbrt``.

    x: any shape, of real numbers.
    Derivative: ``1 / (3 * cbrt(x)**2)``, inf at 0, where a gradient of 0 from above gives nan as it
        does of `sqrt`.
    Raises TypeError: if `x` is complex, as in NumPy.

    >>> x = Variable(np.array(-8.0))
    >>> y = cbrt(x)
    >>> y.backward()
    >>> x.grad
    array(0.08333333)
    """
    return Cbrt()(x)


class Fmod(Function):
    """fmod(x0, x1) = x0 - x1 trunc(x0 / x1), so d = dx0 - trunc(x0 / x1) dx1."""

    saves = ("inputs", "outputs")
    elementwise = True

    def forward(self, x0: Array, x1: Array) -> Array:
        return np.fmod(x0, x1)

    def backward(self, gy: Array) -> tuple[Array, Array | None]:
        if not self.needs_grad[1]:
            return gy, None
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        # x0 / x1 may be rounded up to an integer; what is divided here is a multiple of x1.
        return gy, -gy * np.rint((x0 - self.outputs[0]().data) / x1)


@documented
def fmod(x0: Operand, x1: Operand) -> Variable:
    """Remainder with the sign of `x0`, elementwise: ``np.fmod``.

    Derivative: 1 and ``-trunc(x0 / x1)``, also at the jumps.

    >>> fmod(Variable(np.array(-7.0)), 3.0)
    variable(-1.0)
    """
    return Fmod()(x0, x1)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = elementwise((-3.0, 3.0), complex=True, truth=("x * x", "2 * x"))
    register("square", square, Square, numpy=np.square, sample=sample)
    sample = elementwise((0.5, 3.0), complex=True, truth=("1 / x", "-1 / x**2"))
    register("reciprocal", reciprocal, Reciprocal, numpy=np.reciprocal, sample=sample)

    register("sqrt", sqrt, Sqrt, numpy=np.sqrt, sample=elementwise((0.5, 3.0), complex=True))
    register("cbrt", cbrt, Cbrt, numpy=np.cbrt, sample=elementwise((-3.0, 3.0), apart=np.abs))

    def apart(x0: Array, x1: Array) -> Array:
        return np.abs(x0 / x1 - np.round(x0 / x1))

    sample = elementwise((-3.0, 3.0), (1.0, 3.0), apart=apart)
    register("fmod", fmod, Fmod, numpy=np.fmod, sample=sample)
