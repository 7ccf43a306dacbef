"""Products over axes, and products of the elements so far."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from dezero_core import Variable
from dezero_core.extend import Array

from ..arguments import Axis as Axis  # for stubs: Prod inherits the annotation
from ..arguments import axes_of, kept_shape
from ..declaring import operation
from .partial_products import Before, Horner, all_normal, last, put_back, reached, times
from .samples import ALONG, ALONG_WITH_NAN, SUMMED, WITH_NAN, WITH_ZEROS
from .sums import CumSum, Sum


class Prod(Sum):
    """Product over axes: ``np.prod``, ``a.prod()``.

    dtype: of the product, and of what is multiplied on the way.
    initial (number, optional): multiplied with the product; a constant.
    Derivative: the product of the other elements, without a division: also at 0, at every order.
    Source: ``numpy.prod``. Autograd divides by the elements, and gives nan where one is 0.

    >>> a = Variable(np.array([2.0, 0.0, 3.0]))
    >>> y = prod(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(0.0), array([0., 6., 0.]))
    """

    linear = False

    saves = ("inputs",)
    reduce: Any = staticmethod(np.multiply.reduce)
    function: Any = staticmethod(np.prod)

    def backward(self, gy: Array) -> Array:
        x = self.inputs[0].data
        shape = x.shape
        axes = axes_of(self.axis, x.ndim)
        if x.dtype != gy.dtype:
            x = x.astype(gy.dtype)
        if self.taken is not True:
            x = np.where(np.broadcast_to(self.taken, shape), x, 1.0)
        others = _quotients(x, axes)
        if others is None:
            factors = last(x, axes)
            others = times(Before().of(factors), Before(after=True).of(factors), lambda: np.True_)
            others = put_back(others, shape, axes)
        if self.initial is not np._NoValue and self.initial is not None:
            gy = gy * self.initial
        gx = gy.reshape(kept_shape(shape, axes)) * others
        return gx if self.taken is True else np.where(self.taken, gx, 0.0)


def _quotients(x: Array, axes: tuple[int, ...]) -> Array | None:
    """Return the products over each element; None if that is no way to leave it out."""
    if isinstance(x, Variable) or x.dtype.kind != "f":
        return None  # a Variable must have the derivative where an element is 0, too
    with np.errstate(over="ignore", invalid="ignore"):
        y = np.prod(x, axis=axes, keepdims=True)
    return y / x if all_normal(y) else None


class NanProd(Prod):
    """Product over axes, without nan: ``np.nanprod``.

    dtype: of the product, and of what is multiplied on the way.
    initial (number, optional): multiplied with the product; a constant.
    Returns: dtype as NumPy gives it; 1 if all is nan.
    Derivative: the product of the other elements; 0 for nan.

    >>> a = Variable(np.array([2.0, np.nan, 3.0]))
    >>> y = nanprod(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(6.0), array([3., 0., 2.]))
    """

    skips_nan = True
    reduce: Any = staticmethod(np.nanprod)
    function: Any = staticmethod(np.nanprod)


class CumProd(CumSum):
    """Products of the elements so far: ``np.cumprod``, ``a.cumprod()``.

    axis: the axis along which they are multiplied; by default all elements are, in a row.
    dtype: of the products.
    Returns: shape of `a`, or flat; dtype as NumPy gives it.
    Derivative of each product: the product of its other elements, computed without division: right
        where elements are 0, too, at every order.

    >>> cumprod(Variable(np.array([1.0, 2.0, 3.0])))
    variable([1. 2. 6.])
    """

    linear = False

    saves = ("inputs",)
    accumulate: Any = staticmethod(np.cumprod)

    def backward(self, gy: Array) -> Array:
        # dy[i] = sum over j up to i of dx[j] times the product of the others up to i.
        x = self.inputs[0].data
        shape = x.shape
        if x.dtype != gy.dtype:
            x = x.astype(gy.dtype)
        if self.taken is not True:
            x = np.where(self.taken, x, 1.0)
        axes = (normalize_axis_index(self.axis or 0, gy.ndim),)
        x, along = last(x.reshape(gy.shape), axes), last(gy, axes)
        gx = _sums_of_quotients(x, along)
        if gx is None:
            sums = Horner().of(x, along)
            gx = times(Before().of(x), sums, lambda: reached(along, after=True, own=True))
        gx = put_back(gx, gy.shape, axes).reshape(shape)
        return gx if self.taken is True else np.where(self.taken, gx, 0.0)


def _sums_of_quotients(x: Array, gy: Array) -> Array | None:
    """Return the sums of the products from each element on, over that; None if that loses digits.

    It takes a tenth of the time of going through the elements one by one.
    """
    if isinstance(x, Variable) or x.dtype.kind != "f":
        return None  # a Variable must have the derivative where an element is 0, too
    with np.errstate(over="ignore", invalid="ignore"):
        y = np.cumprod(x, axis=-1)
    if not all_normal(y[..., -1:]) or not all_normal(y):
        return None
    terms = gy * y
    if not all_normal(np.where(gy != 0.0, terms, 1.0)):
        return None
    return np.cumsum(terms[..., ::-1], axis=-1)[..., ::-1] / x


class NanCumProd(CumProd):
    """Products of the elements so far, with 1 in place of nan: ``np.nancumprod``.

    axis: the axis along which they are multiplied; by default all elements are, in a row.
    dtype: of the products.
    Returns: shape of `a`, or flat; dtype as NumPy gives it.
    Derivative of each product: the product of its other elements, 0 for nan.

    >>> nancumprod(Variable(np.array([2.0, np.nan, 3.0])))
    variable([2. 2. 6.])
    """

    skips_nan = True
    accumulate: Any = staticmethod(np.nancumprod)


prod = operation(Prod, *SUMMED, *WITH_ZEROS)
nanprod = operation(NanProd, *(*SUMMED, *WITH_ZEROS, *WITH_NAN))
cumprod = operation(CumProd, *ALONG, *WITH_ZEROS)
nancumprod = operation(NanCumProd, *ALONG, *ALONG_WITH_NAN)
