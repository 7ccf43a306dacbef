"""Products of all elements but some: what derivatives of products are made of.

Nothing is divided by an element, so one that is 0 is as good as any other, at every order.
All functions work along the last axis.
"""

from __future__ import annotations

import math
from itertools import accumulate
from typing import Any

import numpy as np

from dezero_core import Function

Array = Any

#: Up to so many rows, Python's numbers are faster than NumPy's columns.
_FEW = 24


class Before(Function):
    """y[i] = x[0] x[1] ... x[i - 1], the product of the elements before; or of those after.

    By x[j] it is y[j] times what `Linear` gives.
    """

    saves = ("inputs", "outputs")

    def __init__(self, after: bool = False) -> None:
        self.after = after

    def forward(self, x: Array) -> Array:
        y = np.ones(x.shape, x.dtype)
        if self.after:
            np.multiply.accumulate(x[..., :0:-1], axis=-1, out=y[..., -2::-1])
        else:
            np.multiply.accumulate(x[..., :-1], axis=-1, out=y[..., 1:])
        return y

    def backward(self, gy: Array) -> Array:
        x, y = self.inputs[0].data, self.outputs[0]().data
        return y * Linear(not self.after).of(x, gy)


class Linear(Function):
    """y[i] = g[i - 1] + x[i - 1] y[i - 1] from y[0] = 0 on; or from the end, with i + 1.

    That is the sum of g[j] x[j + 1] ... x[i - 1] over all j before i. So the gradient by g[j]
    is the same sum over all i after j, and by x[j] it is that sum times y[j].
    """

    saves = ("inputs", "outputs")

    def __init__(self, after: bool = False) -> None:
        self.after = after

    def forward(self, x: Array, g: Array) -> Array:
        y = np.zeros(x.shape, np.result_type(x, g))
        to = y
        if self.after:
            x, g, to = x[..., ::-1], g[..., ::-1], y[..., ::-1]
        n = x.shape[-1]
        if 0 < y.size <= _FEW * n:
            for row in np.ndindex(x.shape[:-1]):
                steps = zip(g[row][:-1].tolist(), x[row][:-1].tolist(), strict=True)
                to[row][1:] = list(accumulate(steps, _step, initial=0.0))[1:]
        else:
            for i in range(1, n):
                to[..., i] = g[..., i - 1] + x[..., i - 1] * to[..., i - 1]
        return y

    def backward(self, gy: Array) -> tuple[Array, Array]:
        x, y = self.inputs[0].data, self.outputs[0]().data
        by_g = Linear(not self.after).of(x, gy)
        return y * by_g, by_g


def _step(y: Any, pair: tuple[Any, Any]) -> Any:
    g, x = pair
    return g + x * y


def last(x: Array, axes: tuple[int, ...]) -> Array:
    """Return `x` with `axes` made one, the last."""
    shape, order = x.shape, _order(x.ndim, axes)
    lengths = [shape[axis] for axis in order]
    n = math.prod(lengths[x.ndim - len(axes) :])
    return np.transpose(x, order).reshape((*lengths[: x.ndim - len(axes)], n))


def put_back(y: Array, shape: tuple[int, ...], axes: tuple[int, ...]) -> Array:
    """Return what `last` made of an array of `shape` in that shape again."""
    order = _order(len(shape), axes)
    back = tuple(int(axis) for axis in np.argsort(order))
    return np.transpose(y.reshape(tuple(shape[axis] for axis in order)), back)


def _order(ndim: int, axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(axis for axis in range(ndim) if axis not in axes) + axes
