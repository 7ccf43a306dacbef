"""The arithmetic operators of two operands: ``+ - * / // %``."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Variable

Array = Any
Operand = Any


class Add(Function):
    """d(x0 + x1) = dx0 + dx1."""

    saves = ()

    def forward(self, x0: Array, x1: Array) -> Array:
        return x0 + x1

    def backward(self, gy: Array) -> tuple[Array, Array]:
        return gy, gy


def add(x0: Operand, x1: Operand) -> Variable:
    """Sum, elementwise: ``x0 + x1``, ``np.add``.

    Parameters
    ----------
    x0, x1 : Variable, ndarray or number
        Of shapes that broadcast.

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative: 1 for each operand.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: the seeds, steps 11 to 14 and 20.

    Examples
    --------
    >>> x = Variable(np.array(3.0))
    >>> y = add(x, x)
    >>> y.backward()
    >>> x.grad
    array(2.)
    """
    return Add()(x0, x1)


class Sub(Function):
    """d(x0 - x1) = dx0 - dx1."""

    saves = ()

    def forward(self, x0: Array, x1: Array) -> Array:
        return x0 - x1

    def backward(self, gy: Array) -> tuple[Array, Array]:
        return gy, -gy


def sub(x0: Operand, x1: Operand) -> Variable:
    """Difference, elementwise: ``x0 - x1``, ``np.subtract``.

    Parameters
    ----------
    x0, x1 : Variable, ndarray or number
        Of shapes that broadcast.

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative: 1 and -1.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: the seeds, step 22.

    Examples
    --------
    >>> sub(Variable(np.array(2.0)), 3.0)
    variable(-1.0)
    """
    return Sub()(x0, x1)


def rsub(x0: Operand, x1: Operand) -> Variable:
    """``x1 - x0``: what ``2.0 - x`` becomes, with `x0` on the right; see `sub`."""
    return sub(x1, x0)


class Mul(Function):
    """d(x0 x1) = x1 dx0 + x0 dx1."""

    def forward(self, x0: Array, x1: Array) -> Array:
        return x0 * x1

    def backward(self, gy: Array) -> tuple[Array, Array]:
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gy * x1, gy * x0


def mul(x0: Operand, x1: Operand) -> Variable:
    """Product, elementwise: ``x0 * x1``, ``np.multiply``.

    Parameters
    ----------
    x0, x1 : Variable, ndarray or number
        Of shapes that broadcast.

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative: `x1` and `x0`.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: the seeds, step 20.

    Examples
    --------
    >>> a, b = Variable(np.array(3.0)), Variable(np.array(2.0))
    >>> y = mul(a, b)
    >>> y.backward()
    >>> a.grad, b.grad
    (array(2.), array(3.))
    """
    return Mul()(x0, x1)


class Div(Function):
    """d(x0 / x1) = dx0 / x1 - (x0 / x1) dx1 / x1."""

    def forward(self, x0: Array, x1: Array) -> Array:
        return x0 / x1

    def backward(self, gy: Array) -> tuple[Array, Array | None]:
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        gx0 = gy / x1
        if not self.needs_grad[1]:
            return gx0, None
        # The book's -x0 / x1 ** 2 overflows or underflows where the quotient does not.
        return gx0, -gx0 * (x0 / x1)


def div(x0: Operand, x1: Operand) -> Variable:
    """Quotient, elementwise: ``x0 / x1``, ``np.divide``.

    Parameters
    ----------
    x0, x1 : Variable, ndarray or number
        Of shapes that broadcast. Division by zero gives inf or nan, as in NumPy, with
        NumPy's RuntimeWarning, in the gradient too.

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative: ``1 / x1`` and ``-x0 / x1**2``.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: the seeds, step 22.

    Examples
    --------
    >>> div(1.0, Variable(np.array(4.0)))
    variable(0.25)
    """
    return Div()(x0, x1)


def rdiv(x0: Operand, x1: Operand) -> Variable:
    """``x1 / x0``: what ``2.0 / x`` becomes, with `x0` on the right; see `div`."""
    return div(x1, x0)


class FloorDiv(Function):
    """Constant between its jumps: the derivative is 0."""

    saves = ()

    def forward(self, x0: Array, x1: Array) -> Array:
        return x0 // x1

    def backward(self, gy: Array) -> tuple[Array, Array]:
        zeros = np.zeros(gy.shape, gy.dtype)
        return zeros, zeros


def floordiv(x0: Operand, x1: Operand) -> Variable:
    """Quotient rounded down, elementwise: ``x0 // x1``, ``np.floor_divide``.

    Parameters
    ----------
    x0, x1 : Variable, ndarray or number
        Of shapes that broadcast.

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative: 0, also at the jumps.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: ``numpy.floor_divide``.

    Examples
    --------
    >>> floordiv(Variable(np.array(7.0)), 2.0)
    variable(3.0)
    """
    return FloorDiv()(x0, x1)


def rfloordiv(x0: Operand, x1: Operand) -> Variable:
    """``x1 // x0``, with `x0` on the right; see `floordiv`."""
    return floordiv(x1, x0)


class Mod(Function):
    """x0 % x1 = x0 - x1 (x0 // x1), so d = dx0 - (x0 // x1) dx1."""

    def forward(self, x0: Array, x1: Array) -> Array:
        return x0 % x1

    def backward(self, gy: Array) -> tuple[Array, Array]:
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gy, -gy * (x0 // x1)


def mod(x0: Operand, x1: Operand) -> Variable:
    """Remainder with the sign of `x1`, elementwise: ``x0 % x1``, ``np.remainder``.

    Parameters
    ----------
    x0, x1 : Variable, ndarray or number
        Of shapes that broadcast.

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative: 1 and ``-(x0 // x1)``, also at
        the jumps.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: ``numpy.remainder``.

    Examples
    --------
    >>> mod(Variable(np.array(-7.0)), 3.0)
    variable(2.0)
    """
    return Mod()(x0, x1)


def rmod(x0: Operand, x1: Operand) -> Variable:
    """``x1 % x0``, with `x0` on the right; see `mod`."""
    return mod(x1, x0)
