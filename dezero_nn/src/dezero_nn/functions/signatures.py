"""Functions of the two op packages, with the arguments and defaults that they have in the book."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import dezero_ops_basic as basic
import dezero_ops_math as ops
from dezero_core import Variable
from dezero_core.extend import Operand

Axis = int | tuple[int, ...] | None


def softmax(x: Operand, axis: Axis = 1) -> Variable:
    """Softmax along axes, ``exp(x) / sum(exp(x))``, without overflow; over columns by default.

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

        Derivative by ``x[j]`` of element ``i``: ``y[i] * ((i == j) - y[j])``.

    Raises
    ------
    TypeError
        If `x` is complex.
    numpy.exceptions.AxisError (ValueError, IndexError)
        If `x` has no such axis.

    Notes
    -----
    ``dezero_ops_math.softmax`` is the same over the last axis by default.
    Source: DeZero's function of that name.

    Examples
    --------
    >>> softmax(Variable(np.array([[1000.0, 1000.0]])))
    variable([[0.5 0.5]])
    """
    return ops.softmax(x, axis)


def log_softmax(x: Operand, axis: Axis = 1) -> Variable:
    """Logarithm of the softmax along axes, without overflow; over columns by default.

    Parameters
    ----------
    x : Variable or numpy.ndarray
        Real; with the default, it has at least two axes.
    axis : int, tuple of int, or None
        The axes over which the probabilities add up to 1.

    Returns
    -------
    Variable
        Of the shape and floating dtype of `x`.

        Derivative by ``x[j]`` of element ``i``: ``(i == j) - softmax(x)[j]``.

    Raises
    ------
    TypeError
        If `x` is complex.
    numpy.exceptions.AxisError (ValueError, IndexError)
        If `x` has no such axis.

    Notes
    -----
    ``dezero_ops_math.log_softmax`` is the same over the last axis by default.
    Source: DeZero's function of that name.

    Examples
    --------
    >>> log_softmax(Variable(np.array([[0.0, 1000.0]])))
    variable([[-1000.     0.]])
    """
    return ops.log_softmax(x, axis)


def logsumexp(x: Operand, axis: Axis = 1, keepdims: bool = True) -> Variable:
    """``log(sum(exp(x)))`` over axes, without overflow; over columns by default, which stay.

    Parameters
    ----------
    x : Variable or numpy.ndarray
        Real; with the default, it has at least two axes.
    axis : int, tuple of int, or None
    keepdims : bool
        Whether the axes stay in the shape, of length 1.

    Returns
    -------
    Variable
        Of the floating dtype of `x`.

        Derivative: ``softmax(x)`` over those axes.

    Raises
    ------
    TypeError
        If `x` is complex.
    numpy.exceptions.AxisError (ValueError, IndexError)
        If `x` has no such axis.

    Notes
    -----
    Source: the function of that name in DeZero's ``utils``, which is of arrays.

    Examples
    --------
    >>> logsumexp(Variable(np.array([[1000.0, 1000.0]])))
    variable([[1000.69314718]])
    """
    return ops.logsumexp(x, axis, keepdims=keepdims)


def sum(x: Operand, axis: Axis = None, keepdims: bool = False) -> Variable:
    """Sum over axes.

    Parameters
    ----------
    x : Variable or numpy.ndarray
    axis : int, tuple of int, or None
        By default all of them.
    keepdims : bool
        Whether the axes stay in the shape, of length 1.

    Returns
    -------
    Variable
        Derivative: 1 for every element that is summed.

    Raises
    ------
    numpy.exceptions.AxisError (ValueError, IndexError)
        If `x` has no such axis.

    Notes
    -----
    Source: DeZero's function of that name; the book's step 39.

    Examples
    --------
    >>> sum(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), 0, True)
    variable([[4. 6.]])
    """
    return ops.sum(x, axis, keepdims=keepdims)


def average(x: Operand, axis: Axis = None, keepdims: bool = False) -> Variable:
    """Arithmetic mean over axes; also under the name ``mean``.

    Parameters
    ----------
    x : Variable or numpy.ndarray
    axis : int, tuple of int, or None
        By default all of them.
    keepdims : bool
        Whether the axes stay in the shape, of length 1.

    Returns
    -------
    Variable
        Derivative: ``1 / n`` for each of n elements.

    Raises
    ------
    numpy.exceptions.AxisError (ValueError, IndexError)
        If `x` has no such axis.

    Notes
    -----
    Source: DeZero's function of that name.

    Examples
    --------
    >>> average(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), 0, True)
    variable([[2. 3.]])
    """
    return ops.mean(x, axis, keepdims=keepdims)


mean = average


def max(x: Operand, axis: Axis = None, keepdims: bool = False) -> Variable:
    """Largest element over axes.

    Parameters
    ----------
    x : Variable or numpy.ndarray
        Not empty along the axes.
    axis : int, tuple of int, or None
        By default all of them.
    keepdims : bool
        Whether the axes stay in the shape, of length 1.

    Returns
    -------
    Variable
        Derivative: 1 for the largest element. Equal ones share it; in the book each has 1.

    Raises
    ------
    ValueError
        If there is no element.
    numpy.exceptions.AxisError (ValueError, IndexError)
        If `x` has no such axis.

    Notes
    -----
    Source: DeZero's function of that name.

    Examples
    --------
    >>> max(Variable(np.array([[1.0, 2.0], [3.0, 0.0]])), 1, True)
    variable([[2.]
              [3.]])
    """
    return ops.max(x, axis, keepdims=keepdims)


def min(x: Operand, axis: Axis = None, keepdims: bool = False) -> Variable:
    """Smallest element over axes.

    Parameters
    ----------
    x : Variable or numpy.ndarray
        Not empty along the axes.
    axis : int, tuple of int, or None
        By default all of them.
    keepdims : bool
        Whether the axes stay in the shape, of length 1.

    Returns
    -------
    Variable
        Derivative: 1 for the smallest element. Equal ones share it; in the book each has 1.

    Raises
    ------
    ValueError
        If there is no element.
    numpy.exceptions.AxisError (ValueError, IndexError)
        If `x` has no such axis.

    Notes
    -----
    Source: DeZero's function of that name.

    Examples
    --------
    >>> min(Variable(np.array([[1.0, 2.0], [3.0, 0.0]])), 1, True)
    variable([[1.]
              [0.]])
    """
    return ops.min(x, axis, keepdims=keepdims)


def clip(x: Operand, x_min: Operand, x_max: Operand) -> Variable:
    """Keep elements within bounds.

    Parameters
    ----------
    x : Variable or numpy.ndarray
    x_min, x_max : Variable, numpy.ndarray or number

    Returns
    -------
    Variable
        Derivative: 1 for `x` where it is in the closed interval, else 0, and 1 for the bound.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: DeZero's function of that name.

    Examples
    --------
    >>> clip(Variable(np.array([-1.0, 0.5, 7.0])), 0.0, 1.0)
    variable([0.  0.5 1. ])
    """
    return ops.clip(x, x_min, x_max)


def get_item(x: Operand, slices: Any) -> Variable:
    """Index as NumPy does: ``x[slices]``.

    Parameters
    ----------
    x : Variable or numpy.ndarray
    slices : int, slice, array_like, tuple of these, ``...`` or None

    Returns
    -------
    Variable
        Derivative: 1 for each element picked; of one that is picked twice it adds up.

    Raises
    ------
    IndexError
        If the index is out of range.

    Notes
    -----
    Source: DeZero's function of that name; the book's step 47.

    Examples
    --------
    >>> get_item(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), (slice(None), 1))
    variable([2. 4.])
    """
    return basic.getitem(x, slices)


def flatten(x: Operand) -> Variable:
    """All elements of each row along one axis: a matrix with the rows of `x`.

    Parameters
    ----------
    x : Variable or numpy.ndarray
        Of shape ``(n, ...)``.

    Returns
    -------
    Variable
        Of shape ``(n, elements of a row)``; of a vector it is ``(n, 1)``.

        Derivative: 1 for every element.

    Raises
    ------
    ValueError
        If `x` has no axis.

    Notes
    -----
    ``dezero_ops_math.flatten``, which is ``x.flatten()``, has one axis for all, as in NumPy.
    Source: DeZero's function of that name.

    Examples
    --------
    >>> flatten(Variable(np.zeros((2, 3, 4)))).shape
    (2, 12)
    """
    shape = np.shape(x)
    if not shape:
        raise ValueError("flatten: x must have at least one axis, of the rows, and has none.")
    return ops.reshape(x, (shape[0], math.prod(shape[1:])))
