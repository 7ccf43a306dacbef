"""Logarithms of sums of two exponentials."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise

Array = Any
Operand = Any


class _Shares(Function):
    """The shares of exp(x0) and exp(x1) in their sum, or of 2**x0 and 2**x1.

    d(share0) = share0 share1 (dx0 - dx1), times log(2) of powers of 2. Equals have half each,
    also where both are inf or both -inf: as they grow together.
    """

    saves = ("outputs",)

    def __init__(self, base2: bool) -> None:
        self.base2 = base2

    def forward(self, x0: Array, x1: Array) -> tuple[Array, Array]:
        larger, smaller = np.maximum(x0, x1), np.minimum(x0, x1)
        with np.errstate(over="ignore", invalid="ignore"):
            difference = smaller - larger
            # What rounding took from it: as an exponent of 700, half of its last digit would
            # be hundreds of those of the result. Source: 2Sum, Møller 1965.
            back = difference - smaller
            lost = (smaller - (difference - back)) - (larger + back)
        difference = np.where(larger == smaller, 0.0, difference)
        lost = np.where(np.isfinite(lost), lost, 0.0)
        if self.base2:
            ratio = np.exp2(difference) * (1.0 + math.log(2.0) * lost)
        else:
            ratio = np.exp(difference) * (1.0 + lost)
        of_larger = 1.0 / (1.0 + ratio)
        of_smaller = ratio * of_larger
        first = np.greater_equal(x0, x1)
        return np.where(first, of_larger, of_smaller), np.where(first, of_smaller, of_larger)

    def backward(self, g0: Array, g1: Array) -> tuple[Array, Array]:
        g = (g0 - g1) * self.outputs[0]().data * self.outputs[1]().data
        if self.base2:
            g = g * math.log(2.0)
        return g, -g


class LogAddExp(Function):
    """d log(exp(x0) + exp(x1)) = share0 dx0 + share1 dx1, the shares in the sum."""

    def forward(self, x0: Array, x1: Array) -> Array:
        return np.logaddexp(x0, x1)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        share0, share1 = _Shares(base2=False).of(self.inputs[0].data, self.inputs[1].data)
        return gy * share0, gy * share1


def logaddexp(x1: Operand, x2: Operand) -> Variable:
    """``log(exp(x1) + exp(x2))``, elementwise, without overflow: ``np.logaddexp``.

    Parameters
    ----------
    x1, x2 : Variable, ndarray or number
        Of shapes that broadcast, and real.

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative: ``1 / (1 + exp(x2 - x1))`` and
        ``1 / (1 + exp(x1 - x2))``; 1/2 each where both are inf, or both -inf.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: ``numpy.logaddexp``.

    Examples
    --------
    >>> x1, x2 = Variable(np.array(1000.0)), Variable(np.array(1000.0))
    >>> y = logaddexp(x1, x2)
    >>> y.backward()
    >>> x1.grad, x2.grad
    (array(0.5), array(0.5))
    """
    return LogAddExp()(x1, x2)


class LogAddExp2(Function):
    """d log2(2**x0 + 2**x1) = share0 dx0 + share1 dx1, the shares in the sum."""

    def forward(self, x0: Array, x1: Array) -> Array:
        return np.logaddexp2(x0, x1)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        share0, share1 = _Shares(base2=True).of(self.inputs[0].data, self.inputs[1].data)
        return gy * share0, gy * share1


def logaddexp2(x1: Operand, x2: Operand) -> Variable:
    """``log2(2**x1 + 2**x2)``, elementwise, without overflow: ``np.logaddexp2``.

    Parameters
    ----------
    x1, x2 : Variable, ndarray or number
        Of shapes that broadcast, and real.

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative: ``1 / (1 + 2**(x2 - x1))`` and
        ``1 / (1 + 2**(x1 - x2))``; 1/2 each where both are inf, or both -inf.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: ``numpy.logaddexp2``.

    Examples
    --------
    >>> logaddexp2(Variable(np.array(3.0)), 3.0)
    variable(4.0)
    """
    return LogAddExp2()(x1, x2)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = elementwise((-3.0, 3.0), (-3.0, 3.0))
    register("logaddexp", logaddexp, LogAddExp, numpy=np.logaddexp, sample=sample)
    register("logaddexp2", logaddexp2, LogAddExp2, numpy=np.logaddexp2, sample=sample)
