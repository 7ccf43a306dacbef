"""The element in the middle."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import Axis, refuse_out, refuse_overwriting
from ..docstrings import documented
from .quantiles import Quantile, WithoutNan
from .samples import REDUCTIONS, WITH_NAN, apart


class Median(Quantile):
    """The gradient goes to the element in the middle, or half to each of two."""

    reduce: Any = staticmethod(np.median)

    def __init__(self, axis: Axis, keepdims: bool) -> None:
        self.axis, self.keepdims = axis, keepdims

    def along(self, x: Array, axis: Axis, keepdims: bool = False) -> Array:
        return self.reduce(x, axis=axis, keepdims=keepdims)

    def rank(self, n: int) -> Array:
        return np.array((n - 1) / 2)


class NanMedian(WithoutNan, Median):
    """The same; elements that are nan get no gradient."""

    reduce: Any = staticmethod(np.nanmedian)


@documented
def median(
    a: Operand,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Variable:
    """The element in the middle, or the mean of two, over axes: ``np.median``.

    a: any shape. The median of nothing is nan with a RuntimeWarning, as in NumPy; that of what
        contains nan is nan, and its gradient goes there.
    Derivative: 1 for the element in the middle, 1/2 for each of two; equal elements share it
        equally.
    Source: ``numpy.median``. torch shares alike over all elements, but along an axis chooses one of
        those that are equal.

    >>> a = Variable(np.array([5.0, 1.0, 2.0, 3.0]))
    >>> y = median(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(2.5), array([0. , 0. , 0.5, 0.5]))
    """
    refuse_out("median", out)
    refuse_overwriting("median", overwrite_input)
    return Median(axis, keepdims)(a)


@documented
def nanmedian(
    a: Operand,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Variable:
    """The element in the middle of those that are not nan: ``np.nanmedian``.

    a: any shape. Where all is nan, so is the median, with a RuntimeWarning, as in NumPy.
    Derivative: 1 for the element in the middle, 1/2 for each of two; equal elements share it
        equally. 0 for nan.

    >>> nanmedian(Variable(np.array([5.0, np.nan, 2.0, 3.0])))
    variable(3.0)
    """
    refuse_out("nanmedian", out)
    refuse_overwriting("nanmedian", overwrite_input)
    return NanMedian(axis, keepdims)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = Sample(REDUCTIONS, apart=apart, complex=True)
    register("median", median, Median, numpy=np.median, sample=sample)
    sample = Sample(REDUCTIONS + WITH_NAN, apart=apart, complex=True)
    register("nanmedian", nanmedian, NanMedian, numpy=np.nanmedian, sample=sample)
