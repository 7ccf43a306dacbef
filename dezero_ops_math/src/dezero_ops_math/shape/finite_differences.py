"""gradient: the derivative of a function that is known at the points of a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from dezero_core import Call, Draw, Function, Registrar, Sample
from dezero_core.extend import Array, certain

from ..arguments import Axis
from ..docstrings import documented
from .positions import added_at

Weights = tuple[Any, ...]


class Gradient(Function):
    """Linear: with the same weights the gradient goes back to where differences were taken."""

    saves = ()

    def __init__(self, varargs: tuple[Any, ...], axis: Axis, edge_order: Any) -> None:
        self.varargs, self.axis, self.edge_order = varargs, axis, edge_order

    def forward(self, f: Array) -> Any:
        return np.gradient(f, *self.varargs, axis=self.axis, edge_order=self.edge_order)

    def backward(self, *gys: Array) -> Array:
        ndim = gys[0].ndim
        axes = range(ndim) if self.axis is None else normalize_axis_tuple(self.axis, ndim)
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


class _Ungradient(Function):
    """The transpose of `Gradient` on one axis."""

    saves = ()

    def __init__(self, spacing: Any, axis: int, edge_order: Any) -> None:
        self.spacing, self.axis, self.edge_order = spacing, axis, edge_order

    def forward(self, gy: Array) -> Array:
        gy = np.moveaxis(gy, self.axis, 0)
        n, gx = len(gy), np.zeros(gy.shape, gy.dtype)
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


@documented
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


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""
    a, b, line = Draw((3, 4)), Draw((3, 2, 4)), Draw((6,))
    uneven, even = np.array([0.0, 0.5, 2.0, 2.25]), [1, 3, 5, 7]
    calls = (
        Call(line),
        Call(line, 0.5),
        Call(line, [0, 1, 3, 4, 6, 7]),
        Call(line, [0, 1, 3, 4, 6, 7], edge_order=2),
        Call(line, 2, edge_order=2),
        Call(a),
        Call(a, 2.0),
        Call(a, 2.0, uneven),
        Call(a, [3.0, 2.0, 0.0], 0.25, edge_order=2),
        Call(a, uneven, axis=1),
        Call(a, even, axis=-1, edge_order=2),
        Call(a, axis=0),
        Call(b, 0.5, 2.0, axis=(2, 0)),
        Call(b, uneven, axis=(-1,)),
        Call(b),
        Call(Draw((2,))),
        Call(Draw((2,)), [0.5, 2.0]),
        Call(Draw((3,)), edge_order=2),
        Call(Draw((0, 3)), axis=1),
    )
    sample = Sample(calls, complex=True)
    register("gradient", gradient, Gradient, numpy=np.gradient, sample=sample)
