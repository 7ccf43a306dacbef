"""Measures that are not trained by."""

from __future__ import annotations

import numpy as np
from dezero_ops_math.docstrings import documented

from dezero_core import Function, Variable, no_grad
from dezero_core.extend import Array, Operand


class Accuracy(Function):
    """The share of rows whose largest element is at the label. It has no derivative."""

    def forward(self, y: Array, t: Array) -> Array:
        if y.ndim != 2:
            raise ValueError(f"y must have two axes, of rows and of classes, and has {y.ndim}.")
        n, classes = y.shape
        if t.dtype.kind not in "iu":
            raise TypeError(f"t must be of integers, the labels, and is of {t.dtype}.")
        if t.size != n:
            raise ValueError(f"t must have a label for each of {n} rows, not shape {t.shape}.")
        wrong = t[(t < 0) | (t >= classes)]
        if wrong.size:
            raise IndexError(f"labels must be from 0 to {classes - 1}, and one is {wrong[0]}.")
        return np.mean(np.argmax(y, axis=1) == t.reshape(n))


@documented
def accuracy(y: Operand, t: Operand) -> Variable:
    """Share of rows of `y` whose largest element is at the label.

    y (Variable or ndarray): scores or probabilities, of shape ``(n, classes)``.
    t (Variable or array_like of int): the labels, from 0 to ``classes - 1``, of shape ``(n,)`` or
        ``(n, 1)``.
    Returns: a float64 from 0 to 1; of no rows it is nan with a RuntimeWarning. It has no
        derivative, and no graph.
    Raises ValueError: if `y` has not two axes, or there is not one label for each row.
    Raises TypeError: if `t` is not of integers.
    Raises IndexError: if a label is out of range.
    Source: DeZero's function of that name; the book's step 48.

    >>> accuracy(Variable(np.array([[0.2, 0.8], [0.9, 0.1]])), [1, 1])
    variable(0.5)
    """
    t = t if hasattr(t, "shape") else np.asarray(t)
    with no_grad():
        share = Accuracy()(y, t)
    return share if isinstance(y, Variable) or isinstance(t, Variable) else share.data[()]
