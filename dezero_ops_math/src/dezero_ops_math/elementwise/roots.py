"""Square and cube root."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand


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
        There a gradient of 0 from above gives nan: 0 times inf can be any number, and of
        ``sqrt(x)**2`` it is 1.

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


class Cbrt(Function):
    """d cbrt(x) = dx / (3 cbrt(x)**2)."""

    saves = ("outputs",)

    def forward(self, x: Array) -> Array:
        return np.cbrt(x)

    def backward(self, gy: Array) -> Array:
        y = self.outputs[0]().data
        return gy / (3.0 * y * y)


def cbrt(x: Operand) -> Variable:
    """Cube root, elementwise: ``np.cbrt``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape, of real numbers.

    Returns
    -------
    Variable
        Shape of `x`, dtype as NumPy gives it. Derivative: ``1 / (3 * cbrt(x)**2)``, inf at
        0, where a gradient of 0 from above gives nan as it does of `sqrt`.

    Raises
    ------
    TypeError
        If `x` is complex, as in NumPy.

    Notes
    -----
    Source: ``numpy.cbrt``.

    Examples
    --------
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
