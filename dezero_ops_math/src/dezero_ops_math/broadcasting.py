"""Sums of gradients, which undo broadcasting inside of an operation."""

from __future__ import annotations

from dezero_core import Variable
from dezero_core.extend import Array, sum_to


def summed_to(g: Array, shape: tuple[int, ...]) -> Array:
    """Sum an array or Variable over the axes along which an input of `shape` was repeated.

    The engine does so where a gradient has the shape of the output. It cannot know of what an
    operation has repeated itself, as a stack of matrices beside a single one.
    """
    if g.shape == shape:
        return g
    return g.sum_to(shape) if isinstance(g, Variable) else sum_to(g, shape)
