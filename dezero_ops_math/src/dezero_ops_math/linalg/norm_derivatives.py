"""The derivatives of norms: for each ``ord``, the g of ``d|x| = Re(sum(g dx))``.

At 0, where a norm has a corner, g is 0, the middle of the slopes on all sides; likewise where one
element is 0 and the norm has a corner or a cusp there. There g has no derivative, and a quotient
or a power below makes it nan; of sums and extremes of absolute values it is 0, as of these. Where
several elements, or sums, or singular values are extreme at once, each has an equal share, as for
``max``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import Array, certain, possible

from ..arguments import data_of
from ..gradients import conjugated
from .spectra import shares

Order = Any


def slope_of_norm(x: Array, norm: Array, order: Order, axes: tuple[int, ...]) -> Array:
    """Return g for the norm of ``np.linalg.norm`` over `axes`; `norm` has them with length 1."""
    if order is None or order in ("fro", "f"):
        return _of_power(x, norm, 2.0, axes)
    if len(axes) == 2:
        return slope_of_matrix_norm(x, order, axes)
    return slope_of_vector_norm(x, norm, order, axes)


def slope_of_vector_norm(x: Array, norm: Array, order: Order, axes: tuple[int, ...]) -> Array:
    """Return g for a vector norm over any number of axes."""
    if order == 0:
        return np.zeros(x.shape, x.dtype)  # it counts
    if order in (np.inf, -np.inf):
        return _signs(x, shares(np.abs(data_of(x)), axes, largest=order > 0))
    return _of_power(x, norm, float(order), axes)


def _of_power(x: Array, norm: Array, p: float, axes: tuple[int, ...]) -> Array:
    if p == 1.0 or x.size == 0:
        return _signs(x)
    scaled, size = x, data_of(norm)
    least, most = _safe(size.dtype, p)
    safe = (least < size) & (size < most)
    if not certain(safe.all()):
        with np.errstate(all="ignore"):  # as forward has warned
            scaled = _scaled(x, safe, p, axes)
            norm = np.linalg.vector_norm(scaled, axis=axes, keepdims=True, ord=p)
    if p == 2.0:
        if isinstance(scaled, Variable) and certain(data_of(norm).all()):
            return conjugated(Direction(axes)(scaled, norm))
        return _over(conjugated(scaled), norm)
    if p > 0.0 and p % 2.0 == 0.0:  # smooth, but at 0: also where some elements are 0
        scaled = _over(scaled, norm)
        square = (scaled * conjugated(scaled)).real
        return (square if p == 4.0 else square ** (p / 2.0 - 1.0)) * conjugated(scaled)
    zero = data_of(x) == 0.0
    if not possible(zero.any()):
        zero = None
    signs = _signs(x if zero is None else np.where(zero, 1.0, x))
    if p > 2.0:
        return _over(np.abs(scaled), norm) ** (p - 1.0) * signs
    if p < 0.0:
        scaled = scaled if zero is None else np.where(zero, 1.0, scaled)
        with np.errstate(over="ignore"):  # of a quotient, of which the power is 0
            return _over(np.abs(scaled), norm, np.inf) ** (p - 1.0) * signs
    # A quotient may be rounded to 0 of which the power is not; neither power here is.
    with np.errstate(divide="ignore"):
        power, of_norm = np.abs(scaled) ** (p - 1.0), norm ** (1.0 - p)
    if zero is not None:
        power = np.where(zero, 0.0, power)
        of_norm = np.where(data_of(norm) == 0.0, 0.0, of_norm)
    return power * of_norm * signs


class Direction(Function):
    """``u = x / norm`` of the 2-norm over `axes`: du = (dx - u Re(sum(conj(u) dx))) / norm.

    That is all of its derivative, also what comes by the norm. A quotient would have it as well,
    but as a difference that cancels where one element is nearly all of the norm.
    """

    saves = ("inputs", "outputs")

    def __init__(self, axes: tuple[int, ...]) -> None:
        self.axes = axes

    def forward(self, x: Array, norm: Array) -> Array:
        return x / norm

    def backward(self, gy: Array) -> tuple[Array, None]:
        u = self.outputs[0]().data
        for _ in range(2):  # what the first difference has lost is along u: the second takes it out
            gy = gy - conjugated(u) * np.sum(gy * u, axis=self.axes, keepdims=True).real
        return gy / self.inputs[1].data, None


def _over(x: Array, norm: Array, at_0: float = 0.0) -> Array:
    """Return x / norm; where the norm is 0, x times `at_0`, and nan for its derivative."""
    zero = data_of(norm) == 0.0
    if not possible(zero.any()):
        return x / norm
    with np.errstate(divide="ignore"):
        corner = x * np.where(zero, at_0, 1.0 / norm)
    return np.where(zero, corner, x / np.where(zero, 1.0, norm))


@lru_cache
def _safe(dtype: np.dtype[Any], p: float) -> tuple[Any, Any]:
    """Return between which norms the powers that make them up keep their digits."""
    info = np.finfo(dtype)
    least = max((info.tiny / info.eps) ** (1.0 / abs(p)), info.tiny)
    return least, np.inf if p > 0.0 else 1.0 / least


def _scaled(x: Array, safe: Array, p: float, axes: tuple[int, ...]) -> Array:
    """Return `x` over a constant, by which the slope does not change, but where it is safe."""
    parts = (data_of(x).real, data_of(x).imag) if x.dtype.kind == "c" else (data_of(x),)
    sizes = np.maximum(np.abs(parts[0]), np.abs(parts[-1]))
    extreme = np.max if p > 0.0 else np.min  # of negative powers, that of the smallest is largest
    size = extreme(sizes, axis=axes, keepdims=True)
    infinite = np.isinf(size)
    if possible(infinite.any()):
        x = np.where(infinite, _ends(data_of(x)), x)
    size = np.where(safe | infinite | (size == 0.0), 1.0, size).astype(size.dtype)
    if x.dtype.kind == "c":  # a quotient of complex numbers would overflow
        return x.real / size + 1j * (x.imag / size)
    return x / size


def _ends(x: Array) -> Array:
    """Return the direction of elements that are inf, and 0 for those that are finite."""
    if x.dtype.kind == "c":
        return _ends(x.real) + 1j * _ends(x.imag)
    ends: Array = np.where(np.isnan(x), x, np.copysign(np.isinf(x), x))
    return ends.astype(x.dtype)


def _signs(x: Array, parts: Array | None = None) -> Array:
    """Return the conjugate signs of `x`, times the part that each has in the norm."""
    if x.dtype.kind == "c":
        infinite = np.isinf(data_of(x))
        if possible(infinite.any()):
            x = np.where(infinite, _ends(data_of(x)), x)
        if parts is not None:  # the others may be 0, where complex signs have no derivative
            x = np.where(parts == 0.0, 1.0, x)
    signs = conjugated(np.sign(x))
    return signs if parts is None else signs * parts


def slope_of_matrix_norm(x: Array, order: Order, axes: tuple[int, ...]) -> Array:
    """Return g for a matrix norm over two axes, of rows and of columns; not for 'fro'."""
    if order in (2, -2, "nuc"):
        return _of_singular_values(x, order, axes)
    summed, other = axes if order in (1, -1) else axes[::-1]
    with np.errstate(over="ignore"):
        sums = np.sum(np.abs(data_of(x)), axis=summed, keepdims=True)
    infinite = np.isinf(sums)
    if x.size and possible(infinite.any()):
        safe = ~np.any(infinite, axis=other, keepdims=True)
        scaled = _scaled(data_of(x), safe, 1.0, axes)
        sums = np.sum(np.abs(scaled), axis=summed, keepdims=True)
    return _signs(x, shares(sums, other, largest=order > 0))


def _of_singular_values(x: Array, order: Order, axes: tuple[int, ...]) -> Array:
    u, s, vh = np.linalg.svd(np.moveaxis(x, axes, (-2, -1)), full_matrices=False)
    gs = np.sign(s)
    corner = data_of(s) == 0.0
    if order != "nuc":
        part = shares(data_of(s), -1, largest=order > 0)
        gs, corner = gs * part, corner & (part != 0.0)
    if possible(corner.any()) and (u.shape != vh.shape or u.dtype.kind == "c"):
        # A length of several numbers. Of one, a real one, it is an absolute value.
        gs = np.where(corner, _over(s, s), gs)
    return np.moveaxis((conjugated(u) * gs[..., None, :]) @ conjugated(vh), (-2, -1), axes)
