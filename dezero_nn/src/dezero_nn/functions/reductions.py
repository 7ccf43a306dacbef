"""Functions over axes, with the arguments and defaults that they have in the book."""

from __future__ import annotations

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
