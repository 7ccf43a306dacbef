"""Functions of the op packages as the book has them: with its arguments, and as it begins.

The first ones have other arguments or defaults than NumPy's. The last ones are written with others,
as the book first shows them. They have the values of `linear`, `sigmoid`, `softmax`,
`mean_squared_error` and `softmax_cross_entropy`, but for the rounding; those are faster, and
`sigmoid_simple` overflows where `sigmoid` does not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np
from dezero_ops_math.docstrings import sharing

import dezero_ops_basic as basic
import dezero_ops_math as ops
from dezero_core import Function, Variable, no_grad
from dezero_core.extend import Array, Operand

Axis = int | tuple[int, ...] | None
F = TypeVar("F", bound=Callable[..., Variable])

made_of_others = sharing("Derivative: that of the operations that it is made of.")
documented = sharing(
    "Source: DeZero's function of that name; steps 39 (`sum`) and 47 (`softmax`) of the book."
)

_ANY = "x (Variable or ndarray):"


class OverAxes(Protocol):
    """Of all axes by default."""

    def __call__(self, x: Operand, axis: Axis = None, keepdims: bool = False) -> Variable: ...


class OverColumns(Protocol):
    """Of the second axis by default."""

    def __call__(self, x: Operand, axis: Axis = 1) -> Variable: ...


def over_axes(operation: Any, result: str, fields: str = _ANY) -> OverAxes:
    """Return an operation with `keepdims` behind `axis`."""

    def function(x: Operand, axis: Axis = None, keepdims: bool = False) -> Variable:
        return operation(x, axis, keepdims=keepdims)

    return _renamed(function, operation, f"[[1.0, 2.0], [3.0, 4.0]])), 0, True)\n{result}", fields)


def over_columns(operation: Any, result: str) -> OverColumns:
    """Return an operation that is along the second axis by default, and not along the last."""

    def function(x: Operand, axis: Axis = 1) -> Variable:
        return operation(x, axis)

    return _renamed(function, operation, f"[[1000.0, 1000.0]])))\n{result}", _OF_COLUMNS)


def _renamed(function: F, operation: Any, example: str, fields: str) -> F:
    """Let a function have the name of an operation, its summary and, if need be, derivative."""
    name = function.__name__ = function.__qualname__ = operation.__name__
    if operation.__doc__ is not None:  # as it is under python -OO
        summary = re.sub(": ``np.*", ".", operation.__doc__.partition("\n")[0])
        (derivative,) = re.findall(r"^    (Derivative.*(?:\n.+)*)", operation.__doc__, re.MULTILINE)
        if "Derivative" not in fields:
            fields = f"{fields}\n{derivative}"
        function.__doc__ = f"{summary}\n\n{fields}\n\n>>> {name}(Variable(np.array({example}"
    return documented(function)


_OF_COLUMNS = """x (Variable or ndarray): real; with the default of `axis`, of at least two axes.
axis: the axes over which the probabilities add up to 1; the second by default.
Returns: of the shape and floating dtype of `x`.
Raises TypeError: if `x` is complex.
Note: in dezero-ops-math it is the same over the last axis by default."""

_OF_TIES = """x (Variable or ndarray): not empty along the axes.
Derivative: 1 for that element. Equal ones share it; in the book each of them has 1.
Raises ValueError: if there is no element."""

sum = over_axes(ops.sum, "variable([[4. 6.]])")
mean = average = over_axes(
    ops.mean, "variable([[2. 3.]])", f"{_ANY}\nNote: `mean` and `average` are one function."
)
max = over_axes(ops.max, "variable([[3. 4.]])", _OF_TIES)
min = over_axes(ops.min, "variable([[1. 2.]])", _OF_TIES)
softmax = over_columns(ops.softmax, "variable([[0.5 0.5]])")
log_softmax = over_columns(ops.log_softmax, "variable([[-0.69314718 -0.69314718]])")


@documented
def logsumexp(x: Operand, axis: Axis = 1, keepdims: bool = True) -> Variable:
    """``log(sum(exp(x)))`` over axes, without overflow; over columns by default, which stay.

    x (Variable or ndarray): real; with the default of `axis`, of at least two axes.
    axis: the axes over which it is taken; the second by default.
    Returns: of the floating dtype of `x`.
    Derivative: ``softmax(x)`` over those axes.
    Raises TypeError: if `x` is complex.
    Source: the function of that name in DeZero's ``utils``, which is of arrays.

    >>> logsumexp(Variable(np.array([[1000.0, 1000.0]])))
    variable([[1000.69314718]])
    """
    return ops.logsumexp(x, axis, keepdims=keepdims)


@documented
def clip(x: Operand, x_min: Operand, x_max: Operand) -> Variable:
    """Keep elements within bounds.

    x (Variable or ndarray):
    Derivative: 1 for `x` where it is in the closed interval, else 0, and 1 for the bound.
    Raises ValueError: if the shapes do not broadcast.
    Source: DeZero's function of that name.

    >>> clip(Variable(np.array([-1.0, 0.5, 7.0])), 0.0, 1.0)
    variable([0.  0.5 1. ])
    """
    return ops.clip(x, x_min, x_max)


@documented
def get_item(x: Operand, slices: Any) -> Variable:
    """Index as NumPy does: ``x[slices]``.

    x (Variable or ndarray):
    slices (int, slice, array_like, tuple of these, ``...`` or None):
    Derivative: 1 for each element picked; of one that is picked twice it adds up.
    Raises IndexError: if the index is out of range.
    Source: DeZero's function of that name; the book's step 47.

    >>> get_item(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), (slice(None), 1))
    variable([2. 4.])
    """
    return basic.getitem(x, slices)


@documented
def flatten(x: Operand) -> Variable:
    """All elements of each row along one axis: a matrix with the rows of `x`.

    x (Variable or ndarray): of shape ``(n, ...)``.
    Returns: of shape ``(n, elements of a row)``; of a vector it is ``(n, 1)``.
    Derivative: 1 for every element.
    Raises ValueError: if `x` has no axis.
    Note: ``dezero_ops_math.flatten``, which is ``x.flatten()``, has one axis for all, as in NumPy.
    Source: DeZero's function of that name.

    >>> flatten(Variable(np.zeros((2, 3, 4)))).shape
    (2, 12)
    """
    shape = np.shape(x)
    if not shape:
        raise ValueError("flatten: x must have at least one axis, of the rows, and has none.")
    return ops.reshape(x, (shape[0], math.prod(shape[1:])))


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


@made_of_others
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
    y = basic.matmul(x, W)
    return y if b is None else y + b


@made_of_others
def sigmoid_simple(x: Operand) -> Variable:
    """Logistic function ``1 / (1 + exp(-x))``, elementwise; see `sigmoid`.

    x: of any shape.
    Returns: of the shape and floating dtype of `x`.
    Raises TypeError: if `x` is no number and no array of numbers.
    Source: the book's step 43.

    >>> sigmoid_simple(Variable(np.array(0.0)))
    variable(0.5)
    """
    return 1.0 / (1.0 + ops.exp(-1.0 * x))


@made_of_others
def softmax_simple(x: Operand, axis: Axis = 1) -> Variable:
    """Softmax along axes, ``exp(x) / sum(exp(x))``; see `softmax`.

    x (Variable or ndarray): real; with the default, it has at least two axes.
    axis: the axes over which the result adds up to 1.
    Returns: of the shape and floating dtype of `x`.
    Source: the book's step 47.

    >>> softmax_simple(Variable(np.array([[1000.0, 1000.0]])))
    variable([[0.5 0.5]])
    """
    y = ops.exp(x - max(x, axis, keepdims=True))
    return y / sum(y, axis, keepdims=True)


@made_of_others
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


@made_of_others
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
    log_p = ops.log(clip(softmax_simple(x), 1e-15, 1.0))
    return -1.0 * sum(log_p[np.arange(n), labels]) / n
