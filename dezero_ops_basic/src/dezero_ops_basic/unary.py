"""The operators of one operand: unary ``-`` and ``+``, ``abs``; and ``np.sign``."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable

Array = Any
Operand = Any


class Neg(Function):
    """d(-x) = -dx."""

    saves = ()

    def forward(self, x: Array) -> Array:
        return -x

    def backward(self, gy: Array) -> Array:
        return -gy


def neg(x: Operand) -> Variable:
    """Negative, elementwise: ``-x``, ``np.negative``.

    Parameters
    ----------
    x : Variable, ndarray or number

    Returns
    -------
    Variable
        Shape and dtype of `x`. Derivative: -1.

    Raises
    ------
    TypeError
        If `x` is boolean, as in NumPy.

    Notes
    -----
    Source: the seeds, step 22.

    Examples
    --------
    >>> neg(Variable(np.array(2.0)))
    variable(-2.0)
    """
    return Neg()(x)


class Pos(Function):
    """d(+x) = dx."""

    saves = ()

    def forward(self, x: Array) -> Array:
        return +x

    def backward(self, gy: Array) -> Array:
        return gy


def pos(x: Operand) -> Variable:
    """The same values in a new Variable: ``+x``, ``np.positive``.

    Parameters
    ----------
    x : Variable, ndarray or number

    Returns
    -------
    Variable
        Shape and dtype of `x`. Derivative: 1.

    Raises
    ------
    TypeError
        If `x` is boolean, as in NumPy.

    Notes
    -----
    Source: ``numpy.positive``.

    Examples
    --------
    >>> pos(Variable(np.array(2.0)))
    variable(2.0)
    """
    return Pos()(x)


class Sign(Function):
    """Constant on either side of 0: the derivative is 0."""

    saves = ()

    def forward(self, x: Array) -> Array:
        return np.sign(x)

    def backward(self, gy: Array) -> Array:
        return np.zeros(gy.shape, gy.dtype)


def sign(x: Operand) -> Variable:
    """-1, 0 or 1, elementwise: ``np.sign``.

    Parameters
    ----------
    x : Variable, ndarray or number

    Returns
    -------
    Variable
        Shape and dtype of `x`. Derivative: 0, also at 0.

    Raises
    ------
    TypeError
        If `x` is boolean, as in NumPy.

    Notes
    -----
    Source: ``numpy.sign``.

    Examples
    --------
    >>> sign(Variable(np.array([-2.0, 0.0])))
    variable([-1.  0.])
    """
    return Sign()(x)


class Abs(Function):
    """d|x| = sign(x) dx; 0 at 0, the middle of the slopes on its two sides."""

    def forward(self, x: Array) -> Array:
        return np.absolute(x)

    def backward(self, gy: Array) -> Array:
        x = self.inputs[0].data
        return gy * np.sign(x)


def absolute(x: Operand) -> Variable:
    """Absolute value, elementwise: ``abs(x)``, ``np.absolute``.

    Parameters
    ----------
    x : Variable, ndarray or number

    Returns
    -------
    Variable
        Shape and dtype of `x`. Derivative: ``sign(x)``, 0 at 0.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x` is no number.

    Notes
    -----
    Source: ``numpy.absolute``.

    Examples
    --------
    >>> absolute(Variable(np.array(-2.0)))
    variable(2.0)
    """
    return Abs()(x)
