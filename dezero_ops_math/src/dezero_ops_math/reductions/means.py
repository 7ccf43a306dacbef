"""Means over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import Axis, refuse_out
from ..docstrings import documented
from .masks import Mask, count, divided, fixed, spread, unreduced, without_nan
from .samples import MASKED, REDUCTIONS, TYPED, WITH_NAN


class Mean(Function):
    """d mean(x) = mean(dx)."""

    saves = ()
    reduce: Any = staticmethod(np.mean)

    def __init__(
        self, axis: Axis = None, dtype: Any = None, keepdims: bool = False, where: Mask = True
    ) -> None:
        self.axis, self.dtype, self.keepdims, self.where = axis, dtype, keepdims, fixed(where)

    def forward(self, x: Array) -> Array:
        y = self.reduce(
            x, axis=self.axis, dtype=self.dtype, keepdims=self.keepdims, where=self.where
        )
        self.shape, self.taken = np.shape(x), self.mask(x)
        return y

    def mask(self, x: Array) -> Mask:
        """Return which elements the mean is of."""
        return self.where

    def backward(self, gy: Array) -> Array:
        n = count(self.shape, self.axis, self.taken)
        share = divided(unreduced(gy, self.shape, self.axis), n)
        return spread(share, self.shape, self.taken)


class NanMean(Mean):
    """The same; what is nan gets no gradient."""

    reduce: Any = staticmethod(np.nanmean)

    def mask(self, x: Array) -> Mask:
        return without_nan(x, self.where)


@documented
def mean(
    a: Operand,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: Mask = True,
) -> Variable:
    """Arithmetic mean over axes: ``np.mean``, ``a.mean()``.

    a: any shape. The mean of nothing is nan with a RuntimeWarning, as in NumPy.
    Derivative: 1 / n for each of n elements.

    >>> mean(Variable(np.array([1.0, 2.0, 6.0])))
    variable(3.0)
    """
    refuse_out("mean", out)
    return Mean(axis, dtype, keepdims, where)(a)


@documented
def nanmean(
    a: Operand,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: Mask = True,
) -> Variable:
    """Arithmetic mean over axes of what is not nan: ``np.nanmean``.

    a: any shape. Where all is nan, so is the mean, with a RuntimeWarning, as in NumPy.
    Derivative: 1 / n for each of n elements, 0 for nan.

    >>> a = Variable(np.array([1.0, np.nan, 2.0]))
    >>> y = nanmean(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(1.5), array([0.5, 0. , 0.5]))
    """
    refuse_out("nanmean", out)
    return NanMean(axis, dtype, keepdims, where)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    calls = REDUCTIONS + TYPED + MASKED
    sample = Sample(calls, complex=True)
    register("mean", mean, Mean, methods="mean", numpy=np.mean, sample=sample)
    sample = Sample(calls + WITH_NAN, complex=True)
    register("nanmean", nanmean, NanMean, numpy=np.nanmean, sample=sample)
