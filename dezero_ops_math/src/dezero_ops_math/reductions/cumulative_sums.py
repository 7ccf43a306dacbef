"""Sums of the elements so far."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from dezero_core import Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import refuse_out
from ..docstrings import documented
from .masks import without_nan
from .samples import ALONG, ALONG_WITH_NAN


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
    """The same; what is nan gets no gradient."""

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
    sample = Sample(ALONG, complex=True)
    register("cumsum", cumsum, CumSum, methods="cumsum", numpy=np.cumsum, sample=sample)
    sample = Sample(ALONG + ALONG_WITH_NAN, complex=True)
    register("nancumsum", nancumsum, NanCumSum, numpy=np.nancumsum, sample=sample)
