"""Complete elliptic integrals, as functions of the parameter ``m = k**2``."""

from __future__ import annotations

import math

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Elementwise, elementwise, operation

from dezero_core.extend import Array, Operand

from ..arguments import floating
from .limits import finite

#: Below this parameter, SciPy's hypergeometric function for `ellipk` loses digits.
FAR = -100.0


class EllipticDerivative(Elementwise):
    """The derivative of K or E, of an order; its own is that of the next.

    The first are integrals of Carlson, and the others hypergeometric functions: both are there for
    any parameter below 1, and nothing cancels near 0.

    Source: NIST DLMF 19.25.1 and 19.18.1; 19.5.1, 19.5.2 and 16.3.1.
    """

    def __init__(self, name: str, order: int = 1) -> None:
        self.name, self.order = name, order

    def forward(self, m: Array) -> Array:
        n, a = self.order, 0.5 if self.name == "K" else -0.5
        if n == 1:
            return _carlson(1.0, 1.0 - m) if self.name == "K" else -_carlson(1.0 - m, 1.0)
        weight = float(scipy.special.poch(a, n) * scipy.special.poch(0.5, n))
        weight *= math.pi / (2.0 * math.factorial(n))
        below = finite(m)
        with np.errstate(all="ignore"):
            y = weight * scipy.special.hyp2f1(n + a, n + 0.5, n + 1.0, below)
            if self.name == "K":
                y = np.where(below < FAR, _far_derivative(n, np.minimum(below, FAR)), y)
        return np.where(np.greater(m, 1.0), np.nan, y).astype(floating(m))

    def backward(self, gy: Array) -> Array:
        return gy * EllipticDerivative(self.name, self.order + 1).of(self.inputs[0].data)


def _carlson(y: Array, z: Array) -> Array:
    """Return the derivative by -z of Carlson's R_F(0, y, z)."""
    return scipy.special.elliprd(0.0, y, z) / 6.0


def _far_derivative(n: int, m: Array) -> Array:
    """Return that of K by the differential equation, of K and its derivatives: DLMF 15.10.1."""
    y, slope = scipy.special.ellipk(m), _carlson(1.0, 1.0 - m)
    for k in range(n - 1):
        bend = ((k + 0.5) ** 2 * y - (k + 1.0) * (1.0 - 2.0 * m) * slope) / m / (1.0 - m)
        y, slope = slope, bend
    return slope


class Ellipk(Elementwise):
    """Complete elliptic integral of the first kind, elementwise: ``scipy.special.ellipk``.

    m: any shape, real, up to 1; the parameter ``k**2``, not the modulus.
    Returns: shape of `m`, dtype as SciPy gives it; inf at 1, and nan above.
    Derivative: ``(ellipe(m) / (1 - m) - ellipk(m)) / (2 * m)``, with the digits that this loses
        near 0; inf at 1.
    Raises TypeError: if `m` is complex.
    Source: NIST DLMF 19.4.1 and 19.25.1.

    >>> m = Variable(np.array([0.0, -1e20]))
    >>> ellipk(m).backward()  # pi / 8 at 0
    >>> m.grad
    array([3.92699082e-01, 1.17060726e-29])
    """

    def forward(self, m: Operand) -> Array:
        return scipy.special.ellipk(m)

    def backward(self, gy: Array) -> Array:
        return gy * EllipticDerivative("K").of(self.inputs[0].data)


class Ellipe(Elementwise):
    """Complete elliptic integral of the second kind, elementwise: ``scipy.special.ellipe``.

    m: any shape, real, up to 1; the parameter ``k**2``, not the modulus.
    Returns: shape of `m`, dtype as SciPy gives it; nan above 1.
    Derivative: ``(ellipe(m) - ellipk(m)) / (2 * m)``, with the digits that this loses near 0; -inf
        at 1.
    Raises TypeError: if `m` is complex.
    Source: NIST DLMF 19.4.2 and 19.25.1.

    >>> m = Variable(np.array([0.0, -1e20]))
    >>> ellipe(m).backward()  # -pi / 8 at 0
    >>> m.grad
    array([-3.92699082e-01, -5.00000000e-11])
    """

    def forward(self, m: Operand) -> Array:
        return scipy.special.ellipe(m)

    def backward(self, gy: Array) -> Array:
        return gy * EllipticDerivative("E").of(self.inputs[0].data)


_DOMAIN = (-2.0, 0.9)

ellipk = operation(Ellipk, elementwise(_DOMAIN))
ellipe = operation(Ellipe, elementwise(_DOMAIN))
