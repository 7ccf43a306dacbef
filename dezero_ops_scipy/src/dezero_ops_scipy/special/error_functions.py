"""The error function, its complement, their inverses, and functions made of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Elementwise, analytic, applying, elementwise, operation

from dezero_core import Variable
from dezero_core.extend import Array, Operand

from .limits import finite, quietly
from .rounding import exact_product, exact_square
from .scaled_error_function import TWO_BY_ROOT_PI, DawsonDerivative, ErfcxDerivative, exp_of_inverse
from .squares import Gaussian

ROOT_PI, HALF_PI = math.sqrt(math.pi), 0.5 * math.pi
#: The number pi / 2 less `HALF_PI`, which is rounded.
HALF_PI_LOST = 6.123233995736766e-17


class Erf(Elementwise):
    """Error function, elementwise: ``scipy.special.erf``.

    x: any shape, real or complex.
    Derivative: ``2 / sqrt(pi) * exp(-x**2)``.
    Source: NIST DLMF 7.2.1.

    >>> x = Variable(np.array(0.0))
    >>> erf(x).backward()
    >>> x.grad
    array(1.12837917)
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.erf(x)

    def backward(self, gy: Array) -> Array:
        return gy * (TWO_BY_ROOT_PI * Gaussian(1.0).of(self.inputs[0].data))


class Erfc(Elementwise):
    """Complement of the error function, elementwise: ``scipy.special.erfc``.

    x: any shape, real or complex.
    Returns: ``1 - erf(x)``, with all digits also where that is small.
    Derivative: ``-2 / sqrt(pi) * exp(-x**2)``.
    Source: NIST DLMF 7.2.2.

    >>> erfc(Variable(np.array(20.0)))
    variable(5.395865611607901e-176)
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.erfc(x)

    def backward(self, gy: Array) -> Array:
        return gy * (-TWO_BY_ROOT_PI * Gaussian(1.0).of(self.inputs[0].data))


class Erfinv(Elementwise):
    """Inverse of the error function, elementwise: ``scipy.special.erfinv``.

    x: any shape, real, from -1 to 1.
    Returns: shape of `x`; infinite at -1 and 1, and nan beyond.
    Derivative: ``sqrt(pi) / 2 * exp(erfinv(x)**2)``, inf at -1 and 1.
    Raises TypeError: if `x` is complex.
    Source: the inverse of NIST DLMF 7.2.1; 7.17.

    >>> erfinv(Variable(np.array([0.0, 1.0])))
    variable([ 0. inf])
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.erfinv(x)

    def backward(self, gy: Array) -> Array:
        return gy * (0.5 * ROOT_PI * ExpOfSquare(Erfinv).of(self.inputs[0].data))


class Erfcinv(Elementwise):
    """Inverse of the complement of the error function, elementwise: ``scipy.special.erfcinv``.

    x: any shape, real, from 0 to 2.
    Returns: shape of `x`; infinite at 0 and 2, and nan beyond.
    Derivative: ``-sqrt(pi) / 2 * exp(erfcinv(x)**2)``, -inf at 0 and 2.
    Raises TypeError: if `x` is complex.
    Source: the inverse of NIST DLMF 7.2.2; 7.17.

    >>> erfcinv(Variable(np.array([0.0, 2.0])))
    variable([ inf -inf])
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.erfcinv(x)

    def backward(self, gy: Array) -> Array:
        return gy * (-0.5 * ROOT_PI * ExpOfSquare(Erfcinv).of(self.inputs[0].data))


class ExpOfSquare(Elementwise):
    """``e = exp(y**2)`` of an inverse y, and de = ±sqrt(pi) y e**2 dx, with a minus for erfcinv."""

    saves = ("inputs", "outputs")

    def __init__(self, inverse: type[Erfinv] | type[Erfcinv]) -> None:
        self.inverse = inverse

    def forward(self, x: Array) -> Array:
        erfc = 1.0 - np.abs(x) if self.inverse is Erfinv else np.minimum(x, 2.0 - x)
        return exp_of_inverse(erfc, np.abs(self.inverse().forward(x)))

    def backward(self, gy: Array) -> Array:
        e, y = self.outputs[0]().data, self.inverse().of(self.inputs[0].data)
        with np.errstate(all="ignore"):
            factor = ROOT_PI if self.inverse is Erfinv else -ROOT_PI
            return gy * (factor * y * e * e)


class Erfcx(Elementwise):
    """Scaled complement of the error function, elementwise: ``scipy.special.erfcx``.

    x: any shape, real or complex.
    Returns: ``exp(x**2) * erfc(x)``, which neither overflows nor underflows on the right.
    Derivative: ``2 * x * erfcx(x) - 2 / sqrt(pi)``, with all digits also where the two cancel.
    Source: NIST DLMF 7.2.2 and 7.10.

    >>> x = Variable(np.array(1e10))
    >>> erfcx(x).backward()
    >>> x.grad
    array(-5.64189584e-21)
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.erfcx(x)

    def backward(self, gy: Array) -> Array:
        return gy * ErfcxDerivative(1).of(self.inputs[0].data)


