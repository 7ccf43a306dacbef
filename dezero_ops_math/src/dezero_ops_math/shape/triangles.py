"""The elements on one side of a diagonal."""

from __future__ import annotations

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..docstrings import documented


class Tril(Function):
    """The gradient is cut to the same triangle."""

    saves = ()

    def __init__(self, k: int) -> None:
        self.k = k

    def forward(self, m: Array) -> Array:
        return np.tril(m, self.k)

    def backward(self, gy: Array) -> Array:
        return np.tril(gy, self.k)


@documented
def tril(m: Array, k: int = 0) -> Variable:
    """The triangle below a diagonal, with zeros above: ``np.tril``.

    m: matrices, on the last two axes. One axis stands for equal rows.
    k: the diagonal that belongs to it: how far above the main one, negative for below.
    Returns: shape and dtype of `m`.
    Derivative: 1 in the triangle, 0 outside: an inf or nan there does not reach the gradient from
        here.
    Raises TypeError: if `m` has no axis.

    >>> tril(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([[1. 0.]
              [3. 4.]])
    """
    return Tril(k)(m)


class Triu(Function):
    """The gradient is cut to the same triangle."""

    saves = ()

    def __init__(self, k: int) -> None:
        self.k = k

    def forward(self, m: Array) -> Array:
        return np.triu(m, self.k)

    def backward(self, gy: Array) -> Array:
        return np.triu(gy, self.k)


@documented
def triu(m: Array, k: int = 0) -> Variable:
    """The triangle above a diagonal, with zeros below: ``np.triu``.

    m: matrices, on the last two axes. One axis stands for equal rows.
    k: the diagonal that belongs to it: how far above the main one, negative for below.
    Returns: shape and dtype of `m`.
    Derivative: 1 in the triangle, 0 outside: an inf or nan there does not reach the gradient from
        here.
    Raises TypeError: if `m` has no axis.

    >>> triu(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([[1. 2.]
              [0. 4.]])
    """
    return Triu(k)(m)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a, b = Draw((3, 4)), Draw((2, 3, 4))
    calls: tuple[Call, ...] = Call(a), Call(a, 1), Call(a, -2), Call(a, k=9), Call(a, k=-9)
    calls += Call(b), Call(b, 2), Call(Draw((3,))), Call(Draw((3,)), -1), Call(Draw((1, 1)))
    calls += Call(Draw((0, 3))), Call(Draw((2, 0, 2)), 1)
    sample = Sample(calls, complex=True)
    register("tril", tril, Tril, numpy=np.tril, sample=sample)
    register("triu", triu, Triu, numpy=np.triu, sample=sample)
