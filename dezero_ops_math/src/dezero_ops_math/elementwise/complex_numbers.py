"""Angle of complex numbers, and real numbers in place of them."""

from __future__ import annotations

import numpy as np

from dezero_core.extend import Array, Operand

from ..declaring import Call, Draw, Elementwise, LinearMap, operation
from .inverse_derivatives import Inverse, TimesI


class Angle(Elementwise):
    """Angle with the positive real axis, elementwise: ``np.angle``.

    deg: whether the angle is in degrees; by default it is in radians.
    Returns: shape of `z`, real.
    Derivative: ``-z.imag / abs(z)**2`` by the real part, ``z.real / abs(z)**2`` by the imaginary
        part; nan at 0, around which the angle takes every value; 0 if `z` is real.
    Source: NIST DLMF 4.2.3 and 4.7.1; ``numpy.angle``.

    >>> z = Variable(np.array(2.0j))
    >>> y = angle(z, deg=True)
    >>> y.backward()
    >>> y, np.round(z.grad.real, 1)
    (variable(90.0), np.float64(-28.6))
    """

    def __init__(self, deg: bool = False) -> None:
        self.deg = deg

    def forward(self, z: Operand) -> Array:
        return np.angle(z, self.deg)

    def backward(self, gy: Array) -> Array:
        # angle(z) = Im log(z), so d = Re(-i dz / z); of real numbers constant, 0 or pi.
        z = self.inputs[0].data
        if z.dtype.kind != "c":
            return np.zeros(gy.shape, gy.dtype)
        if self.deg:
            gy = gy * (180.0 / np.pi)
        p, q = Inverse().of(np.real(z), np.imag(z))  # 1 / z = p - 1j q, without overflow
        return -(gy * q) - TimesI().of((gy * p).astype(z.dtype))


class RealIfClose(LinearMap):
    """The real part, if all imaginary parts are tiny: ``np.real_if_close``.

    tol: below which they are tiny: in units of the dtype's precision if above 1, else absolute.
    Returns: shape of `a`, real or complex; a view of the data.
    Derivative: 1; by the imaginary part 0 where that is dropped.
    Raises VariableTypeError (TypeError): if `a` is no number, or `tol` is a Variable.

    >>> real_if_close(Variable(np.array([1.0 + 1e-16j, 2.0])))
    variable([1. 2.])
    """

    linear = False

    def __init__(self, tol: float = 100) -> None:
        self.tol = tol

    def forward(self, a: Operand) -> Array:
        return np.real_if_close(a, self.tol)

    def backward(self, gy: Array) -> Array:
        return gy


# Apart from the negative real axis, where the angle jumps.
_RIGHT, _LEFT = (0.5, 3.0), (-3.0, -0.5)

angle = operation(
    Angle,
    *(Call(Draw((2, 3), _RIGHT)), Call(Draw((2, 3), _LEFT), True)),
    *(Call(Draw((3,), _RIGHT), deg=True), Call(Draw((), _LEFT)), Call(Draw((0, 3)))),
)
real_if_close = operation(
    RealIfClose,
    *(Call(Draw((2, 3))), Call(Draw((2, 3)), 1e-3), Call(Draw(), tol=1000), Call(Draw((0, 3)))),
    name="real_if_close",
)
