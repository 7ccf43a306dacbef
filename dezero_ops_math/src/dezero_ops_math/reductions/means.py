"""Means over axes, also weighted ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import Axis, kept_shape, refuse_out
from ..broadcasting import summed_to
from ..docstrings import documented
from .masks import Mask, count, divided, fixed, spread, unreduced, without_nan
from .samples import MASKED, REDUCTIONS, TYPED, WITH_NAN, A, B


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
    """The same; elements that are nan get no gradient."""

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
    """Arithmetic mean over axes, without nan: ``np.nanmean``.

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
        axes = normalize_axis_tuple(
            range(len(shape)) if self.axis is None else self.axis, len(shape)
        )
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
    return np.transpose(w, _order(axes)).reshape(lengths)


def _narrowed(gw: Array, shape: tuple[int, ...], axes: tuple[int, ...]) -> Array:
    """Return the gradient by weights of `shape`, the opposite of `_widened`."""
    if np.shape(gw) == shape:
        return gw
    alone = tuple(n if axis in axes else 1 for axis, n in enumerate(gw.shape))
    along = tuple(n for axis, n in enumerate(gw.shape) if axis in axes)
    return np.transpose(summed_to(gw, alone).reshape(along), _order(_order(axes)))


def _order(axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(axis) for axis in np.argsort(axes))


@documented
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


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    calls: tuple[Call, ...] = REDUCTIONS + TYPED + MASKED
    sample = Sample(calls, complex=True)
    register("mean", mean, Mean, methods="mean", numpy=np.mean, sample=sample)
    sample = Sample(calls + WITH_NAN, complex=True)
    register("nanmean", nanmean, NanMean, numpy=np.nanmean, sample=sample)

    def weights(*shape: int) -> Draw:
        return Draw(shape, (0.5, 2.0))

    calls = (
        Call(A),
        Call(A, axis=1, keepdims=True),
        Call(B, axis=(0, -1), returned=True),
        Call(A, weights=weights(2, 3)),
        Call(A, 0, weights(2, 3), keepdims=True),
        Call(A, axis=-1, weights=weights(3), returned=True),
        Call(A, axis=0, weights=weights(2), returned=True, keepdims=True),
        Call(A, axis=1, weights=[1.0, 2.0, 0.5]),
        Call(B, axis=(0, 2), weights=weights(2, 2)),
        Call(B, axis=(1, 0), weights=weights(3, 2), returned=True),
        Call(B, axis=(), weights=weights(2, 3, 2)),
        Call(np.arange(6.0).reshape(2, 3), weights=weights(2, 3)),
        Call(Draw((1, 1)), axis=1, weights=weights(1)),
        Call(Draw(), weights=weights()),
        Call(Draw((0, 3)), axis=1, weights=weights(3)),
    )
    sample = Sample(calls, complex=True)
    register("average", average, Average, numpy=np.average, sample=sample)
