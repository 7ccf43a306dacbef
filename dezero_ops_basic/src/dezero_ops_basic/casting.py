"""Conversion of the data type."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array


class Astype(Function):
    """Rounds at most; the engine converts the gradient back to the input's dtype."""

    saves = ()
    elementwise = True

    def __init__(self, dtype: Any, copy: bool) -> None:
        self.dtype, self.copy = dtype, copy

    def forward(self, x: Array) -> Array:
        return x.astype(self.dtype, copy=self.copy)

    def backward(self, gy: Array) -> Array:
        return gy


def astype(x: Variable, dtype: Any, *, copy: bool = True) -> Variable:
    """Convert the data type: ``x.astype(dtype)``, ``np.astype``.

    Parameters
    ----------
    x : Variable or ndarray
    dtype : data-type
        An integer or boolean one gives a constant: no gradient flows back.
    copy : bool
        Whether the data are copied where they are of that dtype already.

    Returns
    -------
    Variable
        Of that dtype and the shape of `x`. Derivative: 1.

    Raises
    ------
    TypeError
        If `dtype` is no dtype of numbers.

    Notes
    -----
    Source: ``numpy.ndarray.astype``.

    Examples
    --------
    >>> astype(Variable(np.array(1.5)), np.float32).dtype
    dtype('float32')
    """
    return Astype(dtype, copy)(x)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""

    def sample(kit: Any) -> Any:
        x = kit.Draw((2, 3))
        calls = [kit.Call(x, dtype) for dtype in (np.float64, np.longdouble, complex)]
        return kit.Sample(*calls, kit.Call(kit.Draw(), "float64"), kit.Call(x, float, copy=False))

    register("astype", astype, Astype, methods="astype", numpy=np.astype, sample=sample)
