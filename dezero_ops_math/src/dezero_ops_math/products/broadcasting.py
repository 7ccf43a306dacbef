"""What products of stacks have in common: their gradients are summed back here."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def summed_to(gx: Array, shape: tuple[int, ...]) -> Array:
    """Sum an array or Variable over the axes along which an input of `shape` was repeated.

    The engine does so where a gradient has the shape of the output. A stack of matrices or
    vectors is broadcast while these are not, so there the operation itself must.
    """
    if gx.shape == shape:
        return gx
    lead = gx.ndim - len(shape)
    repeated = tuple(
        axis for axis, n in enumerate(gx.shape) if axis < lead or n != shape[axis - lead]
    )
    return np.sum(gx, axis=repeated, keepdims=True).reshape(shape)
