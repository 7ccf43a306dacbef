"""Sums over any axes of a product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..docstrings import documented

Axes = Any


class TensorDot(Function):
    """Each gradient is gy times the other operand, summed over what that one alone has."""

    saves: tuple[str, ...] = ("other inputs",)

    def __init__(self, axes: Axes) -> None:
        self.axes = axes

    def forward(self, a: Array, b: Array) -> Array:
        y = np.tensordot(a, b, self.axes)
        self.summed = _normalized(self.axes, np.ndim(a), np.ndim(b))
        return y

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, b = self.inputs
        of_a, of_b = self.needs_grad
        axes_a, axes_b = self.summed
        free_a = [axis for axis in range(len(a.shape)) if axis not in axes_a]
        free_b = [axis for axis in range(len(b.shape)) if axis not in axes_b]
        # gy has the free axes of a, and after them those of b.
        of_gy = range(len(free_a)), range(len(free_a), len(free_a) + len(free_b))
        ga = gb = None
        if of_a:
            ga = np.tensordot(gy, b.data, (of_gy[1], free_b))
            ga = _in_order(ga, free_a + [axes_a[i] for i in _order(axes_b)])
        if of_b:
            gb = np.tensordot(gy, a.data, (of_gy[0], free_a))
            gb = _in_order(gb, free_b + [axes_b[i] for i in _order(axes_a)])
        return ga, gb


@documented
def tensordot(a: Operand, b: Operand, axes: Axes = 2) -> Variable:
    """Sum over any axes of a product: ``np.tensordot``.

    a, b: of any shapes.
    axes (int, or two of int or sequence of int): how many of the last axes of `a` and the first of
        `b` are summed over; or which axes of `a`, and which of `b`.
    Returns: the other axes of `a`, then those of `b`.
    Derivative: the gradient times the other operand, summed over the axes of that operand that
        remain.
    Raises ValueError: if `axes` repeats one, or lengths differ.

    >>> tensordot(Variable(np.ones((2, 3))), np.ones((3, 2)), axes=([0, 1], [1, 0]))
    variable(6.0)
    """
    return TensorDot(axes)(a, b)


def _normalized(axes: Axes, ndim_a: int, ndim_b: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the axes that are summed, counted from 0, of each operand; NumPy has checked them."""
    if not np.iterable(axes):
        of_a: Any = range(-axes, 0)
        of_b: Any = range(axes)
    else:
        of_a, of_b = axes
    sequences = (of if np.iterable(of) else (of,) for of in (of_a, of_b))
    pairs = zip(sequences, (ndim_a, ndim_b), strict=True)
    first, second = (tuple(int(axis) % ndim for axis in of) for of, ndim in pairs)
    return first, second


def _in_order(x: Array, axes: list[int]) -> Array:
    """Transpose, so that the axes that are called `axes` come in order."""
    if axes == sorted(axes):
        return x
    return np.transpose(x, tuple(_order(axes)))


def _order(axes: Sequence[int]) -> list[int]:
    return sorted(range(len(axes)), key=axes.__getitem__)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""
    a, b, c = Draw((2, 3)), Draw((3, 2)), Draw((2, 3, 4))
    calls = (
        Call(a, b, 1),
        Call(a, b, axes=([0, 1], [1, 0])),
        Call(a, b, axes=((-1, 0), (0, -1))),
        Call(a, Draw((2, 3, 2))),
        Call(c, a, ((0, 1), (0, 1))),
        Call(c, a, ((1, 0), (1, 0))),
        Call(c, Draw((4, 2, 3)), ((2, 0), (0, 1))),
        Call(c, Draw((5, 4)), axes=(2, 1)),
        Call(a, b, axes=0),
        Call(Draw(), a, 0),
        Call(2.0, a, 0),
        Call(Draw((3,)), Draw((3,)), 1),
        Call(Draw((2, 0)), Draw((0, 3)), 1),
        Call(Draw((0, 3)), b, 1),
        Call(a, Draw((3, 0)), 1),
    )
    sample = Sample(calls, complex=True)
    register("tensordot", tensordot, TensorDot, numpy=np.tensordot, sample=sample)
