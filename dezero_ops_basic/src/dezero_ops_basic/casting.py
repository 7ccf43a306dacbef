"""Conversion of the data type."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable

Array = Any


class Astype(Function):
    """Rounds at most; the engine converts the gradient back to the input's dtype."""

    saves = ()

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype

    def forward(self, x: Array) -> Array:
        return x.astype(self.dtype)

    def backward(self, gy: Array) -> Array:
        return gy


def astype(x: Variable, dtype: Any) -> Variable:
    """Convert the data type: ``x.astype(dtype)``.

    Parameters
    ----------
    x : Variable or ndarray
    dtype : data-type
        An integer or boolean one gives a constant: no gradient flows back.

    Returns
    -------
    Variable
        Of that dtype and the shape of `x`. Derivative: 1.

    Raises
    ------
    TypeError
        If `dtype` is no dtype of real numbers.

    Notes
    -----
    Source: ``numpy.ndarray.astype``.

    Examples
    --------
    >>> astype(Variable(np.array(1.5)), np.float32).dtype
    dtype('float32')
    """
    return Astype(np.dtype(dtype))(x)
