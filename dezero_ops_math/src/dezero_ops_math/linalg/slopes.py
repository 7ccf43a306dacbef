"""The derivatives of norms: for each ``ord``, the g of ``d|x| = Re(sum(g dx))``.

At 0, where a norm has a corner, g is 0, the middle of the slopes on all sides; likewise where one
element is 0 and the norm has a corner or a cusp there. Where several elements, or sums,
or singular values are extreme at once, each has an equal share, as for ``max``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .spectra import shares, values_of

Array = Any
Order = Any


def slope_of_norm(x: Array, norm: Array, order: Order, axes: tuple[int, ...]) -> Array:
    """Return g for what ``np.linalg.norm`` computes over `axes`; `norm` has them with length 1."""
    if order is None or order in ("fro", "f"):
        return _of_power(x, norm, 2.0)
    if len(axes) == 2:
        return slope_of_matrix_norm(x, order, axes)
    return slope_of_vector_norm(x, norm, order, axes)


def slope_of_vector_norm(x: Array, norm: Array, order: Order, axes: tuple[int, ...]) -> Array:
    """Return g for a vector norm over any number of axes."""
    if order == 0:
        return np.zeros(x.shape, x.dtype)  # it counts
    if order in (np.inf, -np.inf):
        return np.sign(x).conj() * shares(np.abs(values_of(x)), axes, largest=order > 0)
    return _of_power(x, norm, float(order))


def _of_power(x: Array, norm: Array, p: float) -> Array:
    if p == 1.0:
        return np.sign(x).conj()
    # Of x / norm, powers do not overflow.
    nothing = values_of(norm) == 0.0
    x = x * ~nothing / np.where(nothing, 1.0, norm)
    if p == 2.0:
        return x.conj()
    if p > 0.0 and p % 2.0 == 0.0:  # a polynomial: at 0 too it has all derivatives
        return (x * x.conj()).real ** (p / 2.0 - 1.0) * x.conj()
    return np.where(values_of(x) == 0.0, 1.0, np.abs(x)) ** (p - 1.0) * np.sign(x).conj()


def slope_of_matrix_norm(x: Array, order: Order, axes: tuple[int, ...]) -> Array:
    """Return g for a matrix norm over two axes, of rows and of columns; not for 'fro'."""
    if order in (2, -2, "nuc"):
        u, s, vh = np.linalg.svd(np.moveaxis(x, axes, (-2, -1)), full_matrices=False)
        gs = np.sign(s)
        if order != "nuc":
            gs = gs * shares(values_of(s), -1, largest=order > 0)
        return np.moveaxis((u.conj() * gs[..., None, :]) @ vh.conj(), (-2, -1), axes)
    summed, other = axes if order in (1, -1) else axes[::-1]
    sums = np.abs(values_of(x)).sum(axis=summed, keepdims=True)
    return np.sign(x).conj() * shares(sums, other, largest=order > 0)
