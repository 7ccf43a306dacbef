"""Hyperbolic functions."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..docstrings import documented


class Sinh(Function):
    """d sinh(x) = cosh(x) dx."""

    def forward(self, x: Array) -> Array:
        return np.sinh(x)

    def backward(self, gy: Array) -> Array:
        return gy * np.cosh(self.inputs[0].data)


@documented
def sinh(x: Operand) -> Variable:
    """Hyperbolic sine, elementwise: ``np.sinh``.

    Derivative: ``cosh(x)``.
    Source: NIST DLMF 4.34.1.

    >>> x = Variable(np.array(0.0))
    >>> y = sinh(x)
    >>> y.backward()
    >>> x.grad
    array(1.)
    """
    return Sinh()(x)


class Cosh(Function):
    """d cosh(x) = sinh(x) dx."""

    def forward(self, x: Array) -> Array:
        return np.cosh(x)

    def backward(self, gy: Array) -> Array:
        return gy * np.sinh(self.inputs[0].data)


@documented
def cosh(x: Operand) -> Variable:
    """Hyperbolic cosine, elementwise: ``np.cosh``.

    Derivative: ``sinh(x)``.
    Source: NIST DLMF 4.34.2.

    >>> x = Variable(np.array(0.0))
    >>> y = cosh(x)
    >>> y.backward()
    >>> x.grad
    array(0.)
    """
    return Cosh()(x)


class Tanh(Function):
    """d tanh(x) = (1 - tanh(x)**2) dx."""

    saves = ("outputs",)

    def forward(self, x: Array) -> Array:
        return np.tanh(x)

    def backward(self, gy: Array) -> Array:
        # 1 / cosh(x) ** 2 would be exact to the last digits beyond |x| = 2 too, at the cost of
        # another transcendental function and of an overflow warning beyond 710. The absolute
        # error of this stays below 2 ** -52.
        y = self.outputs[0]().data
        return gy * (1.0 - y * y)


@documented
def tanh(x: Operand) -> Variable:
    """Hyperbolic tangent, elementwise: ``np.tanh``.

    Derivative: ``1 - tanh(x)**2``.
    Source: NIST DLMF 4.34.3.

    >>> x = Variable(np.array(0.0))
    >>> y = tanh(x)
    >>> y.backward()
    >>> x.grad
    array(1.)
    """
    return Tanh()(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    wide = elementwise((-3.0, 3.0), complex=True)
    register("sinh", sinh, Sinh, numpy=np.sinh, sample=wide)
    register("cosh", cosh, Cosh, numpy=np.cosh, sample=wide)
    register("tanh", tanh, Tanh, numpy=np.tanh, sample=elementwise((-1.0, 1.0), complex=True))
