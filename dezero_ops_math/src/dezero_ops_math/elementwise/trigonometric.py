"""Sine, cosine and tangent, of angles in radians."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..docstrings import documented


class Sin(Function):
    """d sin(x) = cos(x) dx."""

    def forward(self, x: Array) -> Array:
        return np.sin(x)

    def backward(self, gy: Array) -> Array:
        return gy * np.cos(self.inputs[0].data)


@documented
def sin(x: Operand) -> Variable:
    """Sine, elementwise: ``np.sin``.

    x: any shape, in radians.
    Derivative: ``cos(x)``.
    Source: NIST DLMF 4.20.1.

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


@documented
def cos(x: Operand) -> Variable:
    """Cosine, elementwise: ``np.cos``.

    x: any shape, in radians.
    Derivative: ``-sin(x)``.
    Source: NIST DLMF 4.20.2.

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


@documented
def tan(x: Operand) -> Variable:
    """Tangent, elementwise: ``np.tan``.

    x: any shape, in radians.
    Derivative: ``1 + tan(x)**2``.
    Source: NIST DLMF 4.20.3.

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
