"""The same elements in another shape or order of axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable

Array = Any
Operand = Any


class Reshape(Function):
    """The gradient is given the input's shape again."""

    saves = ()

    def __init__(self, shape: tuple[int, ...], order: Any) -> None:
        self.shape, self.order = shape, order

    def forward(self, x: Array) -> Array:
        self.from_shape = np.shape(x)
        return np.reshape(x, self.shape, order=self.order)

    def backward(self, gy: Array) -> Array:
        return np.reshape(gy, self.from_shape, order=self.order)


def reshape(x: Operand, shape: Any, *more: int, order: str = "C") -> Variable:
    """Give the elements another shape: ``np.reshape``, ``x.reshape(2, 3)``.

    Parameters
    ----------
    x : Variable, ndarray or number
    shape : int or tuple of int
        As many elements as `x` has; one length may be -1.
    *more : int
        Further lengths, if `shape` is an int.
    order : {"C", "F"}
        Whether the last or the first index runs fastest.

    Returns
    -------
    Variable
        A view of the data where NumPy gives one. Derivative: 1 for every element.

    Raises
    ------
    ValueError
        If the number of elements differs, or for another `order`.

    Notes
    -----
    Source: ``numpy.reshape``; DeZero's Reshape.

    Examples
    --------
    >>> reshape(Variable(np.arange(4.0)), 2, 2)
    variable([[0. 1.]
              [2. 3.]])
    """
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', got {order!r}: 'A' depends on the memory.")
    lengths: Any = (shape, *more) if isinstance(shape, int | np.integer) else tuple(shape)
    return Reshape(lengths, order)(x)


class Transpose(Function):
    """The gradient's axes are put back in order."""

    saves = ()

    def __init__(self, axes: tuple[int, ...] | None) -> None:
        self.axes = axes

    def forward(self, x: Array) -> Array:
        return np.transpose(x, self.axes)

    def backward(self, gy: Array) -> Array:
        if self.axes is None:
            return np.transpose(gy)
        axes = [axis % len(self.axes) for axis in self.axes]
        return np.transpose(gy, tuple(int(axis) for axis in np.argsort(axes)))


def transpose(x: Operand, axes: Any = None, *more: int) -> Variable:
    """Put the axes in another order: ``np.transpose``, ``x.transpose(1, 0)``, ``x.T``.

    Parameters
    ----------
    x : Variable, ndarray or number
    axes : int, tuple of int, or None
        A permutation of the axes; reversed by default.
    *more : int
        Further axes, if `axes` is an int.

    Returns
    -------
    Variable
        A view of the data. Derivative: 1 for every element.

    Raises
    ------
    ValueError
        If `axes` is no permutation of the axes of `x`.

    Notes
    -----
    Source: ``numpy.transpose``; DeZero's Transpose.

    Examples
    --------
    >>> transpose(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([[1. 3.]
              [2. 4.]])
    """
    if axes is not None:
        axes = (axes, *more) if isinstance(axes, int | np.integer) else tuple(axes)
    return Transpose(axes)(x)
