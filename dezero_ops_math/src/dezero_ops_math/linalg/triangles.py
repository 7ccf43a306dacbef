"""Systems of triangular matrices, which need no decomposition.

Whether a large matrix is triangular is asked of its values, once for each system: that takes a
few hundredths of the time of a decomposition, and is right however the matrix was made or changed.

An array that records the calls of NumPy takes each function of ndarrays here as one call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import Array, is_lazy, shape_of

from .spectra import swapped

#: Smaller matrices are decomposed in less time than it takes to look at them.
_FEW = 128

#: Rows that are solved for together: a block of this size is LAPACK's, all else are products.
_ROWS = 32

_ABOVE = ~np.tri(_ROWS, dtype=bool)
_DTYPES = {np.dtype(char) for char in "fdFD"}


def solved(a: Array, b: Array) -> Array:
    """Return ``np.linalg.solve(a, b)``, without a decomposition if `a` is triangular."""
    if shape_of(a)[-1:] < (_FEW,):
        return np.linalg.solve(a, b)
    return at_once(solve_by_values, np.linalg.solve, a, b)


def inverted(a: Array) -> Array:
    """Return ``np.linalg.inv(a)``, without a decomposition if `a` is triangular."""
    if shape_of(a)[-1:] < (_FEW,):
        return np.linalg.inv(a)
    return at_once(invert_by_values, np.linalg.inv, a)


def at_once(function: Callable[..., Any], by_numpy: Callable[..., Any], *xs: Array) -> Array:
    """Return ``function(*xs)`` of ndarrays, and ``by_numpy(*xs)`` of anything else.

    That is: Variables, whose derivatives NumPy's functions know; arrays without values; and arrays
    of another library. One of a type that knows what to do with a function of ndarrays, as an array
    that records does, is asked by NumPy's protocol.
    """
    others = [x for x in xs if type(x) is not np.ndarray]
    if not others:
        return function(*xs)
    if not any(isinstance(x, Variable) or is_lazy(x) for x in others):
        types = tuple({type(x) for x in xs})
        for x in others:
            ask = getattr(x, "__array_function__", None)
            found = NotImplemented if ask is None else ask(function, types, xs, {})
            if found is not NotImplemented:
                return found
    return by_numpy(*xs)


def substituted(a: Array, b: Array, lower: bool) -> Array:
    """Return the solution of ``a @ x == b``, for matrices `a` that are triangular, and `b`.

    Block by block of rows, from the one that has no unknowns of others. LAPACK decomposes the
    block, as all NumPy has of it. An upper triangle is its own decomposition, without a rounding
    error, so this is substitution; and a lower one, read backwards, is an upper one.

    Source: Golub and Van Loan 2013, section 3.1.
    """
    n = a.shape[-1]
    x = np.empty((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]), b.dtype)
    starts = range(0, n, _ROWS)
    for start in starts if lower else reversed(starts):
        rows = slice(start, start + _ROWS)
        known = slice(start) if lower else slice(start + _ROWS, n)
        rest = b[..., rows, :] - a[..., rows, known] @ x[..., known, :]
        block = a[..., rows, rows]
        if lower:
            turned = np.linalg.solve(block[..., ::-1, ::-1], rest[..., ::-1, :])
            x[..., rows, :] = turned[..., ::-1, :]
        else:
            x[..., rows, :] = np.linalg.solve(block, rest)
    return x


def solve_by_values(a: Array, b: Array) -> Array:
    """Return ``np.linalg.solve(a, b)`` of ndarrays, as the values of `a` suggest."""
    n, lead = a.shape[-1], a.shape[:-2]
    vector = b.ndim == 1
    matrices = b[:, None] if vector else b
    fits = a.dtype == b.dtype and a.dtype in _DTYPES and a.shape[-2:] == (n, n)
    fits = fits and matrices.shape[-2:-1] == (n,) and (vector or lead in ((), b.shape[:-2]))
    lower = _is_lower(a) if fits else None
    if lower is None:  # or what LAPACK raises for
        return np.linalg.solve(a, b)
    x = substituted(a, matrices, lower)
    return x[..., 0] if vector else x


def invert_by_values(a: Array) -> Array:
    """Return ``np.linalg.inv(a)`` of an ndarray, as its values suggest."""
    n = a.shape[-1]
    lower = _is_lower(a) if a.dtype in _DTYPES and a.shape[-2:] == (n, n) else None
    return np.linalg.inv(a) if lower is None else substituted(a, np.eye(n, dtype=a.dtype), lower)


def _is_lower(a: Array) -> bool | None:
    """Return whether all matrices are lower triangles, or all upper ones; None if neither."""
    n = a.shape[-1]
    # The corners of the first matrix: in most others than triangles, neither is 0.
    above, below = (a.item(n - 1), a.item(n * n - n)) if a.size else (0.0, 0.0)
    if above == 0.0 and _is_zero_above(a):
        return True
    if below == 0.0 and _is_zero_above(swapped(a)):
        return False
    return None


def _is_zero_above(a: Array) -> bool:
    """Return whether there is nothing above the diagonal: no nan either."""
    n = a.shape[-1]
    for start in range(0, n, _ROWS):
        end = start + _ROWS
        if a[..., start:end, end:].any():
            return False
    count, rest = divmod(n, _ROWS)
    last = a[..., n - rest :, n - rest :][..., _ABOVE[:rest, :rest]]
    blocks = a[..., : n - rest, : n - rest]
    blocks = blocks.reshape((*a.shape[:-2], count, _ROWS, count, _ROWS))
    on_diagonal = np.diagonal(blocks, axis1=-4, axis2=-2)
    return not (last.any() or on_diagonal[..., _ABOVE, :].any())
