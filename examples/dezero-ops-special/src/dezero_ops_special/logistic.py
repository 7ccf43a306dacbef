"""The logistic function and its inverse."""

from __future__ import annotations

from typing import Any

import scipy.special
from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand


class Expit(Function):
    """dy = y expit(-x) dx: not y (1 - y), which is 0 from x = 37 on."""

    saves = ("inputs", "outputs")
    elementwise = True

    def forward(self, x: Array) -> Array:
        return scipy.special.expit(x)

    def backward(self, gy: Array) -> Array:
        return gy * (self.outputs[0]().data * Expit().of(-self.inputs[0].data))


def expit(x: Operand) -> Variable:
    """Logistic sigmoid ``1 / (1 + exp(-x))``, elementwise: ``scipy.special.expit``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape, real.

    Returns
    -------
    Variable
        Shape of `x`, dtype as SciPy gives it. Derivative: ``expit(x) * expit(-x)``.

    Raises
    ------
    TypeError
        If `x` is complex.

    Notes
    -----
    Source: ``scipy.special.expit``; its equation y' = y (1 - y) is that of Verhulst 1845.

    Examples
    --------
    >>> x = Variable(np.array([-40.0, 0.0, 40.0]))
    >>> expit(x).backward()
    >>> x.grad
    array([4.24835426e-18, 2.50000000e-01, 4.24835426e-18])
    """
    return Expit()(x)


class Logit(Function):
    """dy = dx / x + dx / (1 - x): not over their product, whose square underflows."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return scipy.special.logit(x)

    def backward(self, gy: Array) -> Array:
        x = self.inputs[0].data
        return gy / x + gy / (1.0 - x)


def logit(x: Operand) -> Variable:
    """Log-odds ``log(x / (1 - x))``, elementwise: ``scipy.special.logit``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape, real, from 0 to 1; there it is infinite, and so is the derivative.

    Returns
    -------
    Variable
        Shape of `x`, dtype as SciPy gives it; nan outside of the domain. Derivative:
        ``1 / (x * (1 - x))``.

    Raises
    ------
    TypeError
        If `x` is complex.

    Notes
    -----
    Source: ``scipy.special.logit``, the inverse of `expit`.

    Examples
    --------
    >>> x = Variable(np.array([0.2, 0.5]))
    >>> logit(x).backward()
    >>> x.grad
    array([6.25, 4.  ])
    """
    return Logit()(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def wide(kit: Any) -> Any:
        return kit.elementwise((-3.0, 3.0))

    def inside(kit: Any) -> Any:
        return kit.elementwise((0.15, 0.85))

    register("special.expit", expit, Expit, numpy=scipy.special.expit, sample=wide)
    register("special.logit", logit, Logit, numpy=scipy.special.logit, sample=inside)
