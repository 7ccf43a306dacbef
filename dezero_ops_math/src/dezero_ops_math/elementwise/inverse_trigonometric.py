"""Inverse sine, cosine and tangent, in radians."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..docstrings import documented
from .slopes import InverseDifference, InverseRoot, InverseSum


class Arcsin(Function):
    """d arcsin(x) = dx / sqrt(1 - x**2)."""

    def forward(self, x: Array) -> Array:
        return np.arcsin(x)

    def backward(self, gy: Array) -> Array:
        return gy * InverseRoot().of(self.inputs[0].data)


@documented
def arcsin(x: Operand) -> Variable:
    """Inverse sine, elementwise: ``np.arcsin``.

    x: any shape. Outside of [-1, 1] gives nan with a RuntimeWarning, as in NumPy.
    Derivative: ``1 / sqrt(1 - x**2)``, inf at -1 and 1.
    Source: NIST DLMF 4.24(ii).

    >>> x = Variable(np.array(0.0))
    >>> y = arcsin(x)
    >>> y.backward()
    >>> x.grad
    array(1.)
    """
    return Arcsin()(x)


class Arccos(Function):
    """d arccos(x) = -dx / sqrt(1 - x**2)."""

    def forward(self, x: Array) -> Array:
        return np.arccos(x)

    def backward(self, gy: Array) -> Array:
        return gy * -InverseRoot().of(self.inputs[0].data)


@documented
def arccos(x: Operand) -> Variable:
    """Inverse cosine, elementwise: ``np.arccos``.

    x: any shape. Outside of [-1, 1] gives nan with a RuntimeWarning, as in NumPy.
    Derivative: ``-1 / sqrt(1 - x**2)``, -inf at -1 and 1.
    Source: NIST DLMF 4.24(ii).

    >>> x = Variable(np.array(0.0))
    >>> y = arccos(x)
    >>> y.backward()
    >>> x.grad
    array(-1.)
    """
    return Arccos()(x)


class Arctan(Function):
    """d arctan(x) = dx / (1 + x**2)."""

    def forward(self, x: Array) -> Array:
        return np.arctan(x)

    def backward(self, gy: Array) -> Array:
        x = self.inputs[0].data
        if x.dtype.kind == "c":
            return gy * InverseDifference().of(1j * x)
        return gy * InverseSum().of(x)


@documented
def arctan(x: Operand) -> Variable:
    """Inverse tangent, elementwise: ``np.arctan``.

    Derivative: ``1 / (1 + x**2)``.
    Source: NIST DLMF 4.24(ii).

    >>> x = Variable(np.array(0.0))
    >>> y = arctan(x)
    >>> y.backward()
    >>> x.grad
    array(1.)
    """
    return Arctan()(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    inside = elementwise((-0.9, 0.9), complex=True)
    register("arcsin", arcsin, Arcsin, numpy=np.arcsin, sample=inside)
    register("arccos", arccos, Arccos, numpy=np.arccos, sample=inside)
    # The imaginary axis has the branch cuts.
    wide = elementwise((-3.0, 3.0), apart=np.abs, complex=True)
    register("arctan", arctan, Arctan, numpy=np.arctan, sample=wide)
