"""Products of matrices and tensors."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from .table import LAZY_FUNCTIONS, Array, elementwise, implements, shape_without_memory


def _array(x: Any) -> Any:
    return x if isinstance(x, da.Array) else np.asarray(x)


def _of_dtype(y: Array, *operands: Any) -> Array:
    """Return a sum of products in NumPy's dtype: it adds short integers and booleans as such."""
    return y.astype(np.result_type(*(_array(x).dtype for x in operands)))


def _require_one_length(what: str, n: int, m: int) -> None:
    if n != m:  # Dask would repeat one element
        raise ValueError(f"np.{what} of axes of {n} and {m} elements, which must be the same.")


@implements(np.tensordot)
def _tensordot(x: Any, y: Any, axes: Any = 2) -> Array:
    x, y = da.asarray(x), da.asarray(y)
    if np.ndim(axes) == 0:
        if axes > min(x.ndim, y.ndim):
            raise ValueError(f"np.tensordot over {axes} axes, which one operand does not have.")
        axes = tuple(range(x.ndim - axes, x.ndim)), tuple(range(axes))
    # One number for each axis; those that are summed have the same in both.
    ours, theirs = (
        normalize_axis_tuple([int(i) for i in np.atleast_1d(part)], each.ndim)
        for part, each in zip(axes, (x, y), strict=True)
    )
    first = list(range(x.ndim))
    second = list(range(x.ndim, x.ndim + y.ndim))
    for i, j in zip(ours, theirs, strict=True):
        if x.shape[i] != y.shape[j]:
            raise ValueError("shape-mismatch for sum")
        second[j] = first[i]
    summed = {first[i] for i in ours}
    left = [number for number in first + second if number not in summed]
    return _of_dtype(da.einsum(x, first, y, second, left, optimize=False), x, y)


@implements(np.dot)
def _dot(x: Any, y: Any) -> Array:
    x, y = _array(x), _array(y)
    if not (x.ndim and y.ndim):
        return elementwise(np.multiply, x, y)
    return _tensordot(x, y, (-1, 0 if y.ndim == 1 else -2))


@implements(np.matmul, np.linalg.matmul)
def _matmul(x: Any, y: Any) -> Array:
    x, y = _array(x), _array(y)
    if x.ndim and y.ndim:
        _require_one_length("matmul", x.shape[-1], y.shape[-1 if y.ndim == 1 else -2])
    return _of_dtype(da.matmul(x, y), x, y)


@implements(np.inner)
def _inner(x: Any, y: Any) -> Array:
    x, y = _array(x), _array(y)
    return _tensordot(x, y, (-1, -1)) if x.ndim and y.ndim else elementwise(np.multiply, x, y)


@implements(np.vdot)
def _vdot(x: Any, y: Any) -> Array:
    x, y = (LAZY_FUNCTIONS[np.ravel](da.asarray(each)) for each in (x, y))
    _require_one_length("vdot", x.size, y.size)
    return _of_dtype(da.sum(elementwise(np.multiply, da.conj(x), y)), x, y)


@implements(np.outer, np.linalg.outer)
def _outer(x: Any, y: Any) -> Array:
    x, y = (LAZY_FUNCTIONS[np.ravel](da.asarray(each)) for each in (x, y))
    return elementwise(np.multiply, x[:, None], y[None, :])


@implements(np.vecdot, np.linalg.vecdot)
def _vecdot(x: Any, y: Any, axis: int = -1) -> Array:
    # The axis is counted in each operand; the others are broadcast.
    x, y = (da.moveaxis(da.asarray(each), axis, -1) for each in (x, y))
    _require_one_length("vecdot", x.shape[-1], y.shape[-1])
    products = elementwise(np.multiply, elementwise(np.conjugate, x), y)
    return _of_dtype(da.sum(products, axis=-1), x, y)


@implements(np.matvec)
def _matvec(x: Any, y: Any) -> Array:
    return _matmul(x, y[..., None])[..., 0]


@implements(np.vecmat)
def _vecmat(x: Any, y: Any) -> Array:
    return _matmul(np.conj(x)[..., None, :], y)[..., 0, :]


def _small(operand: Any) -> Any:
    if isinstance(operand, (da.Array, np.ndarray)):
        return np.zeros([min(n, 2) for n in operand.shape], operand.dtype)
    return operand


@implements(np.einsum)
def _einsum(*operands: Any, dtype: Any = None, order: str = "K", casting: str = "safe") -> Array:
    np.einsum_path(*map(shape_without_memory, operands), optimize=False)  # looks at lengths alone
    np.einsum(*map(_small, operands))  # takes no axis of one element for one of several
    y = da.einsum(*operands, dtype=dtype, casting=casting, optimize=False)
    # A string and arrays; or each array with a list after it, and one of the result.
    by_string = isinstance(operands[0], str)
    arrays = operands[1:] if by_string else operands[: len(operands) // 2 * 2 : 2]
    return _of_dtype(y, *arrays) if dtype is None else y.astype(dtype)
