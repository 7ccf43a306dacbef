"""Square and cube root."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..docstrings import documented


class Sqrt(Function):
    """d sqrt(x) = dx / (2 sqrt(x))."""

    saves = ("outputs",)

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


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    register("sqrt", sqrt, Sqrt, numpy=np.sqrt, sample=elementwise((0.5, 3.0), complex=True))
    register("cbrt", cbrt, Cbrt, numpy=np.cbrt, sample=elementwise((-3.0, 3.0), apart=np.abs))
