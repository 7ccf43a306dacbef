"""Products of all elements but some, of which derivatives of products are made.

Nothing is divided by an element, so one that is 0 is as good as any other, at every order. What
no gradient has reached is nothing, and stays so also times an element that is inf or nan.
All functions work along the last axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np

from dezero_core import Function
from dezero_core.extend import Array, certain

from ..arguments import data_of, order_back

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
        if type(x) is not np.ndarray:
            row = x[..., ::-1] if self.after else x
            row = np.concatenate([np.ones_like(row[..., :1]), row[..., :-1]], axis=-1)
            return np.cumprod(row, axis=-1)[..., :: -1 if self.after else 1]
        y = np.ones_like(x)  # in the layout that the calls for other arrays give
        if self.after:
            np.multiply.accumulate(x[..., :0:-1], axis=-1, out=y[..., -2::-1])
        else:
            np.multiply.accumulate(x[..., :-1], axis=-1, out=y[..., 1:])
        return y

    def backward(self, gy: Array) -> Array:
        x, y = self.inputs[0].data, self.outputs[0]().data
        by_y = Linear(not self.after).of(x, gy)
        return times(y, by_y, lambda: reached(gy, not self.after))


class Linear(Function):
    """y[i] = g[i - 1] + x[i - 1] y[i - 1] from y[0] = 0 on; or from the end, with i + 1.

    That is the sum of g[j] x[j + 1] ... x[i - 1] over all j before i. So the gradient by g[j]
    is the same sum over all i after j, and by x[j] it is that sum times y[j].
    """

    saves = ("inputs", "outputs")

    def __init__(self, after: bool = False) -> None:
        self.after = after

    def forward(self, x: Array, g: Array) -> Array:
        zero = np.zeros(g[..., :1].shape, g.dtype)
        if self.after:
            return _run(x[..., :0:-1], g[..., :0:-1], zero, -1)
        return _run(x[..., :-1], g[..., :-1], zero, 1)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        (x, g), y = (each.data for each in self.inputs), self.outputs[0]().data
        by_g = Linear(not self.after).of(x, gy)

        def some() -> Array:
            return reached(g, self.after) & reached(gy, not self.after)

        return times(y, by_g, some), by_g


class Horner(Function):
    """y[i] = g[i] + x[i + 1] y[i + 1], Horner's scheme.

    That is the sum of g[j] x[i + 1] ... x[j] over all j from i on. So the gradient by g[j] is the
    same sum over all i up to j, and by x[j] it is that of `Linear` times y[j].
    """

    saves = ("inputs", "outputs")

    def forward(self, x: Array, g: Array) -> Array:
        return _run(x[..., :0:-1], g[..., -2::-1], g[..., -1:], -1)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        (x, g), y = (each.data for each in self.inputs), self.outputs[0]().data
        before = Linear().of(x, gy)

        def some() -> Array:
            return reached(gy, after=False)

        gx = times(y, before, lambda: some() & reached(g, after=True, own=True))
        return gx, gy + times(x, before, some)


def _run(x: Array, g: Array, first: Array, step: int) -> Array:
    """Return y with y[i + 1] = g[i] + x[i] y[i], from y[0] = `first` on; from its end if -1."""
    y = _step_by_step(x, g, first, step, invalid="ignore")
    end = y[..., ::step][..., -1:]
    if certain(np.isfinite(end).all()):  # once it is inf or nan it never is finite again
        return y
    some = _until_here(np.concatenate([first, g[..., :-1]], axis=-1) != 0)
    return _step_by_step(np.where(some, x, 0.0), g, first, step)


def _step_by_step(x: Array, g: Array, first: Array, step: int, **warnings: Any) -> Array:
    n = g.shape[-1]
    if not (type(g) is type(x) is np.ndarray):
        columns = [first]
        for i in range(n):
            columns.append(g[..., i : i + 1] + x[..., i : i + 1] * columns[i])
        return np.concatenate(columns, axis=-1)[..., ::step]
    result = np.empty((*g.shape[:-1], first.shape[-1] + n), np.result_type(x, g))
    y = result[..., ::step]
    y[..., :1] = first
    if 0 < y.size <= _FEW * (n + 1):
        for row in np.ndindex(y.shape[:-1]):
            steps = zip(g[row].tolist(), x[row].tolist(), strict=True)
            y[row] = list(accumulate(steps, _step, initial=y[row][0].item()))
    else:
        with np.errstate(**warnings):
            for i in range(n):
                y[..., i + 1] = g[..., i] + x[..., i] * y[..., i]
    return result


def _step(y: Any, pair: tuple[Any, Any]) -> Any:
    g, x = pair
    return g + x * y


class Times(Function):
    """x y, but 0 where the mask says that one of them is nothing: also beside inf and nan."""

    def __init__(self, some: Array) -> None:
        self.some = some

    def forward(self, x: Array, y: Array) -> Array:
        return np.where(self.some, x, 0.0) * np.where(self.some, y, 0.0)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        x, y = self.inputs[0].data, self.inputs[1].data
        back = Times(data_of(gy) != 0)
        return back.of(gy, y), back.of(gy, x)


def times(x: Array, y: Array, some: Callable[[], Array]) -> Array:
    """Return x y, as `Times` with the mask that `some` returns if that makes a difference."""
    with np.errstate(invalid="ignore"):
        product = x * y
    return product if certain(np.isfinite(data_of(product)).all()) else Times(some()).of(x, y)


def reached(g: Array, after: bool, own: bool = False) -> Array:
    """Return where any `g` before is not 0; or after; or its own, too."""
    some = data_of(g) != 0
    if after:
        some = some[..., ::-1]
    so_far = _until_here(some)
    if not own:
        so_far = np.concatenate([np.zeros_like(some[..., :1]), so_far[..., :-1]], axis=-1)
    return so_far[..., ::-1] if after else so_far


def _until_here(some: Array) -> Array:
    """Return where any was true so far."""
    if type(some) is np.ndarray:
        return np.logical_or.accumulate(some, axis=-1)
    return np.cumsum(some, axis=-1) > 0


def all_normal(x: Array) -> bool:
    """Say whether real numbers have all their digits: none is 0, subnormal, inf or nan."""
    info, size = np.finfo(x.dtype), np.absolute(x)
    return certain(np.all((size >= info.tiny) & (size <= info.max)))


def last(x: Array, axes: tuple[int, ...]) -> Array:
    """Return `x` with `axes` made one, the last."""
    shape, order = x.shape, _axes_last(x.ndim, axes)
    lengths = [shape[axis] for axis in order]
    n = math.prod(lengths[x.ndim - len(axes) :])
    return np.transpose(x, order).reshape((*lengths[: x.ndim - len(axes)], n))


def put_back(y: Array, shape: tuple[int, ...], axes: tuple[int, ...]) -> Array:
    """Return the array that `last` made of one of `shape`, in that shape again."""
    order = _axes_last(len(shape), axes)
    return np.transpose(y.reshape(tuple(shape[axis] for axis in order)), order_back(order))


def _axes_last(ndim: int, axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(axis for axis in range(ndim) if axis not in axes) + axes
