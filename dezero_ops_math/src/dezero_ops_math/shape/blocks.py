"""A matrix made of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import Array, Operand

from ..declaring import Call, Draw, LinearMap, applying
from .joining import Cut
from .splitting import several

_A, _B, _ROW, _POINT, _DEEP = Draw((2, 3)), Draw((2, 1)), Draw((3,)), Draw(), Draw((2, 2, 3))


Layout = Any
"""The position of an array among the operands, or a list of layouts."""


class Block(LinearMap):
    """Each array gets the part of the gradient that stands where it went."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def forward(self, *xs: Array) -> Array:
        self.shapes = [np.shape(x) for x in xs]
        return np.block(_filled(self.layout, xs))

    def backward(self, gy: Array) -> tuple[Array, ...]:
        depth, layout = 0, self.layout
        while isinstance(layout, list):
            depth, layout = depth + 1, layout[0]
        return tuple(self._dealt(gy, self.layout, -depth))

    def _dealt(self, gy: Array, layout: Layout, axis: int) -> list[Array]:
        """Return the gradients of the arrays in `layout`, which are joined along `axis`."""
        if not isinstance(layout, list):
            return [gy.reshape(self.shapes[layout])]
        parts = several(Cut([self._length(item, axis) for item in layout], axis).of(gy))
        found = []
        for part, item in zip(parts, layout, strict=True):
            found += self._dealt(part, item, axis + 1)
        return found

    def _length(self, layout: Layout, axis: int) -> int:
        while isinstance(layout, list):  # what is in it was joined along later axes
            layout = layout[0]
        shape = self.shapes[layout]
        return shape[axis] if len(shape) >= -axis else 1


@applying(
    Block,
    *(Call([[_A, _B], [_ROW, _POINT]]), Call([_A, _B]), Call([_ROW, _POINT, _ROW]), Call(_A)),
    *(Call([[_A], [_ROW]]), Call([[[_DEEP]], [[_A]]]), Call([[_A, Draw((2, 0))]])),
    *(Call([[_A, np.ones((2, 1))], [_ROW, 2.0]]), Call([[_POINT, _POINT], [_POINT, _POINT]])),
    Call(_POINT),
)
def block(arrays: Any) -> Variable:
    """Put a matrix together from blocks: ``np.block``.

    arrays (nested list of Variable, ndarray or number): the innermost lists are joined along the
        last axis, those around them along the one before it, and so on.
    Derivative: 1 for every element.
    Raises ValueError: if the shapes do not fit, or the lists are not nested alike.
    Raises TypeError: if there is a tuple in place of a list, as in NumPy.

    >>> x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> block([[x, np.zeros((2, 1))], [np.zeros((1, 2)), 1.0]])
    variable([[1. 2. 0.]
              [3. 4. 0.]
              [0. 0. 1.]])
    """
    operands: list[Operand] = []
    return Block(_laid_out(arrays, operands))(*operands)


def _laid_out(arrays: Any, operands: list[Operand]) -> Layout:
    """Add the arrays in nested lists to `operands`, and return where they are."""
    if isinstance(arrays, list):
        return [_laid_out(item, operands) for item in arrays]
    if isinstance(arrays, tuple):
        raise TypeError("block takes nested lists of arrays, got a tuple. Write a list.")
    operands.append(arrays)
    return len(operands) - 1


def _filled(layout: Layout, xs: tuple[Array, ...]) -> Any:
    if isinstance(layout, list):
        return [_filled(item, xs) for item in layout]
    return xs[layout]
