"""Functions written with others, as the book first shows them; those that it ends with are faster.

They have the values of `linear`, `sigmoid`, `softmax`, `mean_squared_error` and
`softmax_cross_entropy`, but for the rounding. `sigmoid_simple` overflows where `sigmoid` does not.
"""

from __future__ import annotations

import numpy as np
from dezero_ops_math.docstrings import sharing

from dezero_core import Variable
from dezero_core.extend import Operand
from dezero_ops_basic import matmul
from dezero_ops_math import exp, log

from .arrays import clip
from .reductions import Axis, max, sum

documented = sharing("Derivative: that of the operations that it is made of.")


@documented
def linear_simple(x: Operand, W: Operand, b: Operand | None = None) -> Variable:  # noqa: N803
    """Affine map ``x @ W + b``, made of a product and a sum; see `linear`.

    x (Variable or ndarray): of shape ``(n, in_size)``.
    W (Variable or ndarray): of shape ``(in_size, out_size)``.
    b (Variable, ndarray or number, optional):
    Returns: of shape ``(n, out_size)``.
    Raises ValueError: if the shapes do not fit.
    Source: the book's step 43.

    >>> linear_simple(np.array([[1.0, 2.0]]), Variable(np.array([[3.0], [4.0]])), 5.0)
    variable([[16.]])
    """
    y = matmul(x, W)
    return y if b is None else y + b


@documented
def sigmoid_simple(x: Operand) -> Variable:
    """Logistic function ``1 / (1 + exp(-x))``, elementwise; see `sigmoid`.

    x: of any shape.
    Returns: of the shape and floating dtype of `x`.
    Raises TypeError: if `x` is no number and no array of numbers.
    Source: the book's step 43.

    >>> sigmoid_simple(Variable(np.array(0.0)))
    variable(0.5)
    """
    return 1.0 / (1.0 + exp(-1.0 * x))


@documented
def softmax_simple(x: Operand, axis: Axis = 1) -> Variable:
    """Softmax along axes, ``exp(x) / sum(exp(x))``; see `softmax`.

    x (Variable or ndarray): real; with the default, it has at least two axes.
    axis: the axes over which the result adds up to 1.
    Returns: of the shape and floating dtype of `x`.
    Source: the book's step 47.

    >>> softmax_simple(Variable(np.array([[1000.0, 1000.0]])))
    variable([[0.5 0.5]])
    """
    y = exp(x - max(x, axis, keepdims=True))
    return y / sum(y, axis, keepdims=True)


@documented
def mean_squared_error_simple(x0: Operand, x1: Operand) -> Variable:
    """Sum of the squared differences, divided by the number of rows; see `mean_squared_error`.

    x0, x1 (Variable or ndarray): of one shape, or of two that broadcast.
    Returns: a number, ``sum((x0 - x1) ** 2) / len(x0)``.
    Raises ValueError: if the shapes do not fit.
    Source: the book's step 42.

    >>> mean_squared_error_simple(Variable(np.array([1.0, 2.0])), np.array([0.0, 5.0]))
    variable(5.0)
    """
    difference = x0 - x1
    return sum(difference**2) / len(difference)


@documented
def softmax_cross_entropy_simple(x: Operand, t: Operand) -> Variable:
    """Mean of ``-log(softmax(x)[:, t])``; see `softmax_cross_entropy`.

    x (Variable or ndarray): logits, of shape ``(n, classes)``.
    t (Variable or array_like of int): the labels, from 0 to ``classes - 1``, of shape ``(n,)``.
    Returns: a number. Logarithms are of at least 1e-15.
    Raises IndexError: if a label is too large.
    Source: the book's step 47.

    >>> softmax_cross_entropy_simple(Variable(np.array([[0.0, 0.0]])), np.array([1]))
    variable(0.6931471805599453)
    """
    n, labels = len(x), t.data if isinstance(t, Variable) else t
    log_p = log(clip(softmax_simple(x), 1e-15, 1.0))
    return -1.0 * sum(log_p[np.arange(n), labels]) / n
