"""The way back through ``np.diff``, which several functions of this folder go."""

from __future__ import annotations

import numpy as np

from dezero_core import Function
from dezero_core.extend import Array


def transposed_diff(gy: Array, n: int, axis: int, length: int) -> Array:
    """Return the gradient of what was `length` long on `axis` before ``np.diff(…, n, axis)``."""
    if n > length:  # each element is in no difference at all
        return np.zeros((*gy.shape[:axis], length, *gy.shape[axis + 1 :]), gy.dtype)
    for _ in range(n):
        gy = _Undiff(axis).of(gy)
    return gy


class _Undiff(Function):
    """The transpose of ``np.diff``: of each element, the difference it ends less that it begins."""

    saves = ()

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def forward(self, gy: Array) -> Array:
        before = (slice(None),) * self.axis
        shape = list(gy.shape)
        shape[self.axis] += 1
        gx = np.zeros(shape, gy.dtype)
        gx[(*before, slice(1, None))] = gy
        gx[(*before, slice(-1))] -= gy
        return gx

    def backward(self, ggx: Array) -> Array:
        return np.diff(ggx, axis=self.axis)
