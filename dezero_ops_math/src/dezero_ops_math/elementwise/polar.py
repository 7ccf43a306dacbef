"""Polar coordinates: the length and the angle of a point of the plane."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..docstrings import documented
from .slopes import Inverse, Unit


class Hypot(Function):
    """dh = (x0 dx0 + x1 dx1) / h; 0 at (0, 0), the middle of the slopes in all directions."""

    def forward(self, x0: Array, x1: Array) -> Array:
        return np.hypot(x0, x1)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        cosine, sine = Unit().of(self.inputs[0].data, self.inputs[1].data)
        return gy * cosine, gy * sine


@documented
def hypot(x1: Operand, x2: Operand) -> Variable:
    """Length of the hypotenuse, elementwise: ``sqrt(x1**2 + x2**2)``, ``np.hypot``.

    x1, x2: of shapes that broadcast, and real.
    Derivative: ``x1 / hypot(x1, x2)`` and ``x2 / hypot(x1, x2)``; 0 at (0, 0), the middle of the
        slopes in all directions. The second derivative there is nan, with a RuntimeWarning.
    Raises ValueError: if the shapes do not broadcast.

    >>> x1, x2 = Variable(np.array(3.0)), Variable(np.array(4.0))
    >>> y = hypot(x1, x2)
    >>> y.backward()
    >>> y, x1.grad, x2.grad
    (variable(5.0), array(0.6), array(0.8))
    """
    return Hypot()(x1, x2)


class Arctan2(Function):
    """d(angle) = (x dy - y dx) / (x**2 + y**2), of the point (x, y)."""

    def forward(self, y: Array, x: Array) -> Array:
        return np.arctan2(y, x)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        by_y, by_x = Inverse().of(self.inputs[1].data, self.inputs[0].data)
        return gy * by_y, -gy * by_x


@documented
def arctan2(x1: Operand, x2: Operand) -> Variable:
    """Angle of the point ``(x2, x1)``, in radians, elementwise: ``np.arctan2``.

    x1, x2: ordinate and abscissa, of shapes that broadcast, and real.
    Derivative: ``x2 / (x1**2 + x2**2)`` and ``-x1 / (x1**2 + x2**2)``, also where the angle jumps
        from pi to -pi; nan at (0, 0), around which the angle takes every value.
    Raises ValueError: if the shapes do not broadcast.

    >>> x1, x2 = Variable(np.array(1.0)), Variable(np.array(1.0))
    >>> y = arctan2(x1, x2)
    >>> y.backward()
    >>> x1.grad, x2.grad
    (array(0.5), array(-0.5))
    """
    return Arctan2()(x1, x2)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def from_origin(x1: Array, x2: Array) -> Array:
        return np.hypot(x1, x2) - 0.4

    def from_jump(x1: Array, x2: Array) -> Array:
        return np.where(x2 < 0.5, np.abs(x1), from_origin(x1, x2))

    wide = (-3.0, 3.0)
    sample = elementwise(wide, wide, apart=from_origin)
    register("hypot", hypot, Hypot, numpy=np.hypot, sample=sample)
    sample = elementwise(wide, wide, apart=from_jump)
    register("arctan2", arctan2, Arctan2, numpy=np.arctan2, sample=sample)
