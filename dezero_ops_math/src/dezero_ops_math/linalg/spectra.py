"""Helpers of the decompositions: matrices of a stack, and differences in a spectrum.

The vectors of a decomposition turn by ``1 / (w[j] - w[i])`` when the matrix changes. Where two
values are equal, the vectors are any basis of a space, and have no derivative. For a loss of the
space as a whole that would not matter; for one that recombines vectors with values, such as
``(v * f(w)) @ v.T``, the gradients of `w` and `v` do not say how the values part. The two cannot
be told apart, so both get nan: 0 / 0 where values are equal to the last bit; where they are so
to rounding, wherever these vectors are used. Values count as equal, or as 0, within the rounding
errors of the largest, as they do for ``np.linalg.matrix_rank``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core.extend import Array, certain, possible

from ..arguments import data_of
from ..gradients import conjugated


def swapped(x: Array) -> Array:
    """Return each matrix transposed."""
    return np.swapaxes(x, -1, -2)


def adjoint(x: Array) -> Array:
    """Return each matrix transposed and conjugated."""
    return conjugated(swapped(x))


def hermitian(x: Array) -> Array:
    """Return the part of each matrix that stays the same with `adjoint`."""
    return (x + adjoint(x)) * 0.5


def skew(x: Array) -> Array:
    """Return the part of each matrix that changes its sign with `adjoint`."""
    return (x - adjoint(x)) * 0.5


def reciprocal(x: Array, zero: Array) -> Array:
    """Return 1 / x, and 0 where the mask `zero` holds."""
    return ~zero / np.where(zero, 1.0, x)


def rounding(w: Array, size: int) -> Array:
    """Return how large rounding errors are in the values `w` of matrices of that size."""
    values = np.abs(data_of(w))
    return np.max(values, axis=-1, keepdims=True, initial=0.0) * (
        size * float(np.finfo(values.dtype).eps)
    )


def over_differences(x: Array, w: Array, size: int, used: Array) -> Array:
    """Return ``x[i, j] / (w[j] - w[i])``, 0 on the diagonal, and nan where it is not defined."""
    differences = w[..., None, :] - w[..., :, None]
    used = (used | swapped(used)) & ~np.eye(w.shape[-1], dtype=bool)
    exact = (data_of(differences) == 0) & ~np.eye(w.shape[-1], dtype=bool)
    return over(x, differences, rounding(w, size)[..., None], used | exact)


def over_sums(x: Array, w: Array, size: int, used: Array) -> Array:
    """Return ``x[i, j] / (w[i] + w[j])``, 0 on the diagonal, and nan where it is not defined."""
    sums = w[..., None, :] + w[..., :, None]
    used = (used | swapped(used)) & ~np.eye(w.shape[-1], dtype=bool)
    return over(x, sums, rounding(w, size)[..., None], used)


def over(x: Array, divisor: Array, small: Array, used: Array) -> Array:
    """Return x / divisor. Where that is `small`, it is nan if `used`, and else 0."""
    zero = np.abs(data_of(divisor)) <= small
    undefined = zero & used
    quotient = x * reciprocal(divisor, zero)
    if not possible(undefined.any()):
        return quotient
    return quotient + np.where(undefined, np.nan, 0.0).astype(data_of(quotient).real.dtype)


def shares(values: Array, axis: Any, largest: bool) -> Array:
    """Return the part that each has in being extreme: 1 for one alone, shared over ties."""
    if largest:
        extreme = np.max(values, axis=axis, keepdims=True, initial=0.0)  # none is negative
    else:
        extreme = np.min(values, axis=axis, keepdims=True)
    tied = values == extreme
    nan = extreme != extreme
    if possible(nan.any()):
        tied = tied | ((values != values) & nan)
    if certain(np.count_nonzero(tied) == extreme.size):  # each is alone
        return tied.astype(values.dtype)
    return (tied / np.sum(tied, axis=axis, keepdims=True)).astype(values.dtype)
