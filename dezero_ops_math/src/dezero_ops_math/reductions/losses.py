"""Losses of classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand, is_lazy, require_values

from ..docstrings import documented
from .exponentials import shifted_by_largest, total_of


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


class _LessOneHot(Function):
    """Subtracts 1 from each row at its label."""

    saves = ()

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


@documented
def softmax_cross_entropy(x: Array, t: Operand) -> Variable:
    """Cross entropy of the softmax of rows, with the labels `t`; the mean over the rows.

    x: shape ``(n, classes)``: logits, real numbers.
    t (sequence of int, ndarray of int, or Variable of such): the label of each row, from 0 to
        ``classes - 1``; a constant, copied.
    Returns: a number, ``-mean(log_softmax(x)[arange(n), t])``, of the floating dtype of `x`.
    Derivative: ``softmax(x) / n``, at the labels less ``1 / n``.
    Raises ValueError: if `x` has not two axes, or is complex, or there is not one label for each
        row.
    Raises TypeError: if `t` is not of integers.
    Raises IndexError: if a label is out of range.
    Source: DeZero's function of that name; Blanchard, Higham and Higham 2021, equation 1.4.

    >>> x = Variable(np.array([[0.0, 0.0], [1000.0, 0.0]]))
    >>> y = softmax_cross_entropy(x, [0, 0])
    >>> y.backward()
    >>> x.grad
    array([[-0.25,  0.25],
           [ 0.  ,  0.  ]])
    """
    require_values(t.data if isinstance(t, Variable) else t, "a label")
    loss, _ = SoftmaxCrossEntropy(np.copy(t.to_numpy() if isinstance(t, Variable) else t))(x)
    return loss


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""

    def reference(x: Array, t: Any) -> Array:
        x = np.asarray(x, dtype=np.result_type(x, 0.0))
        chosen = x[np.arange(len(x)), np.asarray(t)]
        return np.mean(np.logaddexp.reduce(x, axis=1) - chosen)

    calls = (
        Call(Draw((2, 3)), np.array([2, 0])),
        Call(Draw((3, 2)), [1, 1, 0]),
        Call(Draw((4, 3)), np.array([0, 2, 2, 1], np.uint8)),
        Call(Draw((1, 3)), (1,)),
        Call(Draw((1, 1)), [0]),
    )
    sample = Sample(calls, reference=reference, ulps=8)
    name = "softmax_cross_entropy"
    register(name, softmax_cross_entropy, SoftmaxCrossEntropy, sample=sample)
