"""The error function, its complement and its inverse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special
from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand

TWO_BY_ROOT_PI = 2.0 / math.sqrt(math.pi)


class Gaussian(Function):
    """d exp(-x**2) = -2 x exp(-x**2) dx."""

    saves = ("inputs", "outputs")
    elementwise = True

    def forward(self, x: Array) -> Array:
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(-(x * x))

    def backward(self, gy: Array) -> Array:
        return gy * (-2.0 * self.inputs[0].data * self.outputs[0]().data)


class Erf(Function):
    """d erf(x) = 2 / sqrt(pi) exp(-x**2) dx."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return scipy.special.erf(x)

    def backward(self, gy: Array) -> Array:
        return gy * (TWO_BY_ROOT_PI * Gaussian().of(self.inputs[0].data))


def erf(x: Operand) -> Variable:
    """Error function, elementwise: ``scipy.special.erf``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape; real or complex.

    Returns
    -------
    Variable
        Shape of `x`, dtype as SciPy gives it. Derivative: ``2 / sqrt(pi) * exp(-x**2)``.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x` is no number.

    Notes
    -----
    Source: NIST DLMF 7.2.1.

    Examples
    --------
    >>> x = Variable(np.array(0.0))
    >>> erf(x).backward()
    >>> x.grad
    array(1.12837917)
    """
    return Erf()(x)


class Erfc(Function):
    """d erfc(x) = -2 / sqrt(pi) exp(-x**2) dx."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return scipy.special.erfc(x)

    def backward(self, gy: Array) -> Array:
        return gy * (-TWO_BY_ROOT_PI * Gaussian().of(self.inputs[0].data))


def erfc(x: Operand) -> Variable:
    """Complement of the error function, elementwise: ``scipy.special.erfc``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape; real or complex.

    Returns
    -------
    Variable
        ``1 - erf(x)``, with all digits also where that is small. Shape of `x`, dtype as SciPy
        gives it. Derivative: ``-2 / sqrt(pi) * exp(-x**2)``.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x` is no number.

    Notes
    -----
    Source: NIST DLMF 7.2.2.

    Examples
    --------
    >>> erfc(Variable(np.array(20.0)))
    variable(5.395865611607901e-176)
    """
    return Erfc()(x)


class Erfinv(Function):
    """dy = sqrt(pi) / 2 exp(y**2) dx."""

    saves = ("outputs",)
    elementwise = True

    def forward(self, x: Array) -> Array:
        return scipy.special.erfinv(x)

    def backward(self, gy: Array) -> Array:
        y = self.outputs[0]().data
        return gy * (np.exp(y * y) / TWO_BY_ROOT_PI)


def erfinv(x: Operand) -> Variable:
    """Inverse of the error function, elementwise: ``scipy.special.erfinv``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape, real, from -1 to 1; there it is infinite, and so is the derivative.

    Returns
    -------
    Variable
        Shape of `x`, dtype as SciPy gives it; nan outside of the domain. Derivative:
        ``sqrt(pi) / 2 * exp(erfinv(x)**2)``.

    Raises
    ------
    TypeError
        If `x` is complex.

    Notes
    -----
    Source: the inverse of NIST DLMF 7.2.1; 7.17.

    Examples
    --------
    >>> erfinv(Variable(np.array([0.0, 1.0])))
    variable([ 0. inf])
    """
    return Erfinv()(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def everywhere(kit: Any) -> Any:
        return kit.elementwise((-2.0, 2.0), complex=True)

    def inside(kit: Any) -> Any:
        return kit.elementwise((-0.9, 0.9))

    register("special.erf", erf, Erf, numpy=scipy.special.erf, sample=everywhere)
    register("special.erfc", erfc, Erfc, numpy=scipy.special.erfc, sample=everywhere)
    register("special.erfinv", erfinv, Erfinv, numpy=scipy.special.erfinv, sample=inside)
