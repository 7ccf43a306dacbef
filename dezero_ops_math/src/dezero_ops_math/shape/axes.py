"""The same elements with their axes in another order."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import Array, Operand

from ..arguments import order_back
from ..declaring import Call, Draw, LinearMap, applying, operation
from ..docstrings import sharing

documented = sharing(
    """
    Returns: a view of the data.
    Derivative: 1 for every element.
    """
)

_A, _B, _POINT, _EMPTY = Draw((2, 3)), Draw((2, 3, 4)), Draw(), Draw((0, 3, 2))


def fixed(axes: Any) -> Any:
    """Return axes or positions that nobody can change between forward and backward."""
    if isinstance(axes, np.ndarray):
        axes = axes.tolist()
    return tuple(axes) if isinstance(axes, list) else axes


def _transposed(x: Variable) -> Variable:
    """The Variable with its axes reversed; see `transpose`."""
    return transpose(x)


def _matrix_transposed(x: Variable) -> Variable:
    """The Variable with its last two axes exchanged; see `matrix_transpose`."""
    return matrix_transpose(x)


_T, _MT = property(_transposed), property(_matrix_transposed)


class Transpose(LinearMap):
    """The gradient's axes are put back in order."""

    def __init__(self, axes: Any) -> None:
        self.axes = axes

    def forward(self, x: Array) -> Array:
        return np.transpose(x, self.axes)

    def backward(self, gy: Array) -> Array:
        if self.axes is None:
            return np.transpose(gy)
        axes = [axis % gy.ndim for axis in self.axes]
        return np.transpose(gy, order_back(axes))


@applying(
    Transpose,
    *(Call(_A), Call(_B), Call(_B, (1, 2, 0)), Call(_B, axes=[-1, 0, 1]), Call(_POINT)),
    *(Call(_A, None), Call(_POINT, ()), Call(_EMPTY, (2, 0, 1))),
    methods={"T": _T},
)
def transpose(a: Operand, axes: Any = None, *more: int) -> Variable:
    """Put the axes in another order: ``np.transpose``, ``a.transpose(1, 0)``, ``a.T``.

    axes (int, tuple of int, or None): a permutation of the axes; reversed by default.
    more: further axes, if `axes` is an int.
    Raises ValueError: if `axes` is no permutation of the axes of `a`.
    Source: ``numpy.transpose``; DeZero's Transpose.

    >>> transpose(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([[1. 3.]
              [2. 4.]])
    """
    if more or isinstance(axes, int | np.integer):
        axes = (axes, *more)
    return Transpose(fixed(axes))(a)


class SwapAxes(LinearMap):
    """Exchange two axes: ``np.swapaxes``, ``a.swapaxes(0, 1)``.

    Raises AxisError (ValueError, IndexError): if `a` has no such axis.

    >>> swapaxes(Variable(np.zeros((2, 3, 4))), 0, 2).shape
    (4, 3, 2)
    """

    def __init__(self, axis1: int, axis2: int) -> None:
        self.axis1, self.axis2 = axis1, axis2

    def forward(self, a: Operand) -> Array:
        return np.swapaxes(a, self.axis1, self.axis2)

    def backward(self, gy: Array) -> Array:
        return np.swapaxes(gy, self.axis1, self.axis2)


class MatrixTranspose(LinearMap):
    """Exchange the last two axes: ``np.matrix_transpose``, ``x.mT``.

    x: a matrix, or a stack of matrices.
    Raises ValueError: if `x` has fewer than two axes.

    >>> matrix_transpose(Variable(np.zeros((5, 2, 3)))).shape
    (5, 3, 2)
    """

    def forward(self, x: Array, /) -> Array:
        return np.matrix_transpose(x)

    def backward(self, gy: Array) -> Array:
        return np.swapaxes(gy, -1, -2)


class MoveAxis(LinearMap):
    """Move axes to other places: ``np.moveaxis``.

    source, destination (int or tuple of int): where they are, and where they are to be.
    Raises AxisError (ValueError, IndexError): if `a` has no such axis.
    Raises ValueError: if `source` and `destination` are not as many, or name an axis twice.

    >>> moveaxis(Variable(np.zeros((2, 3, 4))), 0, -1).shape
    (3, 4, 2)
    """

    def __init__(self, source: Any, destination: Any) -> None:
        self.source, self.destination = fixed(source), fixed(destination)

    def forward(self, a: Operand) -> Array:
        return np.moveaxis(a, self.source, self.destination)

    def backward(self, gy: Array) -> Array:
        return np.moveaxis(gy, self.destination, self.source)


class RollAxis(LinearMap):
    """Move an axis in front of another: ``np.rollaxis``; `moveaxis` is easier to read.

    axis: the axis that is moved.
    start: the one that it will stand before; ``a.ndim`` for the end.

    >>> rollaxis(Variable(np.zeros((2, 3, 4))), 2).shape
    (4, 2, 3)
    """

    def __init__(self, axis: int, start: int = 0) -> None:
        self.axis, self.start = axis, start

    def forward(self, a: Array) -> Array:
        return np.rollaxis(a, self.axis, self.start)

    def backward(self, gy: Array) -> Array:
        axis = self.axis % gy.ndim
        start = self.start + gy.ndim if self.start < 0 else self.start
        # Counted before the axis was taken out.
        return np.moveaxis(gy, start - 1 if axis < start else start, axis)


swapaxes = operation(SwapAxes, Call(_A, 0, 1), Call(_B, -1, 0), Call(_B, 1, 1), Call(_EMPTY, 2, 1))
matrix_transpose = operation(
    MatrixTranspose,
    *map(Call, (_A, _B, _EMPTY, Draw((1, 1)))),
    name="matrix_transpose",
    methods={"mT": _MT},
)
moveaxis = operation(
    MoveAxis,
    *(Call(_A, 0, 1), Call(_B, 0, -1), Call(_B, [0, 1], [-1, 0]), Call(_EMPTY, 0, 2)),
    *(Call(_B, (2, 0), destination=(0, 1)), Call(_A, 1, 1), Call(Draw(()), (), ())),
    Call(Draw((2, 1, 3, 2)), (-1, 0, 1), (1, 3, 0)),
)
rollaxis = operation(
    RollAxis,
    *(Call(_B, 2), Call(_B, 0, 3), Call(_B, 1, start=-1), Call(_B, -3, 2), Call(_B, 1, 1)),
    *(Call(_B, 2, 1), Call(_A, 0, -2), Call(_EMPTY, 1, 3), Call(Draw((3,)), 0)),
)
