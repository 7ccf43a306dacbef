"""Products of the elements so far."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from dezero_core import Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import refuse_out
from ..docstrings import documented
from .masks import Mask, without_nan
from .others import Before, Horner, all_normal, last, put_back, reached, times
from .samples import ALONG, ALONG_WITH_NAN, WITH_ZEROS


class CumProd(Function):
    """dy[i] = sum over j up to i of dx[j] times the product of the others up to i."""

    accumulate: Any = staticmethod(np.cumprod)

    def __init__(self, axis: int | None = None, dtype: Any = None) -> None:
        self.axis, self.dtype = axis, dtype

    def forward(self, x: Array) -> Array:
        y = self.accumulate(x, axis=self.axis, dtype=self.dtype)
        self.taken = self.mask(x)
        return y

    def mask(self, x: Array) -> Mask:
        """Return which elements were multiplied."""
        return True

    def backward(self, gy: Array) -> Array:
        x = self.inputs[0].data
        shape = x.shape
        if x.dtype != gy.dtype:
            x = x.astype(gy.dtype)
        if self.taken is not True:
            x = np.where(self.taken, x, 1.0)
        axes = (normalize_axis_index(self.axis or 0, gy.ndim),)
        x, along = last(x.reshape(gy.shape), axes), last(gy, axes)
        gx = _quotients(x, along)
        if gx is None:
            sums = Horner().of(x, along)
            gx = times(Before().of(x), sums, lambda: reached(along, after=True, own=True))
        gx = put_back(gx, gy.shape, axes).reshape(shape)
        return gx if self.taken is True else np.where(self.taken, gx, 0.0)


def _quotients(x: Array, gy: Array) -> Array | None:
    """Return the sums of the products from each element on, over that; None if that loses digits.

    It takes a tenth of the time of going through the elements one by one.
    """
    if not isinstance(x, np.ndarray) or x.dtype.kind != "f":
        return None  # a Variable must have the derivative where an element is 0, too
    with np.errstate(over="ignore", invalid="ignore"):
        y = np.multiply.accumulate(x, axis=-1)
    if not all_normal(y[..., -1:]) or not all_normal(y):
        return None
    terms = gy * y
    if not all_normal(terms[gy != 0.0]):
        return None
    return np.add.accumulate(terms[..., ::-1], axis=-1)[..., ::-1] / x


class NanCumProd(CumProd):
    """The same; what is nan gets no gradient."""

    accumulate: Any = staticmethod(np.nancumprod)

    def mask(self, x: Array) -> Mask:
        return without_nan(x, True)


@documented
def cumprod(a: Operand, axis: int | None = None, dtype: Any = None, out: None = None) -> Variable:
    """Products of the elements so far: ``np.cumprod``, ``a.cumprod()``.

    axis: the axis along which they are multiplied; by default all elements are, in a row.
    dtype: of the products.
    Returns: shape of `a`, or flat; dtype as NumPy gives it.
    Derivative of each product: the product of its other elements, computed without division: right
        where elements are 0, too, at every order.

    >>> cumprod(Variable(np.array([1.0, 2.0, 3.0])))
    variable([1. 2. 6.])
    """
    refuse_out("cumprod", out)
    return CumProd(axis, dtype)(a)


@documented
def nancumprod(
    a: Operand, axis: int | None = None, dtype: Any = None, out: None = None
) -> Variable:
    """Products of the elements so far, with 1 in place of nan: ``np.nancumprod``.

    axis: the axis along which they are multiplied; by default all elements are, in a row.
    dtype: of the products.
    Returns: shape of `a`, or flat; dtype as NumPy gives it.
    Derivative of each product: the product of its other elements, 0 for nan.

    >>> nancumprod(Variable(np.array([2.0, np.nan, 3.0])))
    variable([2. 2. 6.])
    """
    refuse_out("nancumprod", out)
    return NanCumProd(axis, dtype)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = Sample(ALONG + WITH_ZEROS, complex=True)
    register("cumprod", cumprod, CumProd, methods="cumprod", numpy=np.cumprod, sample=sample)
    sample = Sample(ALONG + ALONG_WITH_NAN, complex=True)
    register("nancumprod", nancumprod, NanCumProd, numpy=np.nancumprod, sample=sample)
