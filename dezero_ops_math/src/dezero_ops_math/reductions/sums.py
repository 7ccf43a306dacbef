"""Sums over axes and sums so far, counts, and whether any or all elements are not 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from dezero_core import Function
from dezero_core.extend import Array, Operand

from ..arguments import Axis, refuse_out
from ..declaring import Booleans, Integers, LinearMap, Sample, operation, without_derivative
from .masks import Mask, Masked, fixed, spread, unreduced
from .samples import ALONG, ALONG_WITH_NAN, MASKED, OVER_NOTHING, REDUCTIONS, SUMMED, WITH_NAN


class Sum(Masked, Function):
    """Sum over axes: ``np.sum``, ``a.sum()``.

    initial (number, optional): added to the sum; a constant.
    Derivative: 1 for every element that is summed.
    Source: ``numpy.sum``; DeZero's Sum.

    >>> sum(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), axis=0)
    variable([4. 6.])
    """

    saves: tuple[str, ...] = ()
    reduce: Any = staticmethod(np.add.reduce)
    #: The same for arrays of other types, which may not know ``reduce``.
    function: Any = staticmethod(np.sum)
    initial: Any = np._NoValue

    def __init__(
        self,
        axis: Axis = None,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = np._NoValue,
        where: Mask = True,
    ) -> None:
        refuse_out(self, out)
        self.axis, self.dtype, self.keepdims, self.where = axis, dtype, keepdims, fixed(where)
        if initial is not np._NoValue:
            self.initial = initial

    @property
    def linear(self) -> bool:
        """Whether nothing is added to the elements."""
        return self.initial is np._NoValue

    def forward(self, a: Operand) -> Array:
        reduce = self.reduce if type(a) is np.ndarray else self.function
        y = reduce(
            a,
            axis=self.axis,
            dtype=self.dtype,
            keepdims=self.keepdims,
            initial=self.initial,
            where=self.where,
        )
        self.shape, self.taken = np.shape(a), self.mask(a)
        return y

    def backward(self, gy: Array) -> Array:
        return spread(unreduced(gy, self.shape, self.axis), self.shape, self.taken)


class NanSum(Sum):
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

    linear = False

    skips_nan = True
    reduce: Any = staticmethod(np.nansum)
    function: Any = staticmethod(np.nansum)


class CumSum(Masked, LinearMap):
    """Sums of the elements so far: ``np.cumsum``, ``a.cumsum()``.

    axis: the axis along which they are summed; by default all elements are, in a row.
    dtype: of the sums.
    Returns: shape of `a`, or flat; dtype as NumPy gives it.
    Derivative of each sum: 1 for every element that is in it.

    >>> cumsum(Variable(np.array([1.0, 2.0, 3.0])))
    variable([1. 3. 6.])
    """

    accumulate: Any = staticmethod(np.cumsum)

    def __init__(self, axis: int | None = None, dtype: Any = None, out: None = None) -> None:
        refuse_out(self, out)
        self.axis, self.dtype = axis, dtype

    def forward(self, a: Operand) -> Array:
        y = self.accumulate(a, axis=self.axis, dtype=self.dtype)
        self.shape, self.taken = np.shape(a), self.mask(a)
        return y

    def backward(self, gy: Array) -> Array:
        # dy[i] = dx[0] + ... + dx[i]: the gradient is summed from the end.
        axis = normalize_axis_index(self.axis or 0, gy.ndim)
        back = (slice(None),) * axis + (slice(None, None, -1),)
        # In float32, the sum of the last ones of a million would have three digits.
        exact = np.result_type(gy.dtype, np.float64)
        gx = CumSum(axis, exact).of(gy[back])[back].reshape(self.shape)
        return gx if self.taken is True else np.where(self.taken, gx, 0.0)


class NanCumSum(CumSum):
    """Sums of the elements so far, with 0 in place of nan: ``np.nancumsum``.

    axis: the axis along which they are summed; by default all elements are, in a row.
    dtype: of the sums.
    Returns: shape of `a`, or flat; dtype as NumPy gives it.
    Derivative of each sum: 1 for every element that is in it, 0 for nan.

    >>> nancumsum(Variable(np.array([1.0, np.nan, 3.0])))
    variable([1. 1. 4.])
    """

    linear = False

    skips_nan = True
    accumulate: Any = staticmethod(np.nancumsum)


_SAMPLE = Sample(*REDUCTIONS, *OVER_NOTHING, *MASKED, complex=True)


@without_derivative(_SAMPLE)
def any(
    a: Operand, axis: Axis = None, out: None = None, keepdims: bool = False, *, where: Mask = True
) -> Booleans:
    """Whether any element is not 0: ``np.any``, ``a.any()``.

    >>> any(Variable(np.array([[0.0, 2.0], [0.0, 0.0]])), axis=1)
    array([ True, False])
    """
    refuse_out("any", out)
    return np.any(a, axis=axis, keepdims=keepdims, where=where)


@without_derivative(_SAMPLE)
def all(
    a: Operand, axis: Axis = None, out: None = None, keepdims: bool = False, *, where: Mask = True
) -> Booleans:
    """Whether no element is 0: ``np.all``, ``a.all()``.

    >>> all(Variable(np.array([[1.0, 2.0], [0.0, 3.0]])), axis=1)
    array([ True, False])
    """
    refuse_out("all", out)
    return np.all(a, axis=axis, keepdims=keepdims, where=where)


@without_derivative(*REDUCTIONS, *OVER_NOTHING, complex=True)
def count_nonzero(a: Operand, axis: Axis = None, *, keepdims: bool = False) -> Integers:
    """How many elements are not 0: ``np.count_nonzero``.

    >>> int(count_nonzero(Variable(np.array([0.0, 2.0, 3.0]))))
    2
    """
    return np.count_nonzero(a, axis=axis, keepdims=keepdims)


sum = operation(Sum, *SUMMED)
nansum = operation(NanSum, *SUMMED, *WITH_NAN)
cumsum = operation(CumSum, *ALONG)
nancumsum = operation(NanCumSum, *ALONG, *ALONG_WITH_NAN)
