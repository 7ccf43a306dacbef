"""Means over axes, also weighted ones, and the element in the middle."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function
from dezero_core.extend import Array, Operand

from ..arguments import Axis, axes_of, kept_shape, order_back, refuse_out, refuse_overwriting
from ..declaring import Call, Draw, LinearMap, applying, operation
from ..gradients import summed_to
from .masks import Mask, Masked, count, divided, fixed, spread, unreduced
from .quantiles import Quantile, WithoutNan
from .samples import MASKED, REDUCTIONS, TYPED, WITH_NAN, A, B, apart


def _weights(*shape: int) -> Any:
    return Draw(shape, (0.5, 2.0))


class Mean(Masked, LinearMap):
    """Arithmetic mean over axes: ``np.mean``, ``a.mean()``.

    a: any shape. The mean of nothing is nan with a RuntimeWarning, as in NumPy.
    Derivative: 1 / n for each of n elements.

    >>> mean(Variable(np.array([1.0, 2.0, 6.0])))
    variable(3.0)
    """

    reduce: Any = staticmethod(np.mean)

    def __init__(
        self,
        axis: Axis = None,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        *,
        where: Mask = True,
    ) -> None:
        refuse_out(self, out)
        self.axis, self.dtype, self.keepdims, self.where = axis, dtype, keepdims, fixed(where)

    def forward(self, a: Operand) -> Array:
        y = self.reduce(
            a, axis=self.axis, dtype=self.dtype, keepdims=self.keepdims, where=self.where
        )
        self.shape, self.taken = np.shape(a), self.mask(a)
        return y

    def backward(self, gy: Array) -> Array:
        n = count(self.shape, self.axis, self.taken)
        share = divided(unreduced(gy, self.shape, self.axis), n)
        return spread(share, self.shape, self.taken)


class NanMean(Mean):
    """Arithmetic mean over axes, without nan: ``np.nanmean``.

    a: any shape. Where all is nan, so is the mean, with a RuntimeWarning, as in NumPy.
    Derivative: 1 / n for each of n elements, 0 for nan.

    >>> a = Variable(np.array([1.0, np.nan, 2.0]))
    >>> y = nanmean(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(1.5), array([0.5, 0. , 0.5]))
    """

    linear = False

    skips_nan = True
    reduce: Any = staticmethod(np.nanmean)


class Average(Function):
    """With y = sum(w a) / sum(w), dy = (sum(w da) + sum((a - y) dw)) / sum(w)."""

    saves = ("inputs", "outputs")

    def __init__(self, axis: Axis, returned: Any, keepdims: Any) -> None:
        self.axis, self.returned, self.keepdims = axis, returned, keepdims

    def forward(self, a: Array, w: Array = None) -> Any:
        return np.average(a, self.axis, w, self.returned, keepdims=self.keepdims)

    def backward(self, gy: Array, gtotal: Array = None) -> Any:
        a = self.inputs[0].data
        shape = np.shape(a)
        axes = axes_of(self.axis, len(shape))
        kept = kept_shape(shape, axes)
        gy = gy.reshape(kept)
        if not self.inputs[1:]:
            return spread(divided(gy, count(shape, axes, True)), shape, True)
        w, y = self.inputs[1].data, self.outputs[0]().data
        of_a, of_w = self.needs_grad
        wide = _widened(w, shape, axes)
        share = gy / np.sum(wide, axis=axes, keepdims=True)
        ga = share * wide if of_a else None
        if not of_w:
            return ga, None
        gw = share * (a - y.reshape(kept))
        if gtotal is not None:
            gw = gw + gtotal.reshape(kept)
        return ga, _narrowed(gw, np.shape(w), axes)


def _widened(w: Array, shape: tuple[int, ...], axes: tuple[int, ...]) -> Array:
    """Return weights that were given along some axes with the others, of length 1."""
    if np.shape(w) == shape:
        return w
    lengths = tuple(n if axis in axes else 1 for axis, n in enumerate(shape))
    return np.transpose(w, order_back(axes)).reshape(lengths)


def _narrowed(gw: Array, shape: tuple[int, ...], axes: tuple[int, ...]) -> Array:
    """Return the gradient by weights of `shape`, the opposite of `_widened`."""
    if np.shape(gw) == shape:
        return gw
    alone = tuple(n if axis in axes else 1 for axis, n in enumerate(gw.shape))
    along = tuple(n for axis, n in enumerate(gw.shape) if axis in axes)
    return np.transpose(summed_to(gw, alone).reshape(along), order_back(order_back(axes)))


@applying(
    Average,
    *(Call(A), Call(A, axis=1, keepdims=True), Call(B, axis=(0, -1), returned=True)),
    *(Call(A, weights=_weights(2, 3)), Call(A, 0, _weights(2, 3), keepdims=True)),
    Call(A, axis=-1, weights=_weights(3), returned=True),
    Call(A, axis=0, weights=_weights(2), returned=True, keepdims=True),
    *(Call(A, axis=1, weights=[1.0, 2.0, 0.5]), Call(B, axis=(0, 2), weights=_weights(2, 2))),
    Call(B, axis=(1, 0), weights=_weights(3, 2), returned=True),
    Call(B, axis=(), weights=_weights(2, 3, 2)),
    Call(np.arange(6.0).reshape(2, 3), weights=_weights(2, 3)),
    *(Call(Draw((1, 1)), axis=1, weights=_weights(1)), Call(Draw(), weights=_weights())),
    Call(Draw((0, 3)), axis=1, weights=_weights(3)),
)
def average(
    a: Operand,
    axis: Axis = None,
    weights: Operand = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """Weighted mean over axes: ``np.average``.

    weights (Variable, ndarray or list of numbers, optional): in the shape of `a`, or of its `axis`
        alone; all equal by default.
    returned: return the sums of the weights, too.
    Returns (Variable, or tuple of two): the mean, and the sum of the weights.
    Derivative of the mean: with ``total`` for that sum, ``weights / total`` by `a`, and
        ``(a - mean) / total`` by `weights`.
    Raises TypeError, ValueError: if the shape of `weights` is neither.
    Raises ZeroDivisionError: if weights add up to 0.

    >>> a, w = Variable(np.array([1.0, 5.0])), Variable(np.array([3.0, 1.0]))
    >>> y = average(a, weights=w)
    >>> y.backward()
    >>> y, a.grad, w.grad
    (variable(2.0), array([0.75, 0.25]), array([-0.25,  0.75]))
    """
    if isinstance(weights, list | tuple):
        weights = np.array(weights)
    inputs = (a,) if weights is None else (a, weights)
    y = Average(axis, returned, keepdims)(*inputs)
    return tuple(y) if returned else y


class Median(Quantile):
    """The element in the middle, or the mean of two, over axes: ``np.median``.

    a: any shape. The median of nothing is nan with a RuntimeWarning, as in NumPy; that of what
        contains nan is nan, and its gradient goes there.
    Derivative: 1 for the element in the middle, 1/2 for each of two; equal ones share it equally.
    Source: ``numpy.median``. torch shares as well, but along an axis chooses one of equal elements.

    >>> a = Variable(np.array([5.0, 1.0, 2.0, 3.0]))
    >>> y = median(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(2.5), array([0. , 0. , 0.5, 0.5]))
    """

    reduce: Any = staticmethod(np.median)

    def __init__(
        self,
        axis: Axis = None,
        out: None = None,
        overwrite_input: bool = False,
        keepdims: bool = False,
    ) -> None:
        refuse_out(self, out)
        refuse_overwriting(self, overwrite_input)
        self.axis, self.keepdims = axis, keepdims

    def along(self, x: Array, axis: Axis, keepdims: bool = False) -> Array:
        return self.reduce(x, axis=axis, keepdims=keepdims)

    def rank(self, n: int) -> Array:
        return np.array((n - 1) / 2)


class NanMedian(WithoutNan, Median):
    """The element in the middle of those that are not nan: ``np.nanmedian``.

    a: any shape. Where all is nan, so is the median, with a RuntimeWarning, as in NumPy.
    Derivative: 1 for that in the middle, 1/2 for each of two; equal ones share it. 0 for nan.

    >>> nanmedian(Variable(np.array([5.0, np.nan, 2.0, 3.0])))
    variable(3.0)
    """

    reduce: Any = staticmethod(np.nanmedian)


mean = operation(Mean, *REDUCTIONS, *TYPED, *MASKED)
nanmean = operation(NanMean, *REDUCTIONS, *TYPED, *MASKED, *WITH_NAN)


median = operation(Median, *REDUCTIONS, apart=apart)
nanmedian = operation(NanMedian, *REDUCTIONS, *WITH_NAN, apart=apart)
