"""Trigonometric functions, their inverses, and the two units of angles."""

from __future__ import annotations

import math

import numpy as np

from dezero_core.extend import Array, Operand

from ..declaring import Elementwise, analytic, elementwise, operation
from .inverse_derivatives import Inverse, InverseDifference, InverseRoot, InverseSum, Unit


class Sin(Elementwise):
    """Sine, elementwise: ``np.sin``.

    x: any shape, in radians.
    Source: NIST DLMF 4.20.1.

    >>> x = Variable(np.array(0.0))
    >>> sin(x).backward()
    >>> x.grad
    array(1.)
    """

    def forward(self, x: Operand) -> Array:
        return np.sin(x)

    def backward(self, gy: Array) -> Array:
        return gy * np.cos(self.inputs[0].data)


class Cos(Elementwise):
    """Cosine, elementwise: ``np.cos``.

    x: any shape, in radians.
    Source: NIST DLMF 4.20.2.

    >>> x = Variable(np.array(0.0))
    >>> cos(x).backward()
    >>> x.grad
    array(-0.)
    """

    def forward(self, x: Operand) -> Array:
        return np.cos(x)

    def backward(self, gy: Array) -> Array:
        return gy * -np.sin(self.inputs[0].data)


class Tan(Elementwise):
    """Tangent, elementwise: ``np.tan``.

    x: any shape, in radians.
    Derivative: ``1 + tan(x)**2``.
    Source: NIST DLMF 4.20.3.

    >>> x = Variable(np.array(0.0))
    >>> tan(x).backward()
    >>> x.grad
    array(1.)
    """

    saves = ("outputs",)

    def forward(self, x: Operand) -> Array:
        return np.tan(x)

    def backward(self, gy: Array) -> Array:
        # Of complex numbers far from the real axis 1 / cos(x) ** 2 would be exact to the last
        # digits too; but see Tanh.
        y = self.outputs[0]().data
        return gy * (1.0 + y * y)


class Arcsin(Elementwise):
    """Inverse sine, elementwise: ``np.arcsin``.

    x: any shape. Outside of [-1, 1] gives nan with a RuntimeWarning, as in NumPy.
    Derivative: inf at -1 and 1.
    Source: NIST DLMF 4.24(ii).

    >>> x = Variable(np.array(0.0))
    >>> arcsin(x).backward()
    >>> x.grad
    array(1.)
    """

    def forward(self, x: Operand) -> Array:
        return np.arcsin(x)

    def backward(self, gy: Array) -> Array:
        return gy * InverseRoot().of(self.inputs[0].data)


class Arccos(Elementwise):
    """Inverse cosine, elementwise: ``np.arccos``.

    x: any shape. Outside of [-1, 1] gives nan with a RuntimeWarning, as in NumPy.
    Derivative: -inf at -1 and 1.
    Source: NIST DLMF 4.24(ii).

    >>> x = Variable(np.array(0.0))
    >>> arccos(x).backward()
    >>> x.grad
    array(-1.)
    """

    def forward(self, x: Operand) -> Array:
        return np.arccos(x)

    def backward(self, gy: Array) -> Array:
        return gy * -InverseRoot().of(self.inputs[0].data)


class Arctan(Elementwise):
    """Inverse tangent, elementwise: ``np.arctan``.

    Source: NIST DLMF 4.24(ii).

    >>> x = Variable(np.array(0.0))
    >>> arctan(x).backward()
    >>> x.grad
    array(1.)
    """

    def forward(self, x: Operand) -> Array:
        return np.arctan(x)

    def backward(self, gy: Array) -> Array:
        x = self.inputs[0].data
        if x.dtype.kind == "c":
            return gy * InverseDifference().of(1j * x)
        return gy * InverseSum().of(x)


class Hypot(Elementwise):
    """Length of the hypotenuse, elementwise: ``sqrt(x1**2 + x2**2)``, ``np.hypot``.

    x1, x2: of shapes that broadcast, and real.
    Derivative: ``x1 / hypot(x1, x2)`` and ``x2 / hypot(x1, x2)``; 0 at (0, 0), the middle of the
        slopes in all directions. The second derivative there is nan, with a RuntimeWarning.

    >>> x1, x2 = Variable(np.array(3.0)), Variable(np.array(4.0))
    >>> y = hypot(x1, x2)
    >>> y.backward()
    >>> y, x1.grad, x2.grad
    (variable(5.0), array(0.6), array(0.8))
    """

    def forward(self, x1: Operand, x2: Operand) -> Array:
        return np.hypot(x1, x2)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        cosine, sine = Unit().of(self.inputs[0].data, self.inputs[1].data)
        return gy * cosine, gy * sine


