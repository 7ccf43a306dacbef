"""Functions in which the derivatives of inverse functions are written.

Written out in roots and quotients, they would overflow on the way to a small number, or lose
digits in their own derivatives. Those of these are products of what they take and give.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core.extend import Array, certain

from ..declaring import Elementwise


class InverseRoot(Elementwise):
    """``1 / sqrt(1 - x**2)``, and ds = x s**3 dx."""

    saves = ("inputs", "outputs")

    def forward(self, x: Array) -> Array:
        if x.dtype.kind == "c":
            # Of numbers on a branch cut, 1 - x and 1 + x would lose the sign of 0 that says on
            # which side of it they are; and so would their product.
            return 1.0 / (np.sqrt(-(x - 1.0)) * np.sqrt(x - -1.0))
        return 1.0 / np.sqrt((1.0 - x) * (1.0 + x))

    def backward(self, gy: Array) -> Array:
        s = self.outputs[0]().data
        return gy * self.inputs[0].data * s * s * s


class InverseDifference(Elementwise):
    """``1 / (1 - x**2)``, and ds = 2 x s**2 dx."""

    saves = ("inputs", "outputs")

    def forward(self, x: Array) -> Array:
        return 1.0 / (1.0 - x) / (1.0 + x)

    def backward(self, gy: Array) -> Array:
        s = self.outputs[0]().data
        return gy * 2.0 * self.inputs[0].data * s * s


class InverseSumRoot(Elementwise):
    """``1 / sqrt(1 + x**2)`` of real numbers, and ds = -x s**3 dx."""

    saves = ("inputs", "outputs")

    def forward(self, x: Array) -> Array:
        with np.errstate(over="ignore"):
            y = 1.0 / np.sqrt(1.0 + x * x)
        if certain(np.all(y)):
            return y
        large = np.where(y == 0.0, x, 1.0)  # so that its square overflows
        return np.where(y == 0.0, 1.0 / np.absolute(large), y)

    def backward(self, gy: Array) -> Array:
        s = self.outputs[0]().data
        return gy * -(_finite(self.inputs[0].data) * s) * s * s


class InverseSum(Elementwise):
    """``1 / (1 + x**2)`` of real numbers, and ds = -2 x s**2 dx."""

    saves = ("inputs", "outputs")

    def forward(self, x: Array) -> Array:
        with np.errstate(over="ignore"):
            y = 1.0 / (1.0 + x * x)
        if certain(np.all(y)):
            return y
        large = np.where(y == 0.0, x, 1.0)  # as above
        return np.where(y == 0.0, 1.0 / large / large, y)

    def backward(self, gy: Array) -> Array:
        s = self.outputs[0]().data
        return gy * -2.0 * (_finite(self.inputs[0].data) * s) * s


def _finite(x: Array) -> Array:
    """Return `x` with the largest number for inf: of that times 0, the limit is 0."""
    largest = np.finfo(x.dtype).max
    return np.clip(x, -largest, largest)


class TimesI(Elementwise):
    """d(1j z) = 1j dz; the product would add 0 times something, and lose the sign of -0."""

    saves = ()

    def forward(self, z: Array) -> Array:
        if not isinstance(z, (np.ndarray, np.generic)):
            return _times_i(z)
        y = np.empty_like(z)
        y.real, y.imag = -z.imag, z.real
        return y

    def backward(self, gy: Array) -> Array:
        return gy * 1j


def _times_i(z: Array) -> Array:
    """Return ``1j z`` of an array that nobody can write into.

    In the sum, the sign of a real part of 0 is lost only where the imaginary part is not 0.
    """
    x, turned = z.real, -z.imag + 0j
    real = np.where(np.signbit(x), np.conjugate(turned), turned)
    infinite = np.where(x > 0, complex(0.0, np.inf), complex(0.0, -np.inf))
    beyond = np.where(np.isnan(x), complex(0.0, np.nan), infinite)
    apart = turned + np.where(np.isfinite(x), 1j * x, beyond)
    return np.where(x == 0, real, apart).astype(z.dtype)


class Unit(Elementwise):
    """``x0 / h`` and ``x1 / h`` with ``h = hypot(x0, x1)``: cosine and sine of the direction.

    With d(angle) = (x0 dx1 - x1 dx0) / h**2, d(cosine, sine) = (-sine, cosine) d(angle).
    At (0, 0) both are 0: the middle of all directions, with no derivative but nan.
    """

    saves = ("inputs", "outputs")

    def forward(self, x0: Array, x1: Array) -> tuple[Array, Array]:
        x0, x1, square, _ = _scaled(x0, x1)
        h = np.sqrt(np.where(square == 0, 1.0, square))
        return x0 / h, x1 / h

    def backward(self, g0: Array, g1: Array) -> tuple[Array, Array]:
        angle = g1 * self.outputs[0]().data - g0 * self.outputs[1]().data
        inverse0, inverse1 = Inverse().of(self.inputs[0].data, self.inputs[1].data)
        return -angle * inverse1, angle * inverse0


class Inverse(Elementwise):
    """``x0 / h**2`` and ``x1 / h**2`` with ``h = hypot(x0, x1)``: nan at (0, 0).

    They are p and q in 1 / (x0 + 1j x1) = p - 1j q; the derivative of that is its square.
    """

    saves = ("outputs",)

    def forward(self, x0: Array, x1: Array) -> tuple[Array, Array]:
        x0, x1, square, exponent = _scaled(x0, x1)
        if exponent is None:
            return x0 / square, x1 / square
        # Small ones are scaled up before they are divided: a subnormal quotient has lost digits.
        # The 2 and the 4 keep what is scaled below overflow, unless the quotient is not.
        up, down = np.maximum(exponent, 2) - 2, np.minimum(exponent, 2)
        p, q = (np.ldexp(x, up) / square for x in (x0, x1))
        return np.ldexp(p, down), np.ldexp(q, down)

    def backward(self, gp: Array, gq: Array) -> tuple[Array, Array]:
        p, q = self.outputs[0]().data, self.outputs[1]().data
        # A square of large p or q would be inf, and that times a gradient of 0 nan.
        less, more = p - q, p + q
        by_x0 = -gp * less * more - 2.0 * gq * p * q
        return by_x0, gq * less * more - 2.0 * gp * p * q


def _scaled(x0: Array, x1: Array) -> tuple[Array, Array, Array, Array | None]:
    """Return `x0` and `x1`, the sum of their squares, and None if that is safe as it is.

    Otherwise both are multiplied by a power of two, given by its exponent, that makes the larger
    about 1. An inf becomes 1, and what is finite beside it 0, as in the limit.
    """
    dtype = np.result_type(x0, x1)
    x0, x1 = _of_dtype(x0, dtype), _of_dtype(x1, dtype)
    with np.errstate(over="ignore"):
        square = x0 * x0 + x1 * x1
    if certain(((np.finfo(dtype).tiny < square) & (square < np.inf)).all()):
        return x0, x1, square, None
    infinite = np.isinf(x0) | np.isinf(x1)
    x0, x1 = (
        np.where(infinite & (x == x), np.copysign(np.isinf(x), x).astype(dtype), x)
        for x in (x0, x1)
    )
    exponent = -np.frexp(np.maximum(np.abs(x0), np.abs(x1)))[1]
    x0, x1 = np.ldexp(x0, exponent), np.ldexp(x1, exponent)
    return x0, x1, x0 * x0 + x1 * x1, np.where(infinite, -99_999, exponent)


def _of_dtype(x: Array, dtype: Any) -> Array:
    """Return an array, or a number as an ndarray, in a dtype."""
    is_array = hasattr(x, "__array_function__")
    return x.astype(dtype, copy=False) if is_array else np.asarray(x, dtype)
