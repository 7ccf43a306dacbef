"""Logarithms."""

from __future__ import annotations

import math

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..docstrings import documented

LOG2_E, LOG10_E = 1.0 / math.log(2.0), math.log10(math.e)


class Log(Function):
    """d log(x) = dx / x."""

    def forward(self, x: Array) -> Array:
        return np.log(x)

    def backward(self, gy: Array) -> Array:
        return gy / self.inputs[0].data


@documented
def log(x: Operand) -> Variable:
    """Natural logarithm, elementwise: ``np.log``.

    x: any shape. ``x <= 0`` gives -inf or nan with a RuntimeWarning, as in NumPy.
    Derivative: ``1 / x``.
    Source: NIST DLMF 4.7(i).

    >>> x = Variable(np.array(2.0))
    >>> y = log(x)
    >>> y.backward()
    >>> x.grad
    array(0.5)
    """
    return Log()(x)


class Log2(Function):
    """d log2(x) = dx / (log(2) x)."""

    def forward(self, x: Array) -> Array:
        return np.log2(x)

    def backward(self, gy: Array) -> Array:
        return gy * (LOG2_E / self.inputs[0].data)


@documented
def log2(x: Operand) -> Variable:
    """Logarithm to base 2, elementwise: ``np.log2``.

    x: any shape. ``x <= 0`` gives -inf or nan with a RuntimeWarning, as in NumPy.
    Derivative: ``1 / (log(2) * x)``.
    Source: NIST DLMF 4.2(ii); ``numpy.log2``.

    >>> log2(Variable(np.array([0.5, 1.0, 8.0])))
    variable([-1.  0.  3.])
    """
    return Log2()(x)


class Log10(Function):
    """d log10(x) = dx / (log(10) x)."""

    def forward(self, x: Array) -> Array:
        return np.log10(x)

    def backward(self, gy: Array) -> Array:
        return gy * (LOG10_E / self.inputs[0].data)


@documented
def log10(x: Operand) -> Variable:
    """Logarithm to base 10, elementwise: ``np.log10``.

    x: any shape. ``x <= 0`` gives -inf or nan with a RuntimeWarning, as in NumPy.
    Derivative: ``1 / (log(10) * x)``.
    Source: NIST DLMF 4.2(ii); ``numpy.log10``.

    >>> log10(Variable(np.array([0.1, 1.0, 1000.0])))
    variable([-1.  0.  3.])
    """
    return Log10()(x)


class Log1p(Function):
    """d log(1 + x) = dx / (1 + x)."""

    def forward(self, x: Array) -> Array:
        return np.log1p(x)

    def backward(self, gy: Array) -> Array:
        return gy / (1.0 + self.inputs[0].data)


@documented
def log1p(x: Operand) -> Variable:
    """``log(1 + x)``, elementwise, with all digits also near 0: ``np.log1p``.

    x: any shape. ``x <= -1`` gives -inf or nan with a RuntimeWarning, as in NumPy.
    Derivative: ``1 / (1 + x)``.

    >>> log1p(Variable(np.array(1e-20)))
    variable(1e-20)
    """
    return Log1p()(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    positive = elementwise((0.5, 3.0), complex=True)
    register("log", log, Log, numpy=np.log, sample=positive)
    register("log2", log2, Log2, numpy=np.log2, sample=positive)
    register("log10", log10, Log10, numpy=np.log10, sample=positive)
    sample = elementwise((-0.5, 3.0), complex=True)
    register("log1p", log1p, Log1p, numpy=np.log1p, sample=sample)
