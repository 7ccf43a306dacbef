"""Coordinates of the points of a grid."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import of_one_type
from ..broadcasting import summed_to
from ..docstrings import documented
from .positions import alike


class GridAxis(Function):
    """One array of a grid; the gradient is summed over the axes of the others."""

    saves = ()

    def __init__(
        self, index: int, lengths: tuple[int, ...], copy: bool, sparse: bool, indexing: Any
    ) -> None:
        self.index, self.lengths = index, lengths
        self.copy, self.sparse, self.indexing = copy, sparse, indexing

    def forward(self, x: Array) -> Array:
        self.from_shape = np.shape(x)
        xs = [np.broadcast_to(0, n) for n in self.lengths]
        xs[self.index] = x
        grid = np.meshgrid(*xs, copy=False, sparse=self.sparse, indexing=self.indexing)
        return np.copy(grid[self.index], "C") if self.copy else grid[self.index]

    def backward(self, gy: Array) -> Array:
        axis = self.index
        if self.indexing == "xy" and axis < 2 <= gy.ndim:
            axis = 1 - axis
        alone = tuple(n if other == axis else 1 for other, n in enumerate(gy.shape))
        return summed_to(gy, alone).reshape(self.from_shape)


@documented
def meshgrid(
    *xi: Operand, copy: bool = True, sparse: bool = False, indexing: Any = "xy"
) -> tuple[Variable, ...]:
    """Coordinates of the points of a grid: ``np.meshgrid``.

    xi: the coordinates along each axis of the grid.
    copy: False gives read-only views of the data.
    sparse: leave the other axes of length 1, which broadcasts to the same.
    indexing ({"xy", "ij"}): whether the first array runs along the second axis, as in pictures, or
        the first.
    Returns (tuple of Variable): one for each of `xi`.
    Derivative: the gradient is summed over the other axes.
    Raises ValueError: for another `indexing`.

    >>> x, y = meshgrid(Variable(np.array([1.0, 2.0, 3.0])), Variable(np.array([4.0, 5.0])))
    >>> x
    variable([[1. 2. 3.]
              [1. 2. 3.]])
    """
    lengths = tuple([np.size(x) for x in xi])
    axes = (GridAxis(i, lengths, copy, sparse, indexing)(x) for i, x in enumerate(alike(xi)))
    return of_one_type(axes)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a, row, point = Draw((2, 3)), Draw((3,)), Draw()
    other, third = Draw((2,)), Draw((4,))
    calls: tuple[Call, ...] = Call(row, other), Call(row), Call(row, other, third), Call()
    calls += (Call(point, row),)
    calls += Call(row, other, indexing="ij"), Call(row, other, third, indexing="ij", sparse=True)
    calls += Call(row, other, sparse=True), Call(row, other, third, copy=False), Call(point)
    calls += Call(row, np.arange(2)), Call(a, other), Call(row, Draw((0,))), Call(row, 2)
    register("meshgrid", meshgrid, GridAxis, numpy=np.meshgrid, sample=Sample(calls, complex=True))
