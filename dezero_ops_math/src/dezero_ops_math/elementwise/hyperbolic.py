"""Hyperbolic functions, and their inverses."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..docstrings import documented
from .inverse_derivatives import InverseDifference, InverseRoot, InverseSumRoot, TimesI


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


class Arcsinh(Function):
    """d arcsinh(x) = dx / sqrt(1 + x**2)."""

    def forward(self, x: Array) -> Array:
        return np.arcsinh(x)

    def backward(self, gy: Array) -> Array:
        x = self.inputs[0].data
        if x.dtype.kind == "c":
            return gy * InverseRoot().of(TimesI().of(x))
        return gy * InverseSumRoot().of(x)


@documented
def arcsinh(x: Operand) -> Variable:
    """Inverse hyperbolic sine, elementwise: ``np.arcsinh``.

    Derivative: ``1 / sqrt(1 + x**2)``.
    Source: NIST DLMF 4.38(ii).

    >>> x = Variable(np.array(0.0))
    >>> y = arcsinh(x)
    >>> y.backward()
    >>> x.grad
    array(1.)
    """
    return Arcsinh()(x)


class Arccosh(Function):
    """d arccosh(x) = dx / sqrt(x**2 - 1)."""

    def forward(self, x: Array) -> Array:
        return np.arccosh(x)

    def backward(self, gy: Array) -> Array:
        # Two roots for the sides of the branch cut, and x - -1 as in `InverseRoot`.
        x = self.inputs[0].data
        return gy / (np.sqrt(x - 1.0) * np.sqrt(x - -1.0))


@documented
def arccosh(x: Operand) -> Variable:
    """Inverse hyperbolic cosine, elementwise: ``np.arccosh``.

    x: any shape. ``x < 1`` gives nan with a RuntimeWarning, as in NumPy.
    Derivative: ``1 / sqrt(x**2 - 1)``, inf at 1.
    Source: NIST DLMF 4.38(ii).

    >>> x = Variable(np.array(1.25))
    >>> y = arccosh(x)
    >>> y.backward()
    >>> x.grad
    array(1.33333333)
    """
    return Arccosh()(x)


class Arctanh(Function):
    """d arctanh(x) = dx / (1 - x**2)."""

    def forward(self, x: Array) -> Array:
        return np.arctanh(x)

    def backward(self, gy: Array) -> Array:
        return gy * InverseDifference().of(self.inputs[0].data)


@documented
def arctanh(x: Operand) -> Variable:
    """Inverse hyperbolic tangent, elementwise: ``np.arctanh``.

    x: any shape. -1 and 1 give -inf and inf, and beyond them is nan, with a RuntimeWarning, as in
        NumPy.
    Derivative: ``1 / (1 - x**2)``, inf at -1 and 1.
    Source: NIST DLMF 4.38(ii).

    >>> x = Variable(np.array(0.0))
    >>> y = arctanh(x)
    >>> y.backward()
    >>> x.grad
    array(1.)
    """
    return Arctanh()(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    wide = -3.0, 3.0
    sample = elementwise(wide, complex=True, truth=("sinh(x)", "cosh(x)"))
    register("sinh", sinh, Sinh, numpy=np.sinh, sample=sample)
    sample = elementwise(wide, complex=True, truth=("cosh(x)", "sinh(x)"))
    register("cosh", cosh, Cosh, numpy=np.cosh, sample=sample)
    sample = elementwise((-1.0, 1.0), complex=True, truth=("tanh(x)", "1 / cosh(x)**2"))
    register("tanh", tanh, Tanh, numpy=np.tanh, sample=sample)
    # The imaginary axis has the branch cuts.
    truth = "asinh(x)", "1 / sqrt(1 + x * x)"
    sample = elementwise(wide, apart=np.abs, complex=True, truth=truth)
    register("arcsinh", arcsinh, Arcsinh, numpy=np.arcsinh, sample=sample)
    sample = elementwise((1.2, 3.0), complex=True, truth=("acosh(x)", "1 / sqrt(x * x - 1)"))
    register("arccosh", arccosh, Arccosh, numpy=np.arccosh, sample=sample)
    sample = elementwise((-0.9, 0.9), complex=True, truth=("atanh(x)", "1 / (1 - x * x)"))
    register("arctanh", arctanh, Arctanh, numpy=np.arctanh, sample=sample)
