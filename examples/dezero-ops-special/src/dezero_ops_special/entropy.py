"""Products with a logarithm, which are 0 where the factor is 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand


class Xlogy(Function):
    """d (x log(y)) = log(y) dx + x / y dy."""

    elementwise = True

    def forward(self, x: Array, y: Array) -> Array:
        return scipy.special.xlogy(x, y)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x, y = (each.data for each in self.inputs)
        by_x, by_y = self.needs_grad
        return (
            gy * Xlogy().of(1.0, y) if by_x else None,
            gy * QuotientOrZero().of(x, y) if by_y else None,
        )


class QuotientOrZero(Function):
    """``q = x / y``, and 0 where x is, also at y = 0; dq = dx / y - q / y dy."""

    saves = ("inputs", "outputs")
    elementwise = True

    def forward(self, x: Array, y: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where((x == 0.0) & (y == y), 0.0, x / y).astype((x / y).dtype)

    def backward(self, gq: Array) -> tuple[Array | None, Array | None]:
        y, q = self.inputs[1].data, self.outputs[0]().data
        by_x, by_y = self.needs_grad
        return (gq / y if by_x else None, -gq * QuotientOrZero().of(q, y) if by_y else None)


def xlogy(x: Operand, y: Operand) -> Variable:
    """``x * log(y)``, and 0 where `x` is 0, elementwise: ``scipy.special.xlogy``.

    Parameters
    ----------
    x, y : Variable, ndarray or number
        Real or complex, of shapes that broadcast.

    Returns
    -------
    Variable
        Dtype as SciPy gives it; nan where a real `y` is below 0 and `x` is not 0. Derivative by
        `x`: ``log(y)``; by `y`: ``x / y``, and 0 where `x` is 0, also at ``y = 0``.

    Raises
    ------
    VariableTypeError (TypeError)
        If one is no number.

    Notes
    -----
    Source: NIST DLMF 4.7.1.

    Examples
    --------
    >>> x, y = Variable(np.array([0.0, 2.0])), Variable(np.array([0.0, 4.0]))
    >>> xlogy(x, y).backward()
    >>> x.grad, y.grad
    (array([      -inf, 1.38629436]), array([0. , 0.5]))
    """
    return Xlogy()(x, y)


class Entr(Function):
    """d (-x log(x)) = -(log(x) + 1) dx."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return scipy.special.entr(x)

    def backward(self, gy: Array) -> Array:
        return -gy * (Xlogy().of(1.0, self.inputs[0].data) + 1.0)


def entr(x: Operand) -> Variable:
    """``-x * log(x)``, and 0 at 0, elementwise: ``scipy.special.entr``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape, real, from 0 on.

    Returns
    -------
    Variable
        Shape of `x`, dtype as SciPy gives it; -inf below 0, with nan for the derivative.
        Derivative: ``-log(x) - 1``, which is inf at 0.

    Raises
    ------
    TypeError
        If `x` is complex.

    Notes
    -----
    Source: NIST DLMF 4.7.1; Shannon 1948.

    Examples
    --------
    >>> x = Variable(np.array([0.0, 1.0]))
    >>> entr(x).backward()
    >>> x.grad
    array([inf, -1.])
    """
    return Entr()(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def of_two(kit: Any) -> Any:
        return kit.elementwise((-3.0, 3.0), (0.3, 3.0), complex=True)

    def positive(kit: Any) -> Any:
        return kit.elementwise((0.3, 3.0))

    register("special.xlogy", xlogy, Xlogy, numpy=scipy.special.xlogy, sample=of_two)
    register("special.entr", entr, Entr, numpy=scipy.special.entr, sample=positive)
