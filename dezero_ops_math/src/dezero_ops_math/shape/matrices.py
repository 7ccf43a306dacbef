"""Matrices with elements on a diagonal."""

from __future__ import annotations

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..docstrings import documented
from .diagonals import OnDiagonal


class Diag(Function):
    """The gradient is taken from the diagonal, or goes back to it."""

    saves = ()

    def __init__(self, k: int) -> None:
        self.k = k

    def forward(self, v: Array) -> Array:
        self.shape = np.shape(v)
        return np.diag(v, self.k)

    def backward(self, gy: Array) -> Array:
        if len(self.shape) == 1:
            return np.diagonal(gy, self.k)
        return OnDiagonal(self.shape, self.k, 0, 1).of(gy)


@documented
def diag(v: Array, k: int = 0) -> Variable:
    """The matrix with a diagonal, or the diagonal of a matrix: ``np.diag``.

    v: a diagonal, of one axis; or a matrix, of two.
    k: how far above the main diagonal; negative for below.
    Returns: a matrix of zeros around the diagonal; or the diagonal.
    Derivative: 1 on it.
    Raises ValueError: if `v` has neither one axis nor two.

    >>> diag(Variable(np.array([1.0, 2.0])))
    variable([[1. 0.]
              [0. 2.]])
    """
    return Diag(k)(v)


class DiagFlat(Function):
    """The gradient is taken from the diagonal."""

    saves = ()

    def __init__(self, k: int) -> None:
        self.k = k

    def forward(self, v: Array) -> Array:
        self.shape = np.shape(v)
        return np.diagflat(v, self.k)

    def backward(self, gy: Array) -> Array:
        return np.diagonal(gy, self.k).reshape(self.shape)


@documented
def diagflat(v: Operand, k: int = 0) -> Variable:
    """The matrix with the elements of an array on a diagonal: ``np.diagflat``.

    v: any shape; flattened.
    k: how far above the main diagonal; negative for below.
    Returns: a matrix of zeros around the diagonal.
    Derivative: 1 on it.
    Raises TypeError: if `k` is no integer.

    >>> diagflat(Variable(np.array(2.0)), 1)
    variable([[0. 2.]
              [0. 0.]])
    """
    return DiagFlat(k)(v)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a = Draw((3, 4))
    line = Draw((3,))
    calls: tuple[Call, ...] = (
        Call(line),
        Call(line, 2),
        Call(line, k=-1),
        Call(Draw((1,))),
        Call(Draw((0,)), 1),
    )
    matrices = Call(a), Call(a, 1), Call(a, k=-2), Call(a, 9), Call(Draw((0, 3)))
    register("diag", diag, Diag, numpy=np.diag, sample=Sample(calls + matrices, complex=True))
    calls += Call(a), Call(Draw(), 1), Call(Draw((2, 1, 2)), k=-1)
    register("diagflat", diagflat, DiagFlat, numpy=np.diagflat, sample=Sample(calls, complex=True))
