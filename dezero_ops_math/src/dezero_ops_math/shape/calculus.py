"""Slopes and areas of functions that are known at points."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import Array, Operand, certain, new_zeros

from ..arguments import Axis, axes_of
from ..declaring import Call, Draw, LinearMap, applying
from ..gradients import summed_to
from .differences import transposed_diff
from .positions import added_at

_A, _B, _LINE = Draw((3, 4)), Draw((2, 3, 4)), Draw((5,))


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


class Trapezoid(LinearMap):
    """Every value gets half of the width of the trapezoids beside it."""

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

    multilinear = True

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


@applying(
    Trapezoid,
    *(Call(_LINE), Call(_LINE, dx=0.5), Call(_A, axis=0), Call(_B, None, 2.0, 1)),
    *(Call(_LINE, dx=np.array([1.0, 2.0, 0.5, 1.0])), Call(_LINE, Draw((5,)))),
    *(Call(_A, Draw((4,))), Call(_A, Draw((3,)), axis=0), Call(_B, Draw((3,)), axis=-2)),
    *(Call(_A, Draw((3, 4)), axis=0), Call(_B, Draw((1, 3, 4)), axis=1), Call(_LINE, Draw((2, 5)))),
    *(Call(Draw((1,))), Call(Draw((0,))), Call(Draw((0,)), Draw((0,)))),
    *(Call(Draw((0, 3)), Draw((3,))), Call(_LINE, np.arange(5.0)), Call(np.arange(5.0), _LINE)),
)
def trapezoid(y: Array, x: Operand | None = None, dx: float = 1.0, axis: int = -1) -> Variable:
    """Integral along an axis by the trapezoidal rule: ``np.trapezoid``.

    y: the values to integrate.
    x (Variable or ndarray, optional): the points they are at: one axis, or a shape that broadcasts
        with that of `y`.
    dx: the distance between points if `x` is not given; a constant.
    axis: along which to integrate.
    Returns: without that axis.
    Derivative: half of the widths beside each value; by `x`, the heights before less those after.
    Raises ValueError: if shapes do not fit.
    Raises IndexError: if `y` has no such axis.

    >>> x, y = Variable(np.array([0.0, 1.0, 3.0])), Variable(np.array([1.0, 2.0, 2.0]))
    >>> area = trapezoid(y, x)
    >>> area.backward()
    >>> area, y.grad, x.grad
    (variable(5.5), array([0.5, 1.5, 1. ]), array([-1.5, -0.5,  2. ]))
    """
    return Trapezoid(dx, axis)(y) if x is None else TrapezoidOver(axis)(y, x)


_C, _SIX = Draw((3, 2, 4)), Draw((6,))
_UNEVEN, _EVEN = np.array([0.0, 0.5, 2.0, 2.25]), [1, 3, 5, 7]


Weights = tuple[Any, ...]


class Gradient(LinearMap):
    """Linear: with the same weights the gradient goes back to where differences were taken."""

    def __init__(self, varargs: tuple[Any, ...], axis: Axis, edge_order: Any) -> None:
        self.varargs, self.axis, self.edge_order = varargs, axis, edge_order

    def forward(self, f: Array) -> Any:
        return np.gradient(f, *self.varargs, axis=self.axis, edge_order=self.edge_order)

    def backward(self, *gys: Array) -> Array:
        axes = axes_of(self.axis, gys[0].ndim)
        spacings = self.varargs or (1.0,)
        if len(spacings) < len(axes):
            spacings *= len(axes)
        first, *others = (
            _Ungradient(spacing, axis, self.edge_order).of(gy)
            for gy, axis, spacing in zip(gys, axes, spacings, strict=True)
        )
        for other in others:
            first = first + other
        return first


class _Ungradient(LinearMap):
    """The transpose of `Gradient` on one axis."""

    def __init__(self, spacing: Any, axis: int, edge_order: Any) -> None:
        self.spacing, self.axis, self.edge_order = spacing, axis, edge_order

    def forward(self, gy: Array) -> Array:
        gy = np.moveaxis(gy, self.axis, 0)
        n, gx = len(gy), new_zeros(gy, gy.shape)
        spacing = np.copy(self.spacing)
        spacing = spacing.astype(np.result_type(spacing, gy.real.dtype, np.float64))
        inner, first, last = _weights(spacing, self.edge_order)
        for start, weight in enumerate(inner):
            if weight is not None:
                column = np.reshape(weight, (-1,) + (1,) * (gy.ndim - 1))
                gx = added_at(gx, slice(start, start + n - 2), column * gy[1:-1])
        for index, weight in enumerate(first):
            gx = added_at(gx, index, weight * gy[0])
        for index, weight in enumerate(last):
            gx = added_at(gx, n - 1 - index, weight * gy[-1])
        return np.moveaxis(gx, 0, self.axis)

    def backward(self, ggx: Array) -> Array:
        return Gradient((self.spacing,), self.axis, self.edge_order).of(ggx)


def _weights(spacing: Array, edge_order: int) -> tuple[Weights, Weights, Weights]:
    """Return the weights of three neighbours, of the first elements, and of the last."""
    if spacing.ndim == 1:
        d = np.diff(spacing)
        if not certain(np.all(d == d[0])):
            d1, d2 = d[:-1], d[1:]
            inner = -d2 / (d1 * (d1 + d2)), (d2 - d1) / (d1 * d2), d1 / (d2 * (d1 + d2))
            if edge_order == 2:
                return inner, _at_edge(d[0], d[1]), _at_edge(-d[-1], -d[-2])
            return inner, (-1.0 / d[0], 1.0 / d[0]), (1.0 / d[-1], -1.0 / d[-1])
        spacing = d[0]
    edge = (-1.5, 2.0, -0.5) if edge_order == 2 else (-1.0, 1.0)
    return (
        (-0.5 / spacing, None, 0.5 / spacing),
        tuple(weight / spacing for weight in edge),
        tuple(-weight / spacing for weight in edge),
    )


def _at_edge(d1: Any, d2: Any) -> Weights:
    both = d1 + d2
    return -(d1 + both) / (d1 * both), both / (d1 * d2), -d1 / (d2 * both)


@applying(
    Gradient,
    *(Call(_SIX), Call(_SIX, 0.5), Call(_SIX, [0, 1, 3, 4, 6, 7])),
    *(Call(_SIX, [0, 1, 3, 4, 6, 7], edge_order=2), Call(_SIX, 2, edge_order=2), Call(_A)),
    *(Call(_A, 2.0), Call(_A, 2.0, _UNEVEN), Call(_A, [3.0, 2.0, 0.0], 0.25, edge_order=2)),
    *(Call(_A, _UNEVEN, axis=1), Call(_A, _EVEN, axis=-1, edge_order=2), Call(_A, axis=0)),
    *(Call(_C, 0.5, 2.0, axis=(2, 0)), Call(_C, _UNEVEN, axis=(-1,)), Call(_C), Call(Draw((2,)))),
    *(Call(Draw((2,)), [0.5, 2.0]), Call(Draw((3,)), edge_order=2), Call(Draw((0, 3)), axis=1)),
)
def gradient(f: Array, *varargs: Any, axis: Axis = None, edge_order: int = 1) -> Any:
    """Derivative by differences of neighbours: ``np.gradient``.

    f: values at the points of a grid.
    varargs (float or array_like of float): the spacing, for all axes or for each: a number, or the
        coordinates of the points. Constants.
    axis: along which; all by default.
    edge_order ({1, 2}): the order of accuracy at the edges.
    Returns (Variable, or tuple of Variable for several axes): each of the shape of `f`.
    Derivative: the weights of the differences.
    Raises TypeError: if there are not as many spacings as axes, or one is a Variable.
    Raises ValueError: if `f` is too small, or coordinates do not fit it.

    >>> gradient(Variable(np.array([0.0, 1.0, 4.0, 9.0])), 0.5)
    variable([ 2.  4.  8. 10.])
    """
    ys = Gradient(varargs, axis, edge_order)(f)
    return tuple(ys) if isinstance(ys, list) else ys
