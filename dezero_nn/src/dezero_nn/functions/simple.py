"""Functions written with others, as the book first shows them; those that it ends with are faster.

They have the values of `linear`, `sigmoid`, `softmax`, `mean_squared_error` and
`softmax_cross_entropy`, but for the rounding. `sigmoid_simple` overflows where `sigmoid` does not.
"""

from __future__ import annotations

import numpy as np

from dezero_core import Variable
from dezero_core.extend import Operand
from dezero_ops_basic import matmul
from dezero_ops_math import exp, log

from .arrays import clip
from .reductions import Axis, max, sum


def linear_simple(x: Operand, W: Operand, b: Operand | None = None) -> Variable:  # noqa: N803
    """Affine map ``x @ W + b``, made of a product and a sum; see `linear`.

    Parameters
    ----------
    x : Variable or numpy.ndarray
        Of shape ``(n, in_size)``.
    W : Variable or numpy.ndarray
        Of shape ``(in_size, out_size)``.
    b : Variable, numpy.ndarray or number, optional

    Returns
    -------
    Variable
        Of shape ``(n, out_size)``.

        Derivative: that of the operations that it is made of.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Notes
    -----
    Source: the book's step 43.

    Examples
    --------
    >>> linear_simple(np.array([[1.0, 2.0]]), Variable(np.array([[3.0], [4.0]])), 5.0)
    variable([[16.]])
    """
    y = matmul(x, W)
    return y if b is None else y + b


def sigmoid_simple(x: Operand) -> Variable:
    """Logistic function ``1 / (1 + exp(-x))``, elementwise; see `sigmoid`.

    Parameters
    ----------
    x : Variable, numpy.ndarray or number
        Of any shape.

    Returns
    -------
    Variable
        Of the shape and floating dtype of `x`.

        Derivative: that of the operations that it is made of.

    Raises
    ------
    TypeError
        If `x` is no number and no array of numbers.

    Notes
    -----
    Source: the book's step 43.

    Examples
    --------
    >>> sigmoid_simple(Variable(np.array(0.0)))
    variable(0.5)
    """
    return 1.0 / (1.0 + exp(-1.0 * x))


def softmax_simple(x: Operand, axis: Axis = 1) -> Variable:
    """Softmax along axes, ``exp(x) / sum(exp(x))``; see `softmax`.

    Parameters
    ----------
    x : Variable or numpy.ndarray
        Real; with the default, it has at least two axes.
    axis : int, tuple of int, or None
        The axes over which the result adds up to 1.

    Returns
    -------
    Variable
        Of the shape and floating dtype of `x`.

        Derivative: that of the operations that it is made of.

    Raises
    ------
    numpy.exceptions.AxisError (ValueError, IndexError)
        If `x` has no such axis.

    Notes
    -----
    Source: the book's step 47.

    Examples
    --------
    >>> softmax_simple(Variable(np.array([[1000.0, 1000.0]])))
    variable([[0.5 0.5]])
    """
    y = exp(x - max(x, axis, keepdims=True))
    return y / sum(y, axis, keepdims=True)


def mean_squared_error_simple(x0: Operand, x1: Operand) -> Variable:
    """Sum of the squared differences, divided by the number of rows; see `mean_squared_error`.

    Parameters
    ----------
    x0, x1 : Variable or numpy.ndarray
        Of one shape, or of two that broadcast.

    Returns
    -------
    Variable
        A number, ``sum((x0 - x1) ** 2) / len(x0)``.

        Derivative: that of the operations that it is made of.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Notes
    -----
    Source: the book's step 42.

    Examples
    --------
    >>> mean_squared_error_simple(Variable(np.array([1.0, 2.0])), np.array([0.0, 5.0]))
    variable(5.0)
    """
    difference = x0 - x1
    return sum(difference**2) / len(difference)


def softmax_cross_entropy_simple(x: Operand, t: Operand) -> Variable:
    """Mean of ``-log(softmax(x)[:, t])``; see `softmax_cross_entropy`.

    Parameters
    ----------
    x : Variable or numpy.ndarray
        Logits, of shape ``(n, classes)``.
    t : Variable or array_like of int
        The labels, from 0 to ``classes - 1``, of shape ``(n,)``.

    Returns
    -------
    Variable
        A number. Logarithms are of at least 1e-15.

        Derivative: that of the operations that it is made of.

    Raises
    ------
    IndexError
        If a label is too large.

    Notes
    -----
    Source: the book's step 47.

    Examples
    --------
    >>> softmax_cross_entropy_simple(Variable(np.array([[0.0, 0.0]])), np.array([1]))
    variable(0.6931471805599453)
    """
    n, labels = len(x), t.data if isinstance(t, Variable) else t
    log_p = log(clip(softmax_simple(x), 1e-15, 1.0))
    return -1.0 * sum(log_p[np.arange(n), labels]) / n
