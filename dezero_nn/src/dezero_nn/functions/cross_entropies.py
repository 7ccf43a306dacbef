"""Cross entropies of probabilities of two classes. That of many classes is in dezero-ops-math."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from dezero_ops_math.declaring import Call, Draw, applying

from dezero_core import Function, Variable
from dezero_core.extend import Array, Operand, certain
from dezero_ops_math import sigmoid

from .losses import rows_of


class SigmoidCrossEntropy(Function):
    """dL = sum((sigmoid(x) - t) dx - x dt) / n, n the number of rows."""

    def forward(self, x: Array, t: Array) -> Array:
        x, t = _operands(x, t)
        # Of log(1 + exp(x)) - t x; for t = 1 the large parts cancel without an error.
        losses = np.maximum(x, 0.0) - t * x + np.log1p(np.exp(-np.abs(x)))
        return np.sum(losses) / rows_of(x)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x, t = _floating(*(x.data for x in self.inputs))
        of_x, of_t = self.needs_grad
        share = gy * (1.0 / max(rows_of(x), 1))
        gx = gt = None
        if of_x:  # sigmoid(x) - t would lose the digits of a small one
            gx = ((1.0 - t) * sigmoid(x) - t * sigmoid(-x)) * share
        if of_t:
            gt = -x * share
        return gx, gt


class BinaryCrossEntropy(Function):
    """dL = sum((p - t) / (p (1 - p)) dp + (log(1 - p) - log(p)) dt) / n, n the number of rows."""

    def forward(self, p: Array, t: Array) -> Array:
        p, t = _operands(p, t)
        if certain(np.any((p < 0.0) | (p > 1.0))):
            raise ValueError(
                "p must be probabilities, from 0 to 1. Of logits: sigmoid_cross_entropy"
            )
        losses = t * _bounded_log(p) + (1.0 - t) * _bounded_log(1.0 - p)
        return np.sum(losses) / -rows_of(p)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        p, t = _floating(*(x.data for x in self.inputs))
        of_p, of_t = self.needs_grad
        share = gy * (1.0 / max(rows_of(p), 1))
        gp = gt = None
        if of_p:
            least = max(1e-12, float(np.finfo(p.dtype).tiny))
            gp = ((1.0 - t) / np.maximum(1.0 - p, least) - t / np.maximum(p, least)) * share
        if of_t:
            gt = (_bounded_log(1.0 - p) - _bounded_log(p)) * share
        return gp, gt


def _bounded_log(p: Array) -> Array:
    least = np.finfo(p.dtype).smallest_subnormal
    return np.maximum(np.log(np.maximum(p, least)), -100.0)


def _operands(x: Array, t: Array) -> tuple[Array, Array]:
    """Return both in a floating dtype, or raise an error if they do not fit."""
    if np.iscomplexobj(x) or np.iscomplexobj(t):
        raise TypeError("both operands must be real, and one is complex.")
    if np.shape(x) != np.shape(t):
        raise ValueError(f"t must be of the shape {np.shape(x)}, and is of {np.shape(t)}.")
    outside = (t < 0) | (t > 1)
    if certain(np.any(outside)):
        wrong = t[outside].flat[0]
        if t.dtype.kind in "iu":
            raise IndexError(f"labels must be 0 or 1, and one is {wrong}.")
        raise ValueError(f"targets must be from 0 to 1, and one is {wrong}.")
    return _floating(x, t)


def _floating(x: Array, t: Array) -> tuple[Array, Array]:
    """Return integers in a floating dtype, labels in that of `x`: they do not make it wider."""
    if x.dtype.kind != "f":
        x = x.astype(float)
    return x, t if t.dtype.kind == "f" else t.astype(x.dtype)


def _shaped(x: Operand, t: Operand) -> tuple[Operand, Operand]:
    """Return both as arrays or Variables, `t` with the axes of `x` where only these differ."""
    x, t = (each if hasattr(each, "shape") else np.asarray(each) for each in (x, t))
    if x.ndim != t.ndim and math.prod(x.shape) == math.prod(t.shape):
        t = t.reshape(x.shape)
    return x, t


def _like(x: Array, t: Array) -> Array:
    t = np.reshape(t, np.shape(x))
    return t.astype(np.result_type(x, np.float16)) if t.dtype.kind in "biu" else t


def _logistic(x: Array, t: Array) -> Array:
    return np.sum(np.logaddexp(0.0, x) - _like(x, t) * x) / rows_of(x)


def _binary(p: Array, t: Array) -> Array:
    t = _like(p, t)
    return -np.sum(t * np.log(p) + (1.0 - t) * np.log(1.0 - p)) / rows_of(p)


_INSIDE = 0.1, 0.9

#: The shape of the first operand, and the targets.
_PAIRS: tuple[tuple[tuple[int, ...], Any], ...] = (
    ((2, 3), np.array([[0, 1, 1], [1, 0, 1]])),
    ((4, 1), np.array([0, 1, 1, 0], np.uint8)),
    ((3,), [True, False, True]),
    ((2, 3), Draw((2, 3), _INSIDE)),
    ((), 1),
    ((2, 0), Draw((2, 0), _INSIDE)),
)


@applying(
    SigmoidCrossEntropy,
    *(Call(Draw(shape), t) for shape, t in _PAIRS),
    reference=_logistic,
    complex=False,
    integers=False,
    ulps=16,
)
def sigmoid_cross_entropy(x: Operand, t: Operand) -> Variable:
    """Cross entropy of ``sigmoid(x)`` with targets, summed, divided by the number of rows.

    x (Variable or ndarray): logits, real, of any shape.
    t (Variable or array_like): labels 0 and 1, or targets between; of the shape of `x`, or with
        other axes of length 1.
    Returns: a number, of the floating dtype of `x` if `t` is of integers. Exact for logits of any
        size.
    Derivative: ``(sigmoid(x) - t) / len(x)`` by `x`, and ``-x / len(x)`` by `t`.
    Raises ValueError: if the shapes do not fit, or a target is not from 0 to 1.
    Raises IndexError: if a label is neither 0 nor 1.
    Raises TypeError: if `x` or `t` is complex.
    Source: DeZero's function of that name.

    >>> x = Variable(np.array([1000.0, -1000.0]))
    >>> y = sigmoid_cross_entropy(x, [1, 1])
    >>> y.backward()
    >>> y, x.grad
    (variable(500.0), array([ 0. , -0.5]))
    """
    return SigmoidCrossEntropy()(*_shaped(x, t))


@applying(
    BinaryCrossEntropy,
    *(Call(Draw(shape, _INSIDE), t) for shape, t in _PAIRS),
    reference=_binary,
    complex=False,
    integers=False,
    ulps=16,
)
def binary_cross_entropy(p: Operand, t: Operand) -> Variable:
    """Cross entropy of probabilities with targets, summed, divided by the number of rows.

    p (Variable or ndarray): probabilities, from 0 to 1, of any shape. Of logits,
        `sigmoid_cross_entropy` is more exact.
    t (Variable or array_like): labels 0 and 1, or targets between; of the shape of `p`, or with
        other axes of length 1.
    Returns: a number, ``-(t * log(p) + (1 - t) * log(1 - p)).sum() / len(p)``, in which no
        logarithm is below -100. Of the floating dtype of `p` if `t` is of integers.
    Derivative: ``((1 - t) / (1 - p) - t / p) / len(p)``, with no divisor below 1e-12.
    Raises ValueError: if the shapes do not fit, or a probability or target is not from 0 to 1.
    Raises IndexError: if a label is neither 0 nor 1.
    Raises TypeError: if `p` or `t` is complex.
    Source: DeZero's function of that name; the bounds are PyTorch's.

    >>> binary_cross_entropy(Variable(np.array([1.0, 0.0])), [1, 1])
    variable(50.0)
    """
    return BinaryCrossEntropy()(*_shaped(p, t))
