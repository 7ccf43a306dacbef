"""Norms of vectors, and norms of matrices, each by a name of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..arguments import Axis, kept_shape
from ..docstrings import documented
from .norms import MATRIX, STACK, Norm
from .slopes import Order, slope_of_vector_norm


class VectorNorm(Function):
    """d|x| = Re(sum(g dx)), with g as in `slopes`, over any number of axes."""

    saves = ("inputs", "outputs")

    def __init__(self, axis: Axis, keepdims: bool, order: Order) -> None:
        self.axis, self.keepdims, self.ord = axis, keepdims, order

    def forward(self, x: Array) -> Array:
        axis: Any = self.axis
        return np.linalg.vector_norm(x, axis=axis, keepdims=self.keepdims, ord=self.ord)

    def backward(self, gy: Array) -> Array:
        x, y = self.inputs[0].data, self.outputs[0]().data
        kept = kept_shape(x.shape, self.axis)
        axes = range(x.ndim) if self.axis is None else self.axis
        axes = normalize_axis_tuple(axes, x.ndim)
        norm = y.reshape(kept)
        order = 2 if self.ord is None else self.ord
        return gy.reshape(kept) * slope_of_vector_norm(x, norm, order, axes)


@documented
def vector_norm(
    x: Array,
    /,
    *,
    axis: Axis = None,
    keepdims: bool = False,
    ord: Order = 2,  # noqa: A002
) -> Variable:
    """Norm of vectors, over any number of axes: ``np.linalg.vector_norm``.

    x: any shape.
    keepdims: leave them in the shape, of length 1.
    ord (number): which norm: ``sum(abs(x)**ord)**(1/ord)``; 0 counts what is not 0, inf and -inf
        are the largest and the smallest.
    Returns: real.
    Derivative: ``conj(x) / norm(x)`` if `ord` is 2; 0 at 0, for every norm.
    Raises ValueError: if there is no such norm, or nothing to take the smallest of.
    Source: ``numpy.linalg.vector_norm``. On 0, second derivatives there, and ties see `norm`.

    >>> vector_norm(Variable(np.array([[3.0, 0.0], [0.0, -4.0]])), ord=1)
    variable(7.0)
    """
    return VectorNorm(axis, keepdims, ord)(x)


@documented
def matrix_norm(
    x: Array,
    /,
    *,
    keepdims: bool = False,
    ord: Order = "fro",  # noqa: A002
) -> Variable:
    """Norm of matrices, over the last two axes: ``np.linalg.matrix_norm``.

    x: shape ``(..., m, n)``.
    keepdims: leave the last two axes in the shape, of length 1.
    ord (number, "fro" or "nuc"): which norm, as for `norm`.
    Returns: real.
    Derivative: ``conj(x) / norm(x)`` if `ord` is "fro"; 0 at 0, for every norm.
    Raises ValueError: if there is no such norm, or nothing to take the smallest of.
    Raises AxisError (ValueError, IndexError): if `x` is no matrix.
    Source: ``numpy.linalg.matrix_norm``. On 0, second derivatives there, and ties see `norm`.

    >>> matrix_norm(Variable(np.array([[3.0, 0.0], [0.0, -4.0]])), ord=2)
    variable(4.0)
    """
    return Norm(ord, (-2, -1), keepdims)(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a, b = MATRIX, STACK
    calls = [Call(a), Call(a, keepdims=True), Call(Draw((), (1.0, 3.0)))]
    calls += [Call(Draw((0, 3)), axis=1), Call(Draw((2, 0)), axis=-1, ord=1)]
    for p in (0, 1, 2, 3, 4, 0.5, np.inf, -np.inf):
        calls += [Call(a, ord=p), Call(b, axis=(0, -1), ord=p), Call(a, axis=1, ord=p)]
        calls += [Call(b, axis=(-1, 0), keepdims=True, ord=p)]
    numpy: Any = np.linalg.vector_norm
    sample = Sample(tuple(calls), complex=True)
    register("linalg.vector_norm", vector_norm, VectorNorm, numpy=numpy, sample=sample)
    calls = [Call(a), Call(b), Call(b, keepdims=True), Call(Draw((2, 0)))]
    for which in ("nuc", 1, -1, 2, -2, np.inf, -np.inf):
        calls += [Call(a, ord=which), Call(b, keepdims=True, ord=which)]
    numpy = np.linalg.matrix_norm
    sample = Sample(tuple(calls), complex=True)
    register("linalg.matrix_norm", matrix_norm, Norm, numpy=numpy, sample=sample)
