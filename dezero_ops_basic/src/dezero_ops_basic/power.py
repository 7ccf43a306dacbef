"""The operator ``**``, with a Variable, an array or a number on either side; float_power."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand

from .docstrings import documented
from .power_slopes import PowDerivative, converted, lowered_exactly


class Pow(Function):
    """d(x**c) = c x**(c - 1) dx + x**c log(x) dc."""

    elementwise = True
    power: Any = staticmethod(np.power)

    def forward(self, x: Array, c: Array) -> Array:
        return x**c  # of a number c, NumPy has ways of its own to square, to invert, to take roots

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x, c = self.inputs[0].data, self.inputs[1].data
        if type(c) in (int, float) and c != 0 and lowered_exactly(c):
            if c == 2 and not isinstance(x, Variable):
                # A power of 1 takes as long as the rest, and of numbers 2 * x twice as long as a
                # sum. A Variable keeps that power: it has derivatives left, though they are 0.
                return gy * (x + x), None
            return gy * (c * self.forward(x, c - 1)), None
        x, c = converted(x, gy.dtype), converted(c, gy.dtype)
        of_x, of_c = self.needs_grad
        return (
            gy * PowDerivative(self.power, 1, 0).of(x, c) if of_x else None,
            gy * PowDerivative(self.power, 0, 1).of(x, c) if of_c else None,
        )


class FloatPow(Pow):
    """As `Pow`, in double precision at least."""

    power: Any = staticmethod(np.float_power)

    def forward(self, x: Array, c: Array) -> Array:
        return np.float_power(x, c)


def pow(x: Operand, c: Operand) -> Variable:
    """Power, elementwise: ``x ** c``, ``np.power``.

    Parameters
    ----------
    x, c : Variable, ndarray or number
        Of shapes that broadcast.

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative by `x`: ``c * x**(c - 1)``, which
        is 0 for ``c == 0`` also at 0. Derivative by `c`: ``x**c * log(x)``; 0 where `x`
        is 0 and ``c >= 0``; nan, with NumPy's RuntimeWarning, where `x` is negative.

    Raises
    ------
    ValueError
        If the shapes do not broadcast, or an integer is raised to a negative integer.

    Notes
    -----
    Source: *Deep Learning from Scratch 3*, step 22; NIST DLMF 4.2.

    Examples
    --------
    >>> x = Variable(np.array(3.0))
    >>> y = pow(x, 2)
    >>> y.backward()
    >>> y, x.grad
    (variable(9.0), array(6.))
    """
    return Pow()(x, c)


@documented
def float_power(x1: Operand, x2: Operand) -> Variable:
    """Power in double precision at least, elementwise: ``np.float_power``.

    Operands: Variable, ndarray or number
        Base and exponent, of shapes that broadcast.
    Returns: Of dtype float64, complex128, or longer.
    Derivative: see `pow`.
    Source: ``numpy.float_power``; NIST DLMF 4.2.

    >>> float_power(Variable(np.array(4)), -0.5)
    variable(0.5)
    """
    return FloatPow()(x1, x2)


def rpow(c: Operand, x: Operand) -> Variable:
    """``x ** c``: what ``2.0 ** c`` becomes, with the Variable on the right; see `pow`."""
    return pow(x, c)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def sample(kit: Any) -> Any:
        return kit.elementwise((0.5, 3.0), (-3.0, 3.0), complex=True)

    bindings = {"__pow__": Pow, "__rpow__": rpow}
    register("pow", pow, Pow, dunders=bindings, numpy=np.power, sample=sample)
    register("float_power", float_power, FloatPow, numpy=np.float_power, sample=sample)
