"""trapezoid: the integral of a function that is known at points."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..broadcasting import summed_to
from ..docstrings import documented
from .differences import transposed_diff

Shape = tuple[int, ...]


def _by_values(g: Array, widths: Array, shape: Shape, axis: int) -> Array:
    """Return the gradient of the values: each gets half of that of the trapezoids beside it."""
    n = shape[axis]
    between = (*shape[:axis], max(n - 1, 0), *shape[axis + 1 :])
    halves = g * widths / 2.0
    halves = summed_to(np.broadcast_to(halves, np.broadcast_shapes(halves.shape, between)), between)
    if n == 0:
        return halves

    def beside(width: tuple[int, int]) -> Array:
        return np.pad(halves, [width if i == axis else (0, 0) for i in range(len(shape))])

    return beside((0, 1)) + beside((1, 0))


def _with_axis(g: Array, axis: int) -> Array:
    """Return `g` with the axis that was summed, of length 1."""
    axis = axis % (g.ndim + 1)
    return g.reshape((*g.shape[:axis], 1, *g.shape[axis:]))


class Trapezoid(Function):
    """Every value gets half of the width of the trapezoids beside it."""

    saves = ()

    def __init__(self, dx: Any, axis: int) -> None:
        self.dx, self.axis = dx, axis

    def forward(self, y: Array) -> Array:
        self.shape = np.shape(y)
        return np.trapezoid(y, dx=self.dx, axis=self.axis)

    def backward(self, gy: Array) -> Array:
        axis = self.axis % len(self.shape)
        return _by_values(_with_axis(gy, self.axis), self.dx, self.shape, axis)


class TrapezoidOver(Function):
    """The same with points: they get the difference of the heights beside them."""

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def forward(self, y: Array, x: Array) -> Array:
        return np.trapezoid(y, x, axis=self.axis)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        y, x = self.inputs[0].data, self.inputs[1].data
        g, axis = _with_axis(gy, self.axis), self.axis % y.ndim
        gradient_y = gradient_x = None
        if self.needs_grad[0]:
            widths = np.diff(x, axis=0 if x.ndim == 1 else self.axis)
            if x.ndim == 1:
                widths = widths.reshape((-1,) + (1,) * (y.ndim - 1 - axis))
            gradient_y = _by_values(g, widths, y.shape, axis)
        if self.needs_grad[1]:
            lines = [slice(None)] * axis
            heights = g * (y[(*lines, slice(1, None))] + y[(*lines, slice(-1))]) / 2.0
            if x.ndim == 1:
                others = tuple(i for i in range(heights.ndim) if i != self.axis % heights.ndim)
                heights = np.sum(heights, axis=others)
            at = self.axis % x.ndim
            between = (*x.shape[:at], max(x.shape[at] - 1, 0), *x.shape[at + 1 :])
            gradient_x = transposed_diff(summed_to(heights, between), 1, at, x.shape[at])
        return gradient_y, gradient_x


@documented
def trapezoid(y: Array, x: Operand | None = None, dx: float = 1.0, axis: int = -1) -> Variable:
    """Integral along an axis by the trapezoidal rule: ``np.trapezoid``.

    y: the values to integrate.
    x (Variable or ndarray, optional): the points they are at: one axis, or a shape that broadcasts
        with that of `y`.
    dx: the distance between points if `x` is not given; a constant.
    axis: along which to integrate.
    Returns: without that axis.
    Derivative: half of the widths beside each value; by `x`, the heights before it less those after
        it.
    Raises ValueError: if shapes do not fit.
    Raises IndexError: if `y` has no such axis.

    >>> x, y = Variable(np.array([0.0, 1.0, 3.0])), Variable(np.array([1.0, 2.0, 2.0]))
    >>> area = trapezoid(y, x)
    >>> area.backward()
    >>> area, y.grad, x.grad
    (variable(5.5), array([0.5, 1.5, 1. ]), array([-1.5, -0.5,  2. ]))
    """
    return Trapezoid(dx, axis)(y) if x is None else TrapezoidOver(axis)(y, x)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""
    a, b, line = Draw((3, 4)), Draw((2, 3, 4)), Draw((5,))
    calls = (
        Call(line),
        Call(line, dx=0.5),
        Call(a, axis=0),
        Call(b, None, 2.0, 1),
        Call(line, dx=np.array([1.0, 2.0, 0.5, 1.0])),
        Call(line, Draw((5,))),
        Call(a, Draw((4,))),
        Call(a, Draw((3,)), axis=0),
        Call(b, Draw((3,)), axis=-2),
        Call(a, Draw((3, 4)), axis=0),
        Call(b, Draw((1, 3, 4)), axis=1),
        Call(line, Draw((2, 5))),
        Call(Draw((1,))),
        Call(Draw((0,))),
        Call(Draw((0,)), Draw((0,))),
        Call(Draw((0, 3)), Draw((3,))),
        Call(line, np.arange(5.0)),
        Call(np.arange(5.0), line),
    )
    sample = Sample(calls, complex=True)
    register("trapezoid", trapezoid, Trapezoid, numpy=np.trapezoid, sample=sample)
