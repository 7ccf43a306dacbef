"""Sine, cosine and tangent, of angles in radians."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand


class Sin(Function):
    """d sin(x) = cos(x) dx."""

    def forward(self, x: Array) -> Array:
        return np.sin(x)

    def backward(self, gy: Array) -> Array:
        return gy * np.cos(self.inputs[0].data)


def sin(x: Operand) -> Variable:
    """Sine, elementwise: ``np.sin``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape. Radians.

    Returns
    -------
    Variable
        Shape of `x`, dtype as NumPy gives it. Derivative: ``cos(x)``.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x` is no number.

    Notes
    -----
    Source: NIST DLMF 4.20.1.

    Examples
    --------
    >>> x = Variable(np.array(0.0))
    >>> y = sin(x)
    >>> y.backward()
    >>> x.grad
    array(1.)
    """
    return Sin()(x)


class Cos(Function):
    """d cos(x) = -sin(x) dx."""

    def forward(self, x: Array) -> Array:
        return np.cos(x)

    def backward(self, gy: Array) -> Array:
        return gy * -np.sin(self.inputs[0].data)


def cos(x: Operand) -> Variable:
    """Cosine, elementwise: ``np.cos``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape. Radians.

    Returns
    -------
    Variable
        Shape of `x`, dtype as NumPy gives it. Derivative: ``-sin(x)``.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x` is no number.

    Notes
    -----
    Source: NIST DLMF 4.20.2.

    Examples
    --------
    >>> x = Variable(np.array(0.0))
    >>> y = cos(x)
    >>> y.backward()
    >>> x.grad
    array(-0.)
    """
    return Cos()(x)


class Tan(Function):
    """d tan(x) = (1 + tan(x)**2) dx."""

    saves = ("outputs",)

    def forward(self, x: Array) -> Array:
        return np.tan(x)

    def backward(self, gy: Array) -> Array:
        # Of complex numbers far from the real axis 1 / cos(x) ** 2 would be exact to the last
        # digits too; but see Tanh.
        y = self.outputs[0]().data
        return gy * (1.0 + y * y)


def tan(x: Operand) -> Variable:
    """Tangent, elementwise: ``np.tan``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape. Radians.

    Returns
    -------
    Variable
        Shape of `x`, dtype as NumPy gives it. Derivative: ``1 + tan(x)**2``.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x` is no number.

    Notes
    -----
    Source: NIST DLMF 4.20.3.

    Examples
    --------
    >>> x = Variable(np.array(0.0))
    >>> y = tan(x)
    >>> y.backward()
    >>> x.grad
    array(1.)
    """
    return Tan()(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    wide = elementwise((-3.0, 3.0), complex=True)
    register("sin", sin, Sin, numpy=np.sin, sample=wide)
    register("cos", cos, Cos, numpy=np.cos, sample=wide)
    register("tan", tan, Tan, numpy=np.tan, sample=elementwise((-1.0, 1.0), complex=True))
