"""Reductions over axes: sum and mean."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from dezero_core import Function, Variable

Array = Any
Operand = Any
Axis = int | tuple[int, ...] | None


def kept_shape(shape: tuple[int, ...], axis: Axis) -> tuple[int, ...]:
    """Return `shape` with a 1 in place of every axis that a reduction takes away."""
    if axis is None:
        return (1,) * len(shape)
    reduced = normalize_axis_tuple(axis, len(shape))
    return tuple(1 if index in reduced else n for index, n in enumerate(shape))


class Sum(Function):
    """d sum(x) = sum(dx): every element gets the gradient of the sum it is in."""

    saves = ()

    def __init__(self, axis: Axis, keepdims: bool) -> None:
        self.axis, self.keepdims = axis, keepdims

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        return np.sum(x, axis=self.axis, keepdims=self.keepdims)

    def backward(self, gy: Array) -> Array:
        return np.broadcast_to(gy.reshape(kept_shape(self.shape, self.axis)), self.shape)


def sum(x: Operand, axis: Axis = None, *, keepdims: bool = False) -> Variable:
    """Sum over axes: ``np.sum``, ``x.sum()``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape.
    axis : int, tuple of int, or None
        The axes that are summed; all by default.
    keepdims : bool
        Leave them in the shape, of length 1.

    Returns
    -------
    Variable
        Dtype as NumPy gives it. Derivative: 1 for every element.

    Raises
    ------
    AxisError (ValueError, IndexError)
        If `x` has no such axis.

    Notes
    -----
    Source: ``numpy.sum``; DeZero's Sum.

    Examples
    --------
    >>> sum(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), axis=0)
    variable([4. 6.])
    """
    return Sum(axis, keepdims)(x)


class Mean(Function):
    """d mean(x) = mean(dx)."""

    saves = ()

    def __init__(self, axis: Axis, keepdims: bool) -> None:
        self.axis, self.keepdims = axis, keepdims

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        return np.mean(x, axis=self.axis, keepdims=self.keepdims)

    def backward(self, gy: Array) -> Array:
        kept = kept_shape(self.shape, self.axis)
        count = prod(self.shape) // max(prod(kept), 1)
        return np.broadcast_to(gy.reshape(kept) / float(max(count, 1)), self.shape)


def mean(x: Operand, axis: Axis = None, *, keepdims: bool = False) -> Variable:
    """Arithmetic mean over axes: ``np.mean``, ``x.mean()``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape. The mean of nothing is nan with a RuntimeWarning, as in NumPy.
    axis : int, tuple of int, or None
        The axes over which it is taken; all by default.
    keepdims : bool
        Leave them in the shape, of length 1.

    Returns
    -------
    Variable
        Dtype as NumPy gives it. Derivative: 1 / n for each of n elements.

    Raises
    ------
    AxisError (ValueError, IndexError)
        If `x` has no such axis.

    Notes
    -----
    Source: ``numpy.mean``.

    Examples
    --------
    >>> mean(Variable(np.array([1.0, 2.0, 6.0])))
    variable(3.0)
    """
    return Mean(axis, keepdims)(x)
