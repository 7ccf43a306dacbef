"""Sums over axes, and sums of the elements so far."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from dezero_core import Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import Axis, refuse_out
from ..docstrings import documented
from .masks import Mask, fixed, spread, unreduced, without_nan
from .samples import (
    ALONG,
    ALONG_WITH_NAN,
    MASKED,
    OVER_NOTHING,
    REDUCTIONS,
    STARTED,
    TYPED,
    WITH_NAN,
)


class Sum(Function):
    """d sum(x) = sum(dx): every element gets the gradient of the sum it is in."""

    saves: tuple[str, ...] = ()
    reduce: Any = staticmethod(np.add.reduce)
    #: The same for arrays of other types, which may not know ``reduce``.
    function: Any = staticmethod(np.sum)
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
        reduce = self.reduce if type(x) is np.ndarray else self.function
        y = reduce(
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
    """The same; elements that are nan get no gradient."""

    reduce: Any = staticmethod(np.nansum)
    function: Any = staticmethod(np.nansum)

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
    """Sum over axes, without nan: ``np.nansum``.

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


class CumSum(Function):
    """dy[i] = dx[0] + ... + dx[i]: the gradient is summed from the end."""

    saves = ()
    accumulate: Any = staticmethod(np.cumsum)

    def __init__(self, axis: int | None = None, dtype: Any = None) -> None:
        self.axis, self.dtype = axis, dtype

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        return self.accumulate(x, axis=self.axis, dtype=self.dtype)

    def backward(self, gy: Array) -> Array:
        axis = normalize_axis_index(self.axis or 0, gy.ndim)
        back = (slice(None),) * axis + (slice(None, None, -1),)
        # In float32, the sum of the last ones of a million would have three digits.
        exact = np.result_type(gy.dtype, np.float64)
        return CumSum(axis, exact).of(gy[back])[back].reshape(self.shape)


class NanCumSum(CumSum):
    """The same; elements that are nan get no gradient."""

    accumulate: Any = staticmethod(np.nancumsum)

    def forward(self, x: Array) -> Array:
        y = super().forward(x)
        self.taken = without_nan(x, True)
        return y

    def backward(self, gy: Array) -> Array:
        gx = super().backward(gy)
        return gx if self.taken is True else np.where(self.taken, gx, 0.0)


@documented
def cumsum(a: Operand, axis: int | None = None, dtype: Any = None, out: None = None) -> Variable:
    """Sums of the elements so far: ``np.cumsum``, ``a.cumsum()``.

    axis: the axis along which they are summed; by default all elements are, in a row.
    dtype: of the sums.
    Returns: shape of `a`, or flat; dtype as NumPy gives it.
    Derivative of each sum: 1 for every element that is in it.

    >>> cumsum(Variable(np.array([1.0, 2.0, 3.0])))
    variable([1. 3. 6.])
    """
    refuse_out("cumsum", out)
    return CumSum(axis, dtype)(a)


@documented
def nancumsum(a: Operand, axis: int | None = None, dtype: Any = None, out: None = None) -> Variable:
    """Sums of the elements so far, with 0 in place of nan: ``np.nancumsum``.

    axis: the axis along which they are summed; by default all elements are, in a row.
    dtype: of the sums.
    Returns: shape of `a`, or flat; dtype as NumPy gives it.
    Derivative of each sum: 1 for every element that is in it, 0 for nan.

    >>> nancumsum(Variable(np.array([1.0, np.nan, 3.0])))
    variable([1. 1. 4.])
    """
    refuse_out("nancumsum", out)
    return NanCumSum(axis, dtype)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    calls = REDUCTIONS + OVER_NOTHING + TYPED + STARTED + MASKED
    sample = Sample(calls, complex=True)
    register("sum", sum, Sum, methods="sum", numpy=np.sum, sample=sample)
    sample = Sample(calls + WITH_NAN, complex=True)
    register("nansum", nansum, NanSum, numpy=np.nansum, sample=sample)

    sample = Sample(ALONG, complex=True)
    register("cumsum", cumsum, CumSum, methods="cumsum", numpy=np.cumsum, sample=sample)
    sample = Sample(ALONG + ALONG_WITH_NAN, complex=True)
    register("nancumsum", nancumsum, NanCumSum, numpy=np.nancumsum, sample=sample)
