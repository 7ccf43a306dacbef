"""Diagonals of matrices, their sums, and matrices with elements on a diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand, placed

from ..arguments import refuse_out
from ..docstrings import documented

Shape = tuple[int, ...]


def _length(shape: Shape, offset: int, axis1: int, axis2: int) -> int:
    return max(0, min(shape[axis1] + min(offset, 0), shape[axis2] - max(offset, 0)))


class Diagonal(Function):
    """The gradient goes back to the diagonal."""

    saves = ()

    def __init__(self, offset: int, axis1: int, axis2: int) -> None:
        self.offset, self.axis1, self.axis2 = offset, axis1, axis2

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        return np.diagonal(x, self.offset, self.axis1, self.axis2)

    def backward(self, gy: Array) -> Array:
        return OnDiagonal(self.shape, self.offset, self.axis1, self.axis2).of(gy)


class OnDiagonal(Function):
    """Puts its input on a diagonal of zeros; the gradient is taken from there."""

    saves = ()

    def __init__(self, shape: Shape, offset: int, axis1: int, axis2: int) -> None:
        self.shape, self.offset, self.axis1, self.axis2 = shape, offset, axis1, axis2

    def forward(self, x: Array) -> Array:
        ndim = len(self.shape)
        index: list[Any] = [slice(None)] * ndim
        rows, columns = self.axis1 % ndim, self.axis2 % ndim
        numbers = np.arange(_length(self.shape, self.offset, rows, columns))
        index[rows], index[columns] = numbers + max(-self.offset, 0), numbers + max(self.offset, 0)
        # Where NumPy's index has the diagonal: first, unless the two axes are side by side.
        at = min(rows, columns) if abs(rows - columns) == 1 else 0
        return placed(np.moveaxis(x, -1, at), self.shape, tuple(index), once=True)

    def backward(self, gy: Array) -> Array:
        return Diagonal(self.offset, self.axis1, self.axis2).of(gy)


@documented
def diagonal(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Variable:
    """The diagonal of the matrices on two axes: ``np.diagonal``, ``x.diagonal()``.

    a: with two axes at least.
    offset: how far above the main diagonal; negative for below.
    axis1, axis2: the axes of rows and of columns.
    Returns: the diagonal is its last axis; a read-only view.
    Derivative: 1 on it, 0 elsewhere.
    Raises ValueError: if `a` has less than two axes, or `axis1` is `axis2`.
    Raises AxisError (ValueError, IndexError): if `a` has no such axis.

    >>> diagonal(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([1. 4.])
    """
    return Diagonal(offset, axis1, axis2)(a)


class Trace(Function):
    """Every element of the diagonal gets the gradient of the sum."""

    saves = ()

    def __init__(self, offset: int, axis1: int, axis2: int, dtype: Any) -> None:
        self.offset, self.axis1, self.axis2, self.dtype = offset, axis1, axis2, dtype

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        return np.trace(x, self.offset, self.axis1, self.axis2, self.dtype)

    def backward(self, gy: Array) -> Array:
        diagonal = self.offset, self.axis1, self.axis2
        repeated = np.broadcast_to(
            gy.reshape((*gy.shape, 1)), (*gy.shape, _length(self.shape, *diagonal))
        )
        return OnDiagonal(self.shape, *diagonal).of(repeated)


@documented
def trace(
    a: Array,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: Any = None,
    out: None = None,
) -> Variable:
    """Sum of the diagonal of the matrices on two axes: ``np.trace``, ``x.trace()``.

    a: with two axes at least.
    offset: how far above the main diagonal; negative for below.
    axis1, axis2: the axes of rows and of columns.
    dtype: in which to sum; as NumPy does by default.
    Returns: without these two axes.
    Derivative: 1 on the diagonal, 0 elsewhere.
    Raises ValueError: if `a` has less than two axes, or `axis1` is `axis2`.
    Raises AxisError (ValueError, IndexError): if `a` has no such axis.

    >>> trace(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable(5.0)
    """
    refuse_out("trace", out)
    return Trace(offset, axis1, axis2, dtype)(a)


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
    a, b = Draw((3, 4)), Draw((2, 3, 4))
    calls: tuple[Call, ...] = (
        Call(a),
        Call(a, 1),
        Call(a, offset=-2),
        Call(a, 9),
        Call(a, -9),
        Call(b),
        Call(b, 1, 1, 2),
        Call(b, -1, axis1=-1, axis2=0),
        Call(b, 0, 2, 1),
        Call(Draw((1, 1))),
        Call(Draw((0, 3)), 1),
        Call(Draw((2, 0, 2)), 0, 0, 2),
    )
    sample = Sample(calls, complex=True)
    register("diagonal", diagonal, Diagonal, methods="diagonal", numpy=np.diagonal, sample=sample)
    calls = (
        Call(a),
        Call(a, 2),
        Call(a, offset=-2),
        Call(a, 9),
        Call(b),
        Call(b, 1, 1, 2),
        Call(b, -1, axis1=-1, axis2=0),
        Call(Draw((1, 1))),
        Call(Draw((0, 3))),
        Call(Draw((2, 0, 2)), 0, 0, 2),
        Call(a, dtype=complex),
        Call(Draw((2, 3, 4, 2)), 0, 1, 2),
    )
    sample = Sample(calls, complex=True)
    register("trace", trace, Trace, methods="trace", numpy=np.trace, sample=sample)

    line = Draw((3,))
    calls = (
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
