"""Losses of regressions."""

from __future__ import annotations

import math

import numpy as np
from dezero_ops_math.declaring import Call, Draw, operation

from dezero_core import Function
from dezero_core.extend import Array, Operand
from dezero_ops_basic import sum_to


class MeanSquaredError(Function):
    """Sum of the squared differences, divided by the number of rows.

    x0, x1 (Variable or ndarray): of one shape, or of two that broadcast without a row more.
    Returns: a number, ``((x0 - x1) ** 2).sum() / len(x0)``: no mean over the columns, as in the
        book.
    Derivative: ``2 * (x0 - x1) / len(x0)`` by `x0`, and its opposite by `x1`.
    Raises TypeError: if `x0` or `x1` is complex.
    Raises ValueError: if the shapes do not broadcast, or to one with more elements than both have,
        such as ``(n, 1)`` and ``(n,)``.
    Source: DeZero's function of that name; the book's step 42.

    >>> x = Variable(np.array([[1.0], [2.0]]))
    >>> y = mean_squared_error(x, np.array([[0.0], [5.0]]))
    >>> y.backward()
    >>> y, x.grad
    (variable(5.0), array([[ 1.],
           [-3.]]))
    """

    def forward(self, x0: Operand, x1: Operand) -> Array:
        difference = _difference(x0, x1)
        shapes = np.shape(x0), np.shape(x1)
        if np.size(difference) > max(map(math.prod, shapes)):
            raise ValueError(
                f"x0 and x1 are of the shapes {shapes[0]} and {shapes[1]}, so that each row of one "
                "would be compared with all of the other. Reshape one to the shape of the other."
            )
        return np.sum(difference * difference) / rows_of(difference)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        # dL = 2 sum((x0 - x1) (dx0 - dx1)) / n, n the number of rows.
        x0, x1 = (x.data for x in self.inputs)
        of_x0, of_x1 = self.needs_grad
        difference = _difference(x0, x1)
        g = difference * (gy * (2.0 / max(rows_of(difference), 1)))
        return sum_to(g, x0.shape) if of_x0 else None, sum_to(-g, x1.shape) if of_x1 else None


def _difference(x0: Array, x1: Array) -> Array:
    """Return ``x0 - x1``, of floating-point numbers: that of unsigned integers may be wrong."""
    dtype = np.result_type(x0, x1)
    if dtype.kind == "c":
        raise TypeError("x0 and x1 must be real, and one is complex.")
    return np.subtract(x0, x1, dtype=float) if dtype.kind in "biu" else x0 - x1


def rows_of(x: Array) -> int:
    """Return the number of rows; a number has one."""
    return len(x) if np.ndim(x) else 1


def _squares(x0: Array, x1: Array) -> Array:
    difference = np.subtract(x0, x1, dtype=np.result_type(x0, x1, np.float16))
    if np.result_type(x0, x1).kind in "biu":
        difference = np.subtract(x0, x1, dtype=float)
    return np.sum(difference**2) / rows_of(difference)


_SHAPES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    *(((2, 3), (2, 3)), ((4,), (4,)), ((), ()), ((1, 1), (1,)), ((2, 3), (3,)), ((), (2, 2))),
    *(((2, 2, 2), (2, 2, 2)), ((2, 0), (2, 0))),
)

mean_squared_error = operation(
    MeanSquaredError,
    *(Call(Draw(a), Draw(b)) for a, b in _SHAPES),
    reference=_squares,
    complex=False,
    name="mean_squared_error",
)
