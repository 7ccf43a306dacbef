"""Spherical harmonics."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Call, Draw, Elementwise, applying

from dezero_core import Variable
from dezero_core.extend import Array, Operand

from ..arguments import floating, refuse_derivative


class SphHarmY(Elementwise):
    """``Y = P exp(i m phi)``, and dY = exp(i m phi) dP + i m Y dphi, where P is of theta alone."""

    saves = ("inputs", "outputs")
    arrays = "numpy: scipy.special.sph_harm_y makes ndarrays of its arguments"

    def forward(self, n: Array, m: Array, theta: Array, phi: Array) -> Array:
        y = scipy.special.sph_harm_y(n, m, theta, phi)
        return y.astype(np.result_type(theta, phi, np.complex64))  # SciPy's is complex128 anyway

    def backward(self, gy: Array) -> tuple[None, None, Array | None, Array | None]:
        n, m, theta, phi = (each.data for each in self.inputs)
        by_theta, by_phi = self.needs_grad[2:]
        g_theta = g_phi = None
        if by_theta:
            g_theta = np.real(gy * np.exp(1j * m * phi)) * PolarDerivative(1).of(n, m, theta)
        if by_phi:
            g_phi = np.real(gy * (1j * m * self.outputs[0]().data))
        return None, None, g_theta, g_phi


class PolarDerivative(Elementwise):
    """The derivative of ``Y[n, m](theta, 0)`` by theta, of an order; its own is that of the next.

    By the ladder operators it is a difference of those of ``m + 1`` and ``m - 1``: the cotangent of
    other formulas is infinite at the poles.

    Source: Edmonds 1957, section 2.3.
    """

    arrays = "numpy: scipy.special.sph_harm_y makes ndarrays of its arguments"

    def __init__(self, order: int) -> None:
        self.order = order

    def forward(self, n: Array, m: Array, theta: Array) -> Array:
        return _polar(self.order, n, m, theta).astype(floating(theta))

    def backward(self, gy: Array) -> tuple[None, None, Array]:
        n, m, theta = (each.data for each in self.inputs)
        return None, None, gy * PolarDerivative(self.order + 1).of(n, m, theta)


def _polar(order: int, n: Array, m: Array, theta: Array) -> Array:
    if order == 0:
        return np.real(scipy.special.sph_harm_y(n, m, theta, 0.0))
    total: Any = 0.0
    for step in (1, -1):
        to = np.add(m, step, dtype=np.int64)
        square = (n + 0.5) ** 2 - (0.5 * (m + to)) ** 2  # (n - m)(n + m + 1), if it goes up
        weight = 0.5 * step * np.sqrt(np.maximum(square, 0.0))  # beyond n all are 0
        total = total + weight * _polar(order - 1, n, to, theta)
    return total


_M = np.array([-2, 0, 1])
_COLATITUDES, _ANGLES = (0.1, 3.0), (0.0, 6.0)


@applying(
    SphHarmY,
    *(Call(3, m, Draw((2,), _COLATITUDES), Draw((2,), _ANGLES)) for m in (-3, 0, 1, 2)),
    Call(2, _M, Draw((2, 1), _COLATITUDES), Draw((3,), _ANGLES)),
    Call(1, 1, Draw((), _COLATITUDES), Draw((0, 3), _ANGLES)),
    complex=False,
)
def sph_harm_y(n: Any, m: Any, theta: Operand, phi: Operand) -> Variable:
    """Spherical harmonic, elementwise: ``scipy.special.sph_harm_y``, without its ``diff_n``.

    n, m (ndarray of int, or int): degree and order, constants.
    theta: the angle from the north pole, real.
    phi: the angle around the axis, real. All have shapes that broadcast.
    Returns: complex; complex64 for angles in float32, where SciPy gives complex128.
    Derivative: ``(a * Y[n, m + 1] * exp(-1j * phi) - b * Y[n, m - 1] * exp(1j * phi)) / 2`` by
        `theta`, with ``a**2 = (n - m) * (n + m + 1)`` and ``b**2 = (n + m) * (n - m + 1)``;
        ``1j * m * Y[n, m]`` by `phi`; none by `n` and `m`. The gradients of real angles are real.
    Raises VariableTypeError (TypeError): if `n` or `m` is a Variable.
    Raises TypeError: if an angle is complex.
    Source: NIST DLMF 14.30.1; Edmonds 1957, section 2.3.

    >>> theta = Variable(np.array(np.pi / 2))
    >>> sph_harm_y(1, 0, theta, 0.0).real.backward()  # sqrt(3 / (4 pi)) cos(theta)
    >>> theta.grad
    array(-0.48860251)
    """
    refuse_derivative("special.sph_harm_y", n=n, m=m)
    return SphHarmY()(n, m, theta, phi)