class Dawsn(Elementwise):
    """Dawson's integral, elementwise: ``scipy.special.dawsn``.

    x: any shape, real or complex.
    Derivative: ``1 - 2 * x * dawsn(x)``, with all digits also where the two cancel.
    Source: NIST DLMF 7.2.5.

    >>> x = Variable(np.array(1e10))
    >>> dawsn(x).backward()
    >>> x.grad
    array(-5.e-21)
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.dawsn(x)

    def backward(self, gy: Array) -> Array:
        return gy * DawsonDerivative(1).of(self.inputs[0].data)


class Wofz(Elementwise):
    """Faddeeva function, elementwise: ``scipy.special.wofz``.

    z: any shape, real or complex.
    Returns: ``exp(-z**2) * erfc(-1j * z)``, complex.
    Derivative: ``2j / sqrt(pi) - 2 * z * wofz(z)``, with all digits also where the two cancel.
    Source: NIST DLMF 7.2.3 and 7.10.

    >>> wofz(Variable(np.array(0.0)))
    variable((1+0j))
    """

    def forward(self, z: Operand) -> Array:
        return scipy.special.wofz(z)

    def backward(self, gy: Array) -> Array:
        with np.errstate(invalid="ignore"):
            return gy * (-1j * ErfcxDerivative(1).of(-1j * finite(self.inputs[0].data)))


class Fresnel(Elementwise):
    """d(S, C) = (sin(pi / 2 z**2), cos(pi / 2 z**2)) dz."""

    def forward(self, z: Array) -> tuple[Array, Array]:
        return scipy.special.fresnel(z)

    def backward(self, gs: Array, gc: Array) -> Array:
        z = self.inputs[0].data
        return gs * Chirp(0).of(z) + gc * Chirp(1).of(z)


class Chirp(Elementwise):
    """``sin(pi / 2 (z**2 + n))``; its derivative is pi z times that of n + 1."""

    def __init__(self, n: int) -> None:
        self.n = n

    @quietly
    def forward(self, z: Array) -> Array:
        square, lost = exact_square(z)
        quarters: Any = float(self.n)
        rest: Any = 0.0
        for part in (square.real, lost.real):
            part = np.fmod(part, 4.0)  # without rounding
            nearest = np.rint(part)
            quarters, rest = quarters + nearest, rest + (part - nearest)
        sine, cosine = np.sin(HALF_PI * rest), np.cos(HALF_PI * rest)
        if np.iscomplexobj(z):
            sine, cosine = _with_imaginary_part(sine, cosine, square.imag, lost.imag)
        wave = np.where(np.mod(quarters, 2.0) == 1.0, cosine, sine)
        return np.where(np.mod(quarters, 4.0) < 2.0, wave, -wave)

    def backward(self, gy: Array) -> Array:
        z = self.inputs[0].data
        with np.errstate(all="ignore"):
            return gy * (np.pi * z * Chirp(self.n + 1).of(z))


def _with_imaginary_part(sine: Array, cosine: Array, y: Array, lost: Array) -> tuple[Array, Array]:
    """Return sine and cosine of an angle to which 1j pi / 2 (y + lost) is added."""
    y, of_y = exact_product(y, HALF_PI * np.ones_like(y))
    lost = HALF_PI * lost + of_y + HALF_PI_LOST * y / HALF_PI
    cosh, sinh = np.cosh(y) + lost * np.sinh(y), np.sinh(y) + lost * np.cosh(y)
    return sine * cosh + 1j * (cosine * sinh), cosine * cosh - 1j * (sine * sinh)


@applying(Fresnel, analytic((-2.0, 2.0)))
def fresnel(z: Operand) -> tuple[Variable, Variable]:
    """Fresnel integrals, elementwise: ``scipy.special.fresnel``.

    z: any shape, real or complex.
    Returns (tuple of two Variables): `S`, the integral of ``sin(pi / 2 * t**2)`` from 0 to `z`, and
        `C`, that of the cosine.
    Derivative: ``sin(pi / 2 * z**2)`` and ``cos(pi / 2 * z**2)``, with all digits of the angle also
        where `z` is large; nan at infinity.
    Source: NIST DLMF 7.2.7 and 7.2.8.

    >>> z = Variable(np.array(1e8 + 1.0))
    >>> s, c = fresnel(z)
    >>> s.backward()
    >>> z.grad
    array(1.)
    """
    s, c = Fresnel()(z)
    return s, c


_WIDE = (-2.0, 2.0)

erf = operation(Erf, analytic(_WIDE))
erfc = operation(Erfc, analytic(_WIDE))
erfinv = operation(Erfinv, elementwise((-0.9, 0.9)))
erfcinv = operation(Erfcinv, elementwise((0.1, 1.9)))
erfcx = operation(Erfcx, analytic(_WIDE))
dawsn = operation(Dawsn, analytic(_WIDE))
wofz = operation(Wofz, analytic(_WIDE))
