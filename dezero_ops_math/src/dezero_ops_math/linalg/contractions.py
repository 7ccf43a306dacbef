"""Products that sum over axes, as ``numpy.linalg`` has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..docstrings import documented
from ..products.contractions import TensorDot
from ..products.vectors import VecDot


@documented
def tensordot(x1: Operand, x2: Operand, /, *, axes: Any = 2) -> Variable:
    """Sum over any axes of a product: ``np.linalg.tensordot``.

    x1, x2: of any shapes.
    axes (int, or two of int or sequence of int): how many of the last axes of `x1` and the first of
        `x2` are summed over; or which axes of `x1`, and which of `x2`.
    Returns: the other axes of `x1`, then those of `x2`.
    Derivative: the gradient times the other operand, summed over the axes of that operand that
        remain.
    Raises ValueError: if `axes` repeats one, or lengths differ.

    >>> tensordot(Variable(np.ones((2, 3))), np.ones((3, 2)), axes=([0, 1], [1, 0]))
    variable(6.0)
    """
    return TensorDot(axes)(x1, x2)


@documented
def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Variable:
    """Scalar products of vectors, those of `x1` conjugated: ``np.linalg.vecdot``.

    x1, x2: the vectors lie along `axis`; the shapes of the stacks broadcast.
    axis: of each operand.
    Returns: one number for each pair of vectors.
    Derivative of real operands: `x2` and `x1`.
    Raises ValueError: if the vectors are of different lengths, or the stacks do not broadcast.
    Raises AxisError (ValueError, IndexError): if an operand has no such axis.

    >>> vecdot(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), np.array([1.0, 10.0]))
    variable([21. 43.])
    """
    return VecDot(axis)(x1, x2)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    matrix, stack, vector = Draw((2, 3)), Draw((4, 2, 3)), Draw((3,))
    calls: tuple[Call, ...] = (
        Call(matrix, Draw((2, 3, 2))),
        Call(matrix, Draw((3, 2)), axes=1),
        Call(stack, matrix, axes=((-1, 1), (1, 0))),
        Call(stack, Draw((2,)), axes=(1, 0)),
        Call(Draw(), vector, axes=0),
        Call(Draw((0, 3)), vector, axes=1),
    )
    register(
        "linalg.tensordot",
        tensordot,
        TensorDot,
        numpy=np.linalg.tensordot,
        sample=Sample(calls, complex=True),
    )
    calls = (
        Call(vector, vector),
        Call(matrix, vector),
        Call(vector, stack),
        Call(Draw((4, 1, 3)), matrix),
        Call(matrix, matrix, axis=0),
        Call(matrix, Draw((2, 1)), axis=0),
        Call(stack, Draw((1, 2, 3)), axis=1),
        Call(stack, Draw((2, 1)), axis=-2),
        Call(Draw((2, 0)), Draw((0,))),
    )
    register(
        "linalg.vecdot",
        vecdot,
        VecDot,
        numpy=np.linalg.vecdot,
        sample=Sample(calls, complex=True),
    )
