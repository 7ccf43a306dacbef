"""Diagonals of matrices and of stacks of them, and their sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..docstrings import documented
from ..shape import diagonals


@documented
def diagonal(x: Array, /, *, offset: int = 0) -> Variable:
    """The diagonal of each matrix: ``np.linalg.diagonal``.

    x: shape ``(..., m, n)``.
    offset: which diagonal: above the main one if positive, below it if negative.
    Returns: shape ``(..., k)``.
    Derivative: 1 for each element of the diagonal.
    Raises ValueError: if `x` is no matrix.
    Source: ``numpy.linalg.diagonal``. `numpy.diagonal` takes the first two axes instead.

    >>> diagonal(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([1. 4.])
    """
    return diagonals.diagonal(x, offset, -2, -1)


@documented
def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Variable:
    """The sum of the diagonal of each matrix: ``np.linalg.trace``.

    x: shape ``(..., m, n)``.
    offset: which diagonal: above the main one if positive, below it if negative.
    dtype: of the sum.
    Returns: shape ``(...)``.
    Derivative: 1 for each element of the diagonal.
    Raises ValueError: if `x` is no matrix.
    Source: ``numpy.linalg.trace``. `numpy.trace` takes the first two axes instead.

    >>> trace(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable(5.0)
    """
    return diagonals.trace(x, offset, -2, -1, dtype)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    matrix, stack = Draw((3, 4)), Draw((2, 3, 2))
    calls = Call(matrix), Call(stack), Call(matrix, offset=1), Call(stack, offset=-1)
    sample = Sample((*calls, Call(Draw((0, 2, 2))), Call(Draw((2, 0)))), complex=True)
    register("linalg.diagonal", diagonal, numpy=np.linalg.diagonal, sample=sample)
    sample = Sample((*calls, Call(matrix, dtype=complex)), complex=True)
    register("linalg.trace", trace, numpy=np.linalg.trace, sample=sample)
