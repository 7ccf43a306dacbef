"""Products of matrices and tensors."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np

from .table import LOWERINGS, Array, elementwise, lowers


def _array(x: Any) -> Any:
    return x if isinstance(x, da.Array) else np.asarray(x)


@lowers(np.tensordot)
def _tensordot(x: Any, y: Any, axes: Any = 2) -> Array:
    x, y = da.asarray(x), da.asarray(y)
    if np.ndim(axes) == 0:
        axes = tuple(range(x.ndim - axes, x.ndim)), tuple(range(axes))
    # One letter for each axis; those that are summed have the same in both.
    ours, theirs = ([int(i) for i in np.atleast_1d(part)] for part in axes)
    first = list(range(x.ndim))
    second = list(range(x.ndim, x.ndim + y.ndim))
    for i, j in zip(ours, theirs, strict=True):
        if x.shape[i] != y.shape[j]:
            raise ValueError("shape-mismatch for sum")
        second[j] = first[i]
    summed = {first[i] for i in ours}
    left = [letter for letter in first + second if letter not in summed]
    return _einsum_of(x, first, y, second, left)


def _einsum_of(x: Array, first: Any, y: Array, second: Any, left: Any) -> Array:
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    one, two, out = ("".join(letters[i] for i in part) for part in (first, second, left))
    return da.einsum(f"{one},{two}->{out}", x, y, optimize=False)


@lowers(np.dot)
def _dot(x: Any, y: Any) -> Array:
    x, y = _array(x), _array(y)
    if not (x.ndim and y.ndim):
        return elementwise(np.multiply, x, y)
    return _tensordot(x, y, (-1, 0 if y.ndim == 1 else -2))


@lowers(np.matmul, np.linalg.matmul)
def _matmul(x: Any, y: Any) -> Array:
    return da.matmul(x, y)


@lowers(np.inner)
def _inner(x: Any, y: Any) -> Array:
    x, y = _array(x), _array(y)
    return _tensordot(x, y, (-1, -1)) if x.ndim and y.ndim else elementwise(np.multiply, x, y)


@lowers(np.vdot)
def _vdot(x: Any, y: Any) -> Array:
    x, y = (LOWERINGS[np.ravel](da.asarray(each)) for each in (x, y))
    return da.sum(elementwise(np.multiply, da.conj(x), y))


@lowers(np.outer)
def _outer(x: Any, y: Any) -> Array:
    x, y = (LOWERINGS[np.ravel](da.asarray(each)) for each in (x, y))
    return elementwise(np.multiply, x[:, None], y[None, :])


@lowers(np.linalg.outer)
def _linalg_outer(x: Any, y: Any) -> Array:
    return _outer(x, y)


@lowers(np.vecdot, np.linalg.vecdot)
def _vecdot(x: Any, y: Any, axis: int = -1) -> Array:
    return da.sum(elementwise(np.multiply, elementwise(np.conjugate, _array(x)), y), axis=axis)


@lowers(np.matvec)
def _matvec(x: Any, y: Any) -> Array:
    return _matmul(x, y[..., None])[..., 0]


@lowers(np.vecmat)
def _vecmat(x: Any, y: Any) -> Array:
    return _matmul(np.conj(x)[..., None, :], y)[..., 0, :]


@lowers(np.einsum)
def _einsum(*operands: Any, dtype: Any = None, order: str = "K", casting: str = "safe") -> Array:
    return da.einsum(*operands, dtype=dtype, casting=casting, optimize=False)
