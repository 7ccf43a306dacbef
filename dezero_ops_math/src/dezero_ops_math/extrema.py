"""Largest and smallest: over axes (max, min) and of two arrays (maximum, minimum).

Where several elements are extreme at once, each gets an equal share of the gradient: the
one choice that treats them alike and whose shares add up to the whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable

from .reductions import Axis, kept_shape

Array = Any
Operand = Any


class Max(Function):
    """The gradient goes to the largest element, in equal shares if there are several."""

    saves = ()
    reduce: Any = staticmethod(np.max)

    def __init__(self, axis: Axis, keepdims: bool) -> None:
        self.axis, self.keepdims = axis, keepdims

    def forward(self, x: Array) -> Array:
        x = np.asarray(x)
        y = self.reduce(x, axis=self.axis, keepdims=True)
        # A mask of one byte an element is kept instead of the data. nan is extreme.
        self.extreme = (x == y) | ((x != x) & (y != y))
        return y if self.keepdims else np.squeeze(y, axis=self.axis)

    def backward(self, gy: Array) -> Array:
        share = self.extreme / self.extreme.sum(axis=self.axis, keepdims=True)
        kept = gy.reshape(kept_shape(self.extreme.shape, self.axis))
        return kept * share.astype(gy.dtype)


class Min(Max):
    """The gradient goes to the smallest element, in equal shares if there are several."""

    reduce: Any = staticmethod(np.min)


def max(x: Operand, axis: Axis = None, *, keepdims: bool = False) -> Variable:
    """Largest element over axes: ``np.max``, ``x.max()``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape, not empty along the axes.
    axis : int, tuple of int, or None
        The axes over which it is taken; all by default.
    keepdims : bool
        Leave them in the shape, of length 1.

    Returns
    -------
    Variable
        Dtype of `x`. Derivative: 1 for the largest element, shared equally over ties.

    Raises
    ------
    AxisError (ValueError, IndexError)
        If `x` has no such axis.
    ValueError
        If there is nothing to take the maximum of.

    Notes
    -----
    Source: ``numpy.max``. JAX and autograd share over ties too; DeZero's Max gives each
    of them the whole gradient.

    Examples
    --------
    >>> x = Variable(np.array([1.0, 3.0, 3.0]))
    >>> y = max(x)
    >>> y.backward()
    >>> y, x.grad
    (variable(3.0), array([0. , 0.5, 0.5]))
    """
    return Max(axis, keepdims)(x)


def min(x: Operand, axis: Axis = None, *, keepdims: bool = False) -> Variable:
    """Smallest element over axes: ``np.min``, ``x.min()``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape, not empty along the axes.
    axis : int, tuple of int, or None
        The axes over which it is taken; all by default.
    keepdims : bool
        Leave them in the shape, of length 1.

    Returns
    -------
    Variable
        Dtype of `x`. Derivative: 1 for the smallest element, shared equally over ties.

    Raises
    ------
    AxisError (ValueError, IndexError)
        If `x` has no such axis.
    ValueError
        If there is nothing to take the minimum of.

    Notes
    -----
    Source: ``numpy.min``.

    Examples
    --------
    >>> min(Variable(np.array([[1.0, 3.0], [2.0, 0.0]])), axis=1)
    variable([1. 0.])
    """
    return Min(axis, keepdims)(x)


def _shares(gy: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """Give `gy` to the operand that was chosen, and half to each where it was no choice."""
    tie = first == second
    return (
        gy * np.where(tie, 0.5, first).astype(gy.dtype),
        gy * np.where(tie, 0.5, second).astype(gy.dtype),
    )


class Maximum(Function):
    """The gradient goes to the larger operand; half to each where they are equal."""

    def forward(self, x0: Array, x1: Array) -> Array:
        return np.maximum(x0, x1)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return _shares(
            gy,
            np.greater(x0, x1) | np.not_equal(x0, x0),
            np.greater(x1, x0) | np.not_equal(x1, x1),
        )


class Minimum(Function):
    """The gradient goes to the smaller operand; half to each where they are equal."""

    def forward(self, x0: Array, x1: Array) -> Array:
        return np.minimum(x0, x1)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return _shares(
            gy,
            np.less(x0, x1) | np.not_equal(x0, x0),
            np.less(x1, x0) | np.not_equal(x1, x1),
        )


def maximum(x0: Operand, x1: Operand) -> Variable:
    """The larger of two, elementwise: ``np.maximum``.

    Parameters
    ----------
    x0, x1 : Variable, ndarray or number
        Of shapes that broadcast. nan wins, as in NumPy.

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative: 1 for the larger, 0 for the
        other, 1/2 for both where they are equal.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: ``numpy.maximum``.

    Examples
    --------
    >>> maximum(Variable(np.array([-1.0, 2.0])), 0.0)
    variable([0. 2.])
    """
    return Maximum()(x0, x1)


def minimum(x0: Operand, x1: Operand) -> Variable:
    """The smaller of two, elementwise: ``np.minimum``.

    Parameters
    ----------
    x0, x1 : Variable, ndarray or number
        Of shapes that broadcast. nan wins, as in NumPy.

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative: 1 for the smaller, 0 for the
        other, 1/2 for both where they are equal.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: ``numpy.minimum``.

    Examples
    --------
    >>> minimum(Variable(np.array([-1.0, 2.0])), 0.0)
    variable([-1.  0.])
    """
    return Minimum()(x0, x1)
