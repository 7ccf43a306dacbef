"""Inverses of matrices, and of arrays that stand for one."""

from __future__ import annotations

import math

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..docstrings import documented
from .spectra import swapped


class Inv(Function):
    """From Y A = I: dY = -Y dA Y."""

    saves = ("outputs",)

    def forward(self, a: Array) -> Array:
        return np.linalg.inv(a)

    def backward(self, gy: Array) -> Array:
        turned = swapped(self.outputs[0]().data)
        return -(turned @ gy @ turned)


@documented
def inv(a: Array) -> Variable:
    """Inverse of matrices: ``np.linalg.inv``.

    a: shape ``(..., n, n)``.
    Returns: shape of `a`.
    Derivative: ``-y dA y``.
    Raises LinAlgError (ValueError): if `a` is singular, or not square.
    Source: Giles 2008, section 2.2.

    >>> inv(Variable(np.array([[2.0, 0.0], [0.0, 4.0]])))
    variable([[0.5  0.  ]
              [0.   0.25]])
    """
    return Inv()(a)


class TensorInv(Function):
    """The inverse of a matrix whose rows and columns are numbered by several axes."""

    saves = ("outputs",)

    def __init__(self, ind: int) -> None:
        self.ind = ind

    def forward(self, a: Array) -> Array:
        y = np.linalg.tensorinv(a, self.ind)
        self.shape = a.shape
        return y

    def backward(self, gy: Array) -> Array:
        y = self.outputs[0]().data
        n = math.prod(self.shape[self.ind :])
        turned = swapped(y.reshape((n, n)))
        return -(turned @ gy.reshape((n, n)) @ turned).reshape(self.shape)


@documented
def tensorinv(a: Array, ind: int = 2) -> Variable:
    """Inverse of the linear map that an array is to ``tensordot``: ``np.linalg.tensorinv``.

    a: with as many elements in the first `ind` axes as in the others.
    ind: how many axes number the rows.
    Returns: the last axes of `a`, then the first `ind`.
    Derivative: that of `inv`.
    Raises LinAlgError (ValueError): if the matrix is singular, or not square.
    Raises ValueError: if `ind` is not positive.

    >>> tensorinv(Variable(np.array([[2.0, 0.0], [0.0, 4.0]])), ind=1)
    variable([[0.5  0.  ]
              [0.   0.25]])
    """
    return TensorInv(ind)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    regular = (2, 2), (3, 3), (1, 1), (2, 2, 2), (2, 1, 3, 3), (0, 0), (2, 0, 0), (0, 2, 2)
    calls = tuple(Call(Draw(shape, plus=6.0 * np.eye(shape[-1]))) for shape in regular)
    register("linalg.inv", inv, Inv, numpy=np.linalg.inv, sample=Sample(calls, complex=True))
    plus = 12.0 * np.eye(6)
    calls = (
        Call(Draw((2, 3, 6), plus=plus.reshape(2, 3, 6))),
        Call(Draw((6, 3, 2), plus=plus.reshape(6, 3, 2)), 1),
        Call(Draw((2, 2, 2, 2), plus=12.0 * np.eye(4).reshape(2, 2, 2, 2)), ind=2),
        Call(Draw((1, 1), (1.0, 3.0)), 1),
    )
    register(
        "linalg.tensorinv",
        tensorinv,
        TensorInv,
        numpy=np.linalg.tensorinv,
        sample=Sample(calls, complex=True),
    )
