"""Diagonals and triangles of matrices, taken out and put in."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core.extend import Array, Operand, placed

from ..arguments import refuse_out
from ..declaring import Call, Draw, LinearMap, Sample, operation

Shape = tuple[int, ...]


def _length(shape: Shape, offset: int, axis1: int, axis2: int) -> int:
    return max(0, min(shape[axis1] + min(offset, 0), shape[axis2] - max(offset, 0)))


class Diagonal(LinearMap):
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

    def __init__(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> None:
        self.offset, self.axis1, self.axis2 = offset, axis1, axis2

    def forward(self, a: Array) -> Array:
        self.shape = np.shape(a)
        return np.diagonal(a, self.offset, self.axis1, self.axis2)

    def backward(self, gy: Array) -> Array:
        return OnDiagonal(self.shape, self.offset, self.axis1, self.axis2).of(gy)


class OnDiagonal(LinearMap):
    """Puts its input on a diagonal of zeros; the gradient is taken from there."""

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


class Trace(LinearMap):
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

    def __init__(
        self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: None = None
    ) -> None:
        refuse_out(self, out)
        self.offset, self.axis1, self.axis2, self.dtype = offset, axis1, axis2, dtype

    def forward(self, a: Array) -> Array:
        self.shape = np.shape(a)
        return np.trace(a, self.offset, self.axis1, self.axis2, self.dtype)

    def backward(self, gy: Array) -> Array:
        diagonal = self.offset, self.axis1, self.axis2
        repeated = np.broadcast_to(
            gy.reshape((*gy.shape, 1)), (*gy.shape, _length(self.shape, *diagonal))
        )
        return OnDiagonal(self.shape, *diagonal).of(repeated)


class Diag(LinearMap):
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

    def __init__(self, k: int = 0) -> None:
        self.k = k

    def forward(self, v: Array) -> Array:
        self.shape = np.shape(v)
        return np.diag(v, self.k)

    def backward(self, gy: Array) -> Array:
        if len(self.shape) == 1:
            return np.diagonal(gy, self.k)
        return OnDiagonal(self.shape, self.k, 0, 1).of(gy)


class DiagFlat(Diag):
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

    def forward(self, v: Operand) -> Array:
        self.shape = np.shape(v)
        return np.diagflat(v, self.k)

    def backward(self, gy: Array) -> Array:
        return np.diagonal(gy, self.k).reshape(self.shape)


class Tril(LinearMap):
    """The triangle below a diagonal, with zeros above: ``np.tril``.

    m: matrices, on the last two axes. One axis stands for equal rows.
    k: the diagonal that belongs to it: how far above the main one, negative for below.
    Returns: shape and dtype of `m`.
    Derivative: 1 in the triangle, 0 outside: an inf or nan there does not reach the gradient.
    Raises TypeError: if `m` has no axis.

    >>> tril(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([[1. 0.]
              [3. 4.]])
    """

    triangle: Any = staticmethod(np.tril)

    def __init__(self, k: int = 0) -> None:
        self.k = k

    def forward(self, m: Array) -> Array:
        return self.triangle(m, self.k)

    def backward(self, gy: Array) -> Array:
        return self.triangle(gy, self.k)


class Triu(Tril):
    """The triangle above a diagonal, with zeros below: ``np.triu``.

    m: matrices, on the last two axes. One axis stands for equal rows.
    k: the diagonal that belongs to it: how far above the main one, negative for below.
    Returns: shape and dtype of `m`.
    Derivative: 1 in the triangle, 0 outside: an inf or nan there does not reach the gradient.
    Raises TypeError: if `m` has no axis.

    >>> triu(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([[1. 2.]
              [0. 4.]])
    """

    triangle: Any = staticmethod(np.triu)


_A, _B = Draw((3, 4)), Draw((2, 3, 4))
_LINE = Draw((3,))

diagonal = operation(
    Diagonal,
    *(Call(_A), Call(_A, 1), Call(_A, offset=-2), Call(_A, 9), Call(_A, -9), Call(_B)),
    *(Call(_B, 1, 1, 2), Call(_B, -1, axis1=-1, axis2=0), Call(_B, 0, 2, 1), Call(Draw((1, 1)))),
    *(Call(Draw((0, 3)), 1), Call(Draw((2, 0, 2)), 0, 0, 2)),
)
trace = operation(
    Trace,
    *(Call(_A), Call(_A, 2), Call(_A, offset=-2), Call(_A, 9), Call(_B), Call(_B, 1, 1, 2)),
    *(Call(_B, -1, axis1=-1, axis2=0), Call(Draw((1, 1))), Call(Draw((0, 3)))),
    *(Call(Draw((2, 0, 2)), 0, 0, 2), Call(_A, dtype=complex), Call(Draw((2, 3, 4, 2)), 0, 1, 2)),
)
diag = operation(
    Diag,
    *(Call(_LINE), Call(_LINE, 2), Call(_LINE, k=-1), Call(Draw((1,))), Call(Draw((0,)), 1)),
    *(Call(_A), Call(_A, 1), Call(_A, k=-2), Call(_A, 9), Call(Draw((0, 3)))),
)
diagflat = operation(
    DiagFlat,
    *(Call(_LINE), Call(_LINE, 2), Call(_LINE, k=-1), Call(Draw((1,))), Call(Draw((0,)), 1)),
    *(Call(_A), Call(Draw(), 1), Call(Draw((2, 1, 2)), k=-1)),
)


_SAMPLE = Sample(
    *(Call(_A), Call(_A, 1), Call(_A, -2), Call(_A, k=9), Call(_A, k=-9), Call(_B), Call(_B, 2)),
    *(Call(Draw((3,))), Call(Draw((3,)), -1), Call(Draw((1, 1))), Call(Draw((0, 3)))),
    Call(Draw((2, 0, 2)), 1),
    complex=True,
)

tril = operation(Tril, _SAMPLE)
triu = operation(Triu, _SAMPLE)
