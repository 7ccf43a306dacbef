"""Functions written with others, as the book first shows them; those that it ends with are faster.

They have the values of `linear`, `sigmoid`, `softmax`, `mean_squared_error` and
`softmax_cross_entropy`, but for the rounding. `sigmoid_simple` overflows where `sigmoid` does not.
"""

from __future__ import annotations

import numpy as np

from dezero_core import Variable, as_variable
from dezero_core.extend import Operand
from dezero_ops_basic import matmul
from dezero_ops_math import exp, log

from .arrays import clip
from .reductions import Axis, max, sum


def linear_simple(x: Operand, W: Operand, b: Operand | None = None) -> Variable:  # noqa: N803
    """Return ``x @ W + b``, as in the book's step 43; see `linear`.

    Examples
    --------
    >>> linear_simple(np.array([[1.0, 2.0]]), Variable(np.array([[3.0], [4.0]])), 5.0)
    variable([[16.]])
    """
    y = matmul(x, W)
    return y if b is None else y + b


def sigmoid_simple(x: Operand) -> Variable:
    """Return ``1 / (1 + exp(-x))``, as in the book's step 43; see `sigmoid`.

    Examples
    --------
    >>> sigmoid_simple(Variable(np.array(0.0)))
    variable(0.5)
    """
    return 1.0 / (1.0 + exp(-1.0 * as_variable(x)))


def softmax_simple(x: Operand, axis: Axis = 1) -> Variable:
    """Return ``exp(x) / sum(exp(x))``, as in the book's step 47; see `softmax`.

    Examples
    --------
    >>> softmax_simple(Variable(np.array([[1000.0, 1000.0]])))
    variable([[0.5 0.5]])
    """
    x = as_variable(x)
    y = exp(x - max(x, axis, keepdims=True))
    return y / sum(y, axis, keepdims=True)


def mean_squared_error_simple(x0: Operand, x1: Operand) -> Variable:
    """Return ``sum((x0 - x1) ** 2) / len(x0)``, as in the book's step 42; see `mean_squared_error`.

    Examples
    --------
    >>> mean_squared_error_simple(Variable(np.array([1.0, 2.0])), np.array([0.0, 5.0]))
    variable(5.0)
    """
    difference = as_variable(x0) - x1
    return sum(difference**2) / len(difference)


def softmax_cross_entropy_simple(x: Operand, t: Operand) -> Variable:
    """Return the mean of ``-log(softmax(x)[:, t])``, as in step 47; see `softmax_cross_entropy`.

    Logarithms are of at least 1e-15.

    Examples
    --------
    >>> softmax_cross_entropy_simple(Variable(np.array([[0.0, 0.0]])), np.array([1]))
    variable(0.6931471805599453)
    """
    x, t = as_variable(x), as_variable(t)
    n = len(x)
    log_p = log(clip(softmax_simple(x), 1e-15, 1.0))
    return -1.0 * sum(log_p[np.arange(n), t.data]) / n