class Arctan2(Elementwise):
    """Angle of the point ``(x2, x1)``, in radians, elementwise: ``np.arctan2``.

    x1, x2: ordinate and abscissa, of shapes that broadcast, and real.
    Derivative: ``x2 / (x1**2 + x2**2)`` and ``-x1 / (x1**2 + x2**2)``, also where the angle jumps
        from pi to -pi; nan at (0, 0), around which the angle takes every value.

    >>> x1, x2 = Variable(np.array(1.0)), Variable(np.array(1.0))
    >>> arctan2(x1, x2).backward()
    >>> x1.grad, x2.grad
    (array(0.5), array(-0.5))
    """

    def forward(self, x1: Operand, x2: Operand) -> Array:
        return np.arctan2(x1, x2)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        by_y, by_x = Inverse().of(self.inputs[1].data, self.inputs[0].data)
        return gy * by_y, -gy * by_x


class Rad2Deg(Elementwise):
    """Degrees of radians, elementwise: ``np.rad2deg``.

    x: any shape, in radians.
    Raises TypeError: if `x` is complex, as in NumPy.
    Note: the same as `degrees`.

    >>> rad2deg(Variable(np.array(np.pi)))
    variable(180.0)
    """

    saves = ()

    def forward(self, x: Operand) -> Array:
        return np.rad2deg(x)

    def backward(self, gy: Array) -> Array:
        # d(180 x / pi) = 180 dx / pi; a product takes a tenth of the time of ``np.rad2deg``.
        return gy * (180.0 / math.pi)


class Deg2Rad(Elementwise):
    """Radians of degrees, elementwise: ``np.deg2rad``.

    x: any shape, in degrees.
    Raises TypeError: if `x` is complex, as in NumPy.
    Note: the same as `radians`.

    >>> deg2rad(Variable(np.array(180.0)))
    variable(3.141592653589793)
    """

    saves = ()

    def forward(self, x: Operand) -> Array:
        return np.deg2rad(x)

    def backward(self, gy: Array) -> Array:
        return gy * (math.pi / 180.0)


class Degrees(Rad2Deg):
    """Degrees of radians, elementwise: ``np.degrees``.

    x: any shape, in radians.
    Raises TypeError: if `x` is complex, as in NumPy.
    Note: the same as `rad2deg`.

    >>> degrees(Variable(np.array(np.pi)))
    variable(180.0)
    """

    def forward(self, x: Operand) -> Array:
        return np.degrees(x)


class Radians(Deg2Rad):
    """Radians of degrees, elementwise: ``np.radians``.

    x: any shape, in degrees.
    Raises TypeError: if `x` is complex, as in NumPy.
    Note: the same as `deg2rad`.

    >>> radians(Variable(np.array(180.0)))
    variable(3.141592653589793)
    """

    def forward(self, x: Operand) -> Array:
        return np.radians(x)


def _from_origin(x1: Array, x2: Array) -> Array:
    return np.hypot(x1, x2) - 0.4


def _from_jump(x1: Array, x2: Array) -> Array:
    return np.where(x2 < 0.5, np.abs(x1), _from_origin(x1, x2))


_WIDE, _INSIDE = (-3.0, 3.0), (-0.9, 0.9)

sin = operation(Sin, analytic(_WIDE, truth=("sin(x)", "cos(x)")))
cos = operation(Cos, analytic(_WIDE, truth=("cos(x)", "-sin(x)")))
tan = operation(Tan, analytic((-1.0, 1.0), truth=("tan(x)", "1 / cos(x)**2")))
arcsin = operation(Arcsin, analytic(_INSIDE, truth=("asin(x)", "1 / sqrt(1 - x**2)")))
arccos = operation(Arccos, analytic(_INSIDE, truth=("acos(x)", "-1 / sqrt(1 - x**2)")))
arctan = operation(Arctan, analytic(_WIDE, apart=np.abs, truth=("atan(x)", "1 / (1 + x**2)")))
hypot = operation(Hypot, elementwise(_WIDE, _WIDE, apart=_from_origin))
arctan2 = operation(Arctan2, elementwise(_WIDE, _WIDE, apart=_from_jump))


_RAD2DEG_SAMPLE = elementwise((-3.0, 3.0), truth=("x * 180 / pi", "180 / pi"))
_DEG2RAD_SAMPLE = elementwise((-3.0, 3.0), truth=("x * pi / 180", "pi / 180"))

rad2deg = operation(Rad2Deg, _RAD2DEG_SAMPLE)
degrees = operation(Degrees, _RAD2DEG_SAMPLE)
deg2rad = operation(Deg2Rad, _DEG2RAD_SAMPLE)
radians = operation(Radians, _DEG2RAD_SAMPLE)
