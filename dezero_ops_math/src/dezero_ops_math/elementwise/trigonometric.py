"""Sine, cosine and tangent, their inverses, and the length and angle of a point of the plane."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..docstrings import documented
from .inverse_derivatives import Inverse, InverseDifference, InverseRoot, InverseSum, Unit


class Sin(Function):
    """d sin(x) = cos(x) dx."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.sin(x)

    def backward(self, gy: Array) -> Array:
        return gy * np.cos(self.inputs[0].data)


@documented
def sin(x: Operand) -> Variable:
    """Sine, elementwise: ``np.sin``.

    x: any shape, in radians.
    Derivative: ``cos(x)``.
    Source: NIST DLMF 4.20.1.

    >>> x = Variable(np.array(0.0))
    >>> y = sin(x)
    >>> y.backward()
    >>> x.grad
    array(1.)
    """
    return Sin()(x)


class Cos(Function):
    """d cos(x) = -sin(x) dx."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.cos(x)

    def backward(self, gy: Array) -> Array:
        return gy * -np.sin(self.inputs[0].data)


@documented
def cos(x: Operand) -> Variable:
    """Cosine, elementwise: ``np.cos``.

    x: any shape, in radians.
    Derivative: ``-sin(x)``.
    Source: NIST DLMF 4.20.2.

    >>> x = Variable(np.array(0.0))
    >>> y = cos(x)
    >>> y.backward()
    >>> x.grad
    array(-0.)
    """
    return Cos()(x)


class Tan(Function):
    """d tan(x) = (1 + tan(x)**2) dx."""

    saves = ("outputs",)
    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.tan(x)

    def backward(self, gy: Array) -> Array:
        # Of complex numbers far from the real axis 1 / cos(x) ** 2 would be exact to the last
        # digits too; but see Tanh.
        y = self.outputs[0]().data
        return gy * (1.0 + y * y)


@documented
def tan(x: Operand) -> Variable:
    """Tangent, elementwise: ``np.tan``.

    x: any shape, in radians.
    Derivative: ``1 + tan(x)**2``.
    Source: NIST DLMF 4.20.3.

    >>> x = Variable(np.array(0.0))
    >>> y = tan(x)
    >>> y.backward()
    >>> x.grad
    array(1.)
    """
    return Tan()(x)


class Arcsin(Function):
    """d arcsin(x) = dx / sqrt(1 - x**2)."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.arcsin(x)

    def backward(self, gy: Array) -> Array:
        return gy * InverseRoot().of(self.inputs[0].data)


@documented
def arcsin(x: Operand) -> Variable:
    """Inverse sine, elementwise: ``np.arcsin``.

    x: any shape. Outside of [-1, 1] gives nan with a RuntimeWarning, as in NumPy.
    Derivative: ``1 / sqrt(1 - x**2)``, inf at -1 and 1.
    Source: NIST DLMF 4.24(ii).

    >>> x = Variable(np.array(0.0))
    >>> y = arcsin(x)
    >>> y.backward()
    >>> x.grad
    array(1.)
    """
    return Arcsin()(x)


class Arccos(Function):
    """d arccos(x) = -dx / sqrt(1 - x**2)."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.arccos(x)

    def backward(self, gy: Array) -> Array:
        return gy * -InverseRoot().of(self.inputs[0].data)


@documented
def arccos(x: Operand) -> Variable:
    """Inverse cosine, elementwise: ``np.arccos``.

    x: any shape. Outside of [-1, 1] gives nan with a RuntimeWarning, as in NumPy.
    Derivative: ``-1 / sqrt(1 - x**2)``, -inf at -1 and 1.
    Source: NIST DLMF 4.24(ii).

    >>> x = Variable(np.array(0.0))
    >>> y = arccos(x)
    >>> y.backward()
    >>> x.grad
    array(-1.)
    """
    return Arccos()(x)


class Arctan(Function):
    """d arctan(x) = dx / (1 + x**2)."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.arctan(x)

    def backward(self, gy: Array) -> Array:
        x = self.inputs[0].data
        if x.dtype.kind == "c":
            return gy * InverseDifference().of(1j * x)
        return gy * InverseSum().of(x)


@documented
def arctan(x: Operand) -> Variable:
    """Inverse tangent, elementwise: ``np.arctan``.

    Derivative: ``1 / (1 + x**2)``.
    Source: NIST DLMF 4.24(ii).

    >>> x = Variable(np.array(0.0))
    >>> y = arctan(x)
    >>> y.backward()
    >>> x.grad
    array(1.)
    """
    return Arctan()(x)


class Hypot(Function):
    """dh = (x0 dx0 + x1 dx1) / h; 0 at (0, 0), the middle of the slopes in all directions."""

    elementwise = True

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

    elementwise = True

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
    wide, inside = (-3.0, 3.0), (-0.9, 0.9)
    sample = elementwise(wide, complex=True, truth=("sin(x)", "cos(x)"))
    register("sin", sin, Sin, numpy=np.sin, sample=sample)
    sample = elementwise(wide, complex=True, truth=("cos(x)", "-sin(x)"))
    register("cos", cos, Cos, numpy=np.cos, sample=sample)
    sample = elementwise((-1.0, 1.0), complex=True, truth=("tan(x)", "1 / cos(x)**2"))
    register("tan", tan, Tan, numpy=np.tan, sample=sample)
    sample = elementwise(inside, complex=True, truth=("asin(x)", "1 / sqrt(1 - x * x)"))
    register("arcsin", arcsin, Arcsin, numpy=np.arcsin, sample=sample)
    sample = elementwise(inside, complex=True, truth=("acos(x)", "-1 / sqrt(1 - x * x)"))
    register("arccos", arccos, Arccos, numpy=np.arccos, sample=sample)
    # The imaginary axis has the branch cuts.
    truth = "atan(x)", "1 / (1 + x * x)"
    sample = elementwise(wide, apart=np.abs, complex=True, truth=truth)
    register("arctan", arctan, Arctan, numpy=np.arctan, sample=sample)

    def from_origin(x1: Array, x2: Array) -> Array:
        return np.hypot(x1, x2) - 0.4

    def from_jump(x1: Array, x2: Array) -> Array:
        return np.where(x2 < 0.5, np.abs(x1), from_origin(x1, x2))

    sample = elementwise(wide, wide, apart=from_origin)
    register("hypot", hypot, Hypot, numpy=np.hypot, sample=sample)
    sample = elementwise(wide, wide, apart=from_jump)
    register("arctan2", arctan2, Arctan2, numpy=np.arctan2, sample=sample)
