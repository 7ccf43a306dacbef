"""Shares of exponentials in their sum, logarithms of such sums, and the loss made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable
from dezero_core.extend import Array, Operand, is_lazy, kind_of, possible, require_values

from ..arguments import Axis, kept_shape
from ..declaring import Call, Draw, LinearMap, applying, operation
from .samples import REDUCTIONS


def floating(x: Array) -> Array:
    """Return x in a floating dtype: small integers may have a difference that is none of theirs."""
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
    """``log(sum(exp(x)))`` over axes, without overflow.

    x: any shape, real; of nothing it is -inf.
    Returns: floating dtype of `x`.
    Derivative: ``softmax(x)`` over those axes; the largest share equally if inf, or all are -inf.
    Raises TypeError: if `x` is complex.
    Source: Blanchard, Higham and Higham 2021, equation 1.3.

    >>> logsumexp(Variable(np.array([1000.0, 1000.0])))
    variable(1000.6931471805599)
    """

    def __init__(self, axis: Axis = None, *, keepdims: bool = False) -> None:
        self.axis, self.keepdims = axis, keepdims

    def forward(self, x: Operand) -> Array:
        shifted, largest = shifted_by_largest(x, self.axis)
        with np.errstate(divide="ignore"):  # of nothing but -inf, or of nothing, it is -inf
            y = np.log(total_of(np.exp(shifted), self.axis)) + largest
        return y if self.keepdims else np.squeeze(y, axis=self.axis)

    def backward(self, gy: Array) -> Array:
        x = self.inputs[0].data
        return gy.reshape(kept_shape(x.shape, self.axis)) * Softmax(self.axis).of(x)


class Softmax(Function):
    """Softmax along axes, ``exp(x) / sum(exp(x))``, without overflow.

    x: any shape, real.
    axis: the axes over which the result adds up to 1; the last by default.
    Returns: shape and floating dtype of `x`. The largest share equally if inf, or all are -inf.
    Derivative by ``x[j]`` of element ``i``: ``y[i] * ((i == j) - y[j])``.
    Raises TypeError: if `x` is complex.
    Source: Blanchard, Higham and Higham 2021, equation 1.2.

    >>> softmax(Variable(np.array([1000.0, 1000.0])))
    variable([0.5 0.5])
    """

    saves = ("outputs",)

    def __init__(self, axis: Axis = -1) -> None:
        self.axis = axis

    def forward(self, x: Operand) -> Array:
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
        # dy = y (dx - sum(y dx)). Where the largest are inf, or all are -inf, they have equal
        # shares, as they grow together.
        y = self.outputs[0]().data
        return y * (gy - np.sum(gy * y, axis=self.axis, keepdims=True))


class LogSoftmax(Function):
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

    saves = ("outputs",)

    def __init__(self, axis: Axis = -1) -> None:
        self.axis = axis

    def forward(self, x: Array) -> Array:
        shifted, _ = shifted_by_largest(x, self.axis)
        with np.errstate(divide="ignore"):
            return shifted - np.log(total_of(np.exp(shifted), self.axis))

    def backward(self, gy: Array) -> Array:
        # dy = dx - sum(softmax(x) dx), with softmax(x) = exp(y).
        y = self.outputs[0]().data
        return gy - np.exp(y) * np.sum(gy, axis=self.axis, keepdims=True)


class SoftmaxCrossEntropy(Function):
    """dL = sum((softmax(x) - onehot(t)) dx) / n.

    The softmax is an output of its own: so `backward` has it without computing it again, and
    leads a derivative of the gradient through it, by dy = y (dx - sum(y dx)).
    """

    saves = ("outputs",)
    materialize_grads = False

    def __init__(self, t: Array) -> None:
        self.t = t

    def forward(self, x: Array) -> tuple[Array, Array]:
        self._check(x)
        shifted, _ = shifted_by_largest(x, 1)
        y = np.exp(shifted)
        total = total_of(y, 1)
        y = np.divide(y, total, out=y if type(y) is np.ndarray else None)
        with np.errstate(divide="ignore"):  # of nothing but -inf it is -inf
            losses = np.log(total[:, 0]) - shifted[np.arange(len(x)), self.t]
        return losses.mean() if type(losses) is np.ndarray else np.mean(losses), y

    def _check(self, x: Array) -> None:
        if np.ndim(x) != 2 or x.dtype.kind == "c":
            raise ValueError("x must be real and have two axes, of rows and of classes.")
        if self.t.dtype.kind not in "iu":
            raise TypeError(f"t must be of integers, the labels, and is of {self.t.dtype}.")
        n, classes = x.shape
        if self.t.shape != (n,):
            raise ValueError(f"t must have a label for each of {n} rows, not shape {self.t.shape}.")
        # As unsigned numbers, negative ones are the largest: one look at all of them is enough.
        if n and self.t.view(self.t.dtype.str.replace("i", "u")).max() >= classes:
            wrong = [int(label) for label in self.t if not 0 <= label < classes]
            raise IndexError(f"labels must be from 0 to {classes - 1}, and one is {wrong[0]}.")

    def backward(self, gy: Array | None, gsoftmax: Array | None) -> Array:
        y = self.outputs[1]().data
        gx = None
        if gy is not None:
            gx = _LessOneHot(self.t).of(y) * (gy * (1.0 / max(len(self.t), 1)))
        if gsoftmax is None:
            return gx
        through = y * (gsoftmax - np.sum(gsoftmax * y, axis=1, keepdims=True))
        return through if gx is None else gx + through


class _LessOneHot(LinearMap):
    """Subtracts 1 from each row at its label."""

    def __init__(self, t: Array) -> None:
        self.t = t

    def forward(self, x: Array) -> Array:
        if type(x) is not np.ndarray:
            # A column of its type, of a lazy one: the mask is not made before it is needed.
            zeros = np.zeros_like(x[:, :1], dtype=self.t.dtype) if is_lazy(x) else 0
            labels = self.t[:, np.newaxis] + zeros
            return np.where(np.arange(x.shape[1]) == labels, x - 1.0, x)
        y = x.copy()
        y[np.arange(len(y)), self.t] -= 1.0
        return y

    def backward(self, gy: Array) -> Array:
        return gy


def _mean_entropy(x: Array, t: Any) -> Array:
    x = np.asarray(x, dtype=np.result_type(x, 0.0))
    chosen = x[np.arange(len(x)), np.asarray(t)]
    return np.mean(np.logaddexp.reduce(x, axis=1) - chosen)


@applying(
    SoftmaxCrossEntropy,
    *(Call(Draw((2, 3)), np.array([2, 0])), Call(Draw((3, 2)), [1, 1, 0])),
    *(Call(Draw((4, 3)), np.array([0, 2, 2, 1], np.uint8)), Call(Draw((1, 3)), (1,))),
    Call(Draw((1, 1)), [0]),
    reference=_mean_entropy,
    ulps=8,
    complex=False,
)
def softmax_cross_entropy(x: Array, t: Operand) -> Variable:
    """Cross entropy of the softmax of rows, with the labels `t`; the mean over the rows.

    x: shape ``(n, classes)``: logits, real numbers.
    t (sequence of int, ndarray of int, or Variable of such): the label of each row, from 0 to
        ``classes - 1``; a constant, copied.
    Returns: a number, ``-mean(log_softmax(x)[arange(n), t])``, of the floating dtype of `x`.
    Derivative: ``softmax(x) / n``, at the labels less ``1 / n``.
    Raises ValueError: if `x` has not two axes, or is complex, or `t` has not a label for each row.
    Raises TypeError: if `t` is not of integers.
    Raises IndexError: if a label is out of range.
    Source: DeZero's function of that name; Blanchard, Higham and Higham 2021, equation 1.4.

    >>> x = Variable(np.array([[0.0, 0.0], [1000.0, 0.0]]))
    >>> softmax_cross_entropy(x, [0, 0]).backward()
    >>> x.grad
    array([[-0.25,  0.25],
           [ 0.  ,  0.  ]])
    """
    labels = t.data if isinstance(t, Variable) else t
    if kind_of(labels).others is not None:  # they differ from example to example: operands
        rows, classes = np.shape(x)
        checked = np.where(labels < 0, classes, labels)  # the index refuses one that is too large
        chosen: Any = log_softmax(x, axis=1)[np.arange(rows), checked]
        return -np.mean(chosen)
    require_values(labels, "a label")
    loss, _ = SoftmaxCrossEntropy(np.copy(t.to_numpy() if isinstance(t, Variable) else t))(x)
    return loss


def _reference(x: Array, axis: Any = None, *, keepdims: Any = False) -> Array:
    x = np.asarray(x, dtype=np.result_type(x, 0.0))
    return np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)


def _logarithm(x: Array, axis: Any = -1) -> Array:
    return x - _reference(x, axis, keepdims=True)


_A, _B = Draw((2, 3)), Draw((2, 3, 2))

_CALLS = (
    *(Call(_A), Call(_A, axis=0), Call(_B, 1), Call(_A, axis=None), Call(_B, axis=(0, -1))),
    *(Call(Draw((1,))), Call(Draw(), axis=None), Call(Draw((0, 3)))),
)

softmax = operation(
    Softmax,
    *_CALLS,
    reference=lambda x, axis=-1: np.exp(_logarithm(x, axis)),
    ulps=32,
    complex=False,
)
logsumexp = operation(LogSumExp, *REDUCTIONS, reference=_reference, ulps=8, complex=False)
log_softmax = operation(
    LogSoftmax, *_CALLS, reference=_logarithm, ulps=8, name="log_softmax", complex=False
)
