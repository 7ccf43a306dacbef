"""Shares of exponentials in their sum, and logarithms of such sums, without overflow."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand, possible

from ..arguments import Axis, kept_shape
from ..docstrings import documented
from .samples import REDUCTIONS


def floating(x: Array) -> Array:
    """Return x in a floating dtype: small integers may have a difference that is none of theirs.

    Raises
    ------
    TypeError
        If `x` is complex.
    """
    if not hasattr(x, "dtype"):  # a number of Python's
        x = np.asarray(x)
    if x.dtype.kind == "c":
        raise TypeError("the exponentials are of real numbers, and x is complex.")
    return x if x.dtype.kind == "f" else x.astype(float)


def total_of(x: Array, axis: Axis) -> Array:
    """Return the sum, with the axes of length 1."""
    reduce = np.add.reduce if type(x) is np.ndarray else np.sum
    return reduce(x, axis=axis, keepdims=True)


def shifted_by_largest(x: Array, axis: Axis) -> tuple[Array, Array]:
    """Return x less its largest, so that exp never sees a positive number, and that largest."""
    x = floating(x)
    reduce = np.maximum.reduce if type(x) is np.ndarray else np.max
    largest = reduce(x, axis=axis, keepdims=True, initial=-np.inf)
    infinite = np.isinf(largest)
    if possible(infinite.any()):
        largest = np.where(infinite, 0.0, largest).astype(largest.dtype)
    return x - largest, largest


class LogSumExp(Function):
    """d log(sum(exp(x))) = sum(softmax(x) dx)."""

    def __init__(self, axis: Axis, keepdims: bool) -> None:
        self.axis, self.keepdims = axis, keepdims

    def forward(self, x: Array) -> Array:
        shifted, largest = shifted_by_largest(x, self.axis)
        with np.errstate(divide="ignore"):  # of nothing but -inf, or of nothing, it is -inf
            y = np.log(total_of(np.exp(shifted), self.axis)) + largest
        return y if self.keepdims else np.squeeze(y, axis=self.axis)

    def backward(self, gy: Array) -> Array:
        x = self.inputs[0].data
        return gy.reshape(kept_shape(x.shape, self.axis)) * Softmax(self.axis).of(x)


class Softmax(Function):
    """dy = y (dx - sum(y dx)).

    Where the largest are inf, or all are -inf, they have equal shares, as they grow together.
    """

    saves = ("outputs",)

    def __init__(self, axis: Axis) -> None:
        self.axis = axis

    def forward(self, x: Array) -> Array:
        x = floating(x)
        reduce = np.maximum.reduce if type(x) is np.ndarray else np.max
        largest = reduce(x, axis=self.axis, keepdims=True, initial=-np.inf)
        infinite = np.isinf(largest)
        if possible(infinite.any()):
            x = np.where(infinite, np.where(x == largest, 0.0, -np.inf), x).astype(x.dtype)
            largest = np.where(infinite, 0.0, largest).astype(x.dtype)
        y = np.exp(x - largest)
        return y / total_of(y, self.axis)

    def backward(self, gy: Array) -> Array:
        y = self.outputs[0]().data
        return y * (gy - np.sum(gy * y, axis=self.axis, keepdims=True))


@documented
def softmax(x: Operand, axis: Axis = -1) -> Variable:
    """Softmax along axes, ``exp(x) / sum(exp(x))``, without overflow.

    x: any shape, real.
    axis: the axes over which the result adds up to 1; the last by default.
    Returns: shape and floating dtype of `x`. Equal shares for the largest where they are inf, or
        all are -inf.
    Derivative by ``x[j]`` of element ``i``: ``y[i] * ((i == j) - y[j])``.
    Raises TypeError: if `x` is complex.
    Source: Blanchard, Higham and Higham 2021, equation 1.2.

    >>> softmax(Variable(np.array([1000.0, 1000.0])))
    variable([0.5 0.5])
    """
    return Softmax(axis)(x)


@documented
def logsumexp(x: Operand, axis: Axis = None, *, keepdims: bool = False) -> Variable:
    """``log(sum(exp(x)))`` over axes, without overflow.

    x: any shape, real; of nothing it is -inf.
    keepdims: leave them in the shape, of length 1.
    Returns: floating dtype of `x`.
    Derivative: ``softmax(x)`` over those axes; equal shares for the largest where they are inf, or
        all are -inf.
    Raises TypeError: if `x` is complex.
    Source: Blanchard, Higham and Higham 2021, equation 1.3.

    >>> logsumexp(Variable(np.array([1000.0, 1000.0])))
    variable(1000.6931471805599)
    """
    return LogSumExp(axis, keepdims)(x)


class LogSoftmax(Function):
    """dy = dx - sum(softmax(x) dx), with softmax(x) = exp(y)."""

    saves = ("outputs",)

    def __init__(self, axis: Axis) -> None:
        self.axis = axis

    def forward(self, x: Array) -> Array:
        shifted, _ = shifted_by_largest(x, self.axis)
        with np.errstate(divide="ignore"):
            return shifted - np.log(total_of(np.exp(shifted), self.axis))

    def backward(self, gy: Array) -> Array:
        y = self.outputs[0]().data
        return gy - np.exp(y) * np.sum(gy, axis=self.axis, keepdims=True)


@documented
def log_softmax(x: Array, axis: Axis = -1) -> Variable:
    """Logarithm of the softmax along axes, ``x - logsumexp(x)``, without overflow.

    x: any shape, real.
    axis: the axes over which the probabilities add up to 1; the last by default.
    Returns: shape and floating dtype of `x`.
    Derivative by ``x[j]`` of element ``i``: ``(i == j) - softmax(x)[j]``.
    Raises TypeError: if `x` is complex.
    Source: Blanchard, Higham and Higham 2021, equation 1.4.

    >>> np.exp(log_softmax(Variable(np.array([0.0, 0.0]))).data)
    array([0.5, 0.5])
    """
    return LogSoftmax(axis)(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def reference(x: Array, axis: Any = None, *, keepdims: Any = False) -> Array:
        x = np.asarray(x, dtype=np.result_type(x, 0.0))
        return np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)

    sample = Sample(REDUCTIONS, reference=reference, ulps=8)
    register("logsumexp", logsumexp, LogSumExp, sample=sample)

    a, b = Draw((2, 3)), Draw((2, 3, 2))
    calls: tuple[Call, ...]
    calls = Call(a), Call(a, axis=0), Call(b, 1), Call(a, axis=None), Call(b, axis=(0, -1))
    calls += Call(Draw((1,))), Call(Draw(), axis=None), Call(Draw((0, 3)))

    def logarithm(x: Array, axis: Any = -1) -> Array:
        return x - reference(x, axis, keepdims=True)

    sample = Sample(calls, reference=logarithm, ulps=8)
    register("log_softmax", log_softmax, LogSoftmax, sample=sample)
    sample = Sample(calls, reference=lambda x, axis=-1: np.exp(logarithm(x, axis)), ulps=32)
    register("softmax", softmax, Softmax, sample=sample)
