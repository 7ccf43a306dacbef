"""Exponential functions."""

from __future__ import annotations

import math

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..docstrings import documented

LN2 = math.log(2.0)


class Exp(Function):
    """d exp(x) = exp(x) dx."""

    saves = ("outputs",)
    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.exp(x)

    def backward(self, gy: Array) -> Array:
        return gy * self.outputs[0]().data


@documented
def exp(x: Operand) -> Variable:
    """Exponential, elementwise: ``np.exp``.

    Derivative: ``exp(x)``.
    Source: NIST DLMF 4.7(ii); *Deep Learning from Scratch 3*, steps 3 and 6.

    >>> x = Variable(np.array(0.0))
    >>> y = exp(x)
    >>> y.backward()
    >>> x.grad
    array(1.)
    """
    return Exp()(x)


class Exp2(Function):
    """d 2**x = log(2) 2**x dx."""

    saves = ("outputs",)
    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.exp2(x)

    def backward(self, gy: Array) -> Array:
        return gy * (LN2 * self.outputs[0]().data)


@documented
def exp2(x: Operand) -> Variable:
    """Power of two, elementwise: ``np.exp2``.

    Derivative: ``log(2) * 2**x``.
    Source: NIST DLMF 4.7(ii); ``numpy.exp2``.

    >>> exp2(Variable(np.array([-1.0, 0.0, 10.0])))
    variable([5.000e-01 1.000e+00 1.024e+03])
    """
    return Exp2()(x)


class Expm1(Function):
    """d (exp(x) - 1) = exp(x) dx."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.expm1(x)

    def backward(self, gy: Array) -> Array:
        # Not y + 1, of whose digits few are left where y is near -1.
        return gy * np.exp(self.inputs[0].data)


@documented
def expm1(x: Operand) -> Variable:
    """``exp(x) - 1``, elementwise, with all digits also near 0: ``np.expm1``.

    Derivative: ``exp(x)``.

    >>> expm1(Variable(np.array(1e-20)))
    variable(1e-20)
    """
    return Expm1()(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    wide = -3.0, 3.0
    sample = elementwise(wide, complex=True, truth=("exp(x)", "exp(x)"))
    register("exp", exp, Exp, numpy=np.exp, sample=sample)
    sample = elementwise(wide, complex=True, truth=("exp2(x)", "ln2 * exp2(x)"))
    register("exp2", exp2, Exp2, numpy=np.exp2, sample=sample)
    sample = elementwise(wide, complex=True, truth=("exp(x) - 1", "exp(x)"))
    register("expm1", expm1, Expm1, numpy=np.expm1, sample=sample)
