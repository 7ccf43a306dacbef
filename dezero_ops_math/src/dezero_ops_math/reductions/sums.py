"""Sums over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import Axis, refuse_out
from ..docstrings import documented
from .masks import Mask, fixed, spread, unreduced, without_nan
from .samples import MASKED, OVER_NOTHING, REDUCTIONS, STARTED, TYPED, WITH_NAN


class Sum(Function):
    """d sum(x) = sum(dx): every element gets the gradient of the sum it is in."""

    saves: tuple[str, ...] = ()
    reduce: Any = staticmethod(np.add.reduce)
    initial: Any = np._NoValue

    def __init__(
        self,
        axis: Axis = None,
        dtype: Any = None,
        keepdims: bool = False,
        initial: Any = np._NoValue,
        where: Mask = True,
    ) -> None:
        self.axis, self.dtype, self.keepdims, self.where = axis, dtype, keepdims, fixed(where)
        if initial is not np._NoValue:
            self.initial = initial

    def forward(self, x: Array) -> Array:
        y = self.reduce(
            x,
            axis=self.axis,
            dtype=self.dtype,
            keepdims=self.keepdims,
            initial=self.initial,
            where=self.where,
        )
        self.shape, self.taken = np.shape(x), self.mask(x)
        return y

    def mask(self, x: Array) -> Mask:
        """Return which elements were summed."""
        return self.where

    def backward(self, gy: Array) -> Array:
        return spread(unreduced(gy, self.shape, self.axis), self.shape, self.taken)


class NanSum(Sum):
    """The same; what is nan gets no gradient."""

    reduce: Any = staticmethod(np.nansum)

    def mask(self, x: Array) -> Mask:
        return without_nan(x, self.where)


@documented
def sum(
    a: Operand,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Mask = True,
) -> Variable:
    """Sum over axes: ``np.sum``, ``a.sum()``.

    initial (number, optional): added to the sum; a constant.
    Derivative: 1 for every element that is summed.
    Source: ``numpy.sum``; DeZero's Sum.

    >>> sum(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), axis=0)
    variable([4. 6.])
    """
    refuse_out("sum", out)
    return Sum(axis, dtype, keepdims, initial, where)(a)


@documented
def nansum(
    a: Operand,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Mask = True,
) -> Variable:
    """Sum over axes of what is not nan: ``np.nansum``.

    initial (number, optional): added to the sum; a constant.
    Returns: dtype as NumPy gives it; 0 if all is nan.
    Derivative: 1 for every element that is summed, 0 for nan.

    >>> a = Variable(np.array([1.0, np.nan, 2.0]))
    >>> y = nansum(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(3.0), array([1., 0., 1.]))
    """
    refuse_out("nansum", out)
    return NanSum(axis, dtype, keepdims, initial, where)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    calls = REDUCTIONS + OVER_NOTHING + TYPED + STARTED + MASKED
    sample = Sample(calls, complex=True)
    register("sum", sum, Sum, methods="sum", numpy=np.sum, sample=sample)
    sample = Sample(calls + WITH_NAN, complex=True)
    register("nansum", nansum, NanSum, numpy=np.nansum, sample=sample)
