"""Sums, products and squares with their rounding errors, and the sine of pi times a number."""

from __future__ import annotations

import numpy as np

from dezero_core.extend import Array

from ..arguments import floating


def sum_error(x: Array, y: Array) -> Array:
    """Return the exact sum less the rounded one.

    Source: Møller 1965.
    """
    total = x + y
    back = total - x
    return (x - (total - back)) + (y - back)


def product_error(x: Array, y: Array) -> Array:
    """Return the exact product less the rounded one: products of half the digits are exact.

    Source: Dekker 1971.
    """
    (x_high, x_low), (y_high, y_low) = _halves(x), _halves(y)
    return ((x_high * y_high - x * y) + x_high * y_low + x_low * y_high) + x_low * y_low


def _halves(x: Array) -> tuple[Array, Array]:
    wide = (4097.0 if x.dtype == np.float32 else 134217729.0) * x  # 2**12 + 1, 2**27 + 1
    high = wide - (wide - x)
    return high, x - high


def exact_sum(x: Array, y: Array) -> tuple[Array, Array]:
    """Return the rounded sum and its error, which is 0 if it is not finite."""
    return x + y, _finite_or_0(sum_error(x, y))


def exact_product(x: Array, y: Array) -> tuple[Array, Array]:
    """Return the rounded product of real numbers and its error, which is 0 if it is not finite."""
    return x * y, _finite_or_0(product_error(x, y))


def exact_square(z: Array) -> tuple[Array, Array]:
    """Return the rounded ``z**2``, real or complex, and its error."""
    z = z * floating(z).type(1.0)
    if not np.iscomplexobj(z):
        return exact_product(z, z)
    (x, of_x), (y, of_y) = (exact_product(part, part) for part in (z.real, z.imag))
    (xy, of_xy), (real, of_real) = exact_product(z.real, z.imag), exact_sum(x, -y)
    return real + 2j * xy, of_real + (of_x - of_y) + 2j * of_xy


def _finite_or_0(error: Array) -> Array:
    return np.where(np.isfinite(error), error, 0.0)


def sine_of_pi_times(x: Array) -> Array:
    """Return ``sin(pi x)``, by the distance from the nearest integer: it is 0 at integers."""
    nearest = np.round(x)
    return (1.0 - 2.0 * np.mod(nearest, 2.0)) * np.sin(np.pi * (x - nearest))
