"""The operators ``//``, ``%`` and ``divmod()``."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand

from .docstrings import documented


class FloorDiv(Function):
    """Constant between its jumps: the derivative is 0."""

    saves = ()
    elementwise = True

    def forward(self, x0: Array, x1: Array) -> Array:
        return x0 // x1

    def backward(self, gy: Array) -> tuple[Array, Array]:
        zeros = np.zeros(gy.shape, gy.dtype)
        return zeros, zeros


@documented
def floordiv(x0: Operand, x1: Operand) -> Variable:
    """Quotient rounded down, elementwise: ``x0 // x1``, ``np.floor_divide``.

    Derivative: 0, also at the jumps.
    Source: ``numpy.floor_divide``.

    >>> floordiv(Variable(np.array(7.0)), 2.0)
    variable(3.0)
    """
    return FloorDiv()(x0, x1)


def rfloordiv(x0: Operand, x1: Operand) -> Variable:
    """``x1 // x0``, with `x0` on the right; see `floordiv`."""
    return floordiv(x1, x0)


class Mod(Function):
    """x0 % x1 = x0 - x1 (x0 // x1), so d = dx0 - (x0 // x1) dx1."""

    elementwise = True

    def forward(self, x0: Array, x1: Array) -> Array:
        return x0 % x1

    def backward(self, gy: Array) -> tuple[Array, Array | None]:
        if not self.needs_grad[1]:
            return gy, None
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gy, -gy * (x0 // x1)


@documented
def mod(x0: Operand, x1: Operand) -> Variable:
    """Remainder with the sign of `x1`, elementwise: ``x0 % x1``, ``np.remainder``.

    Derivative: 1 and ``-(x0 // x1)``, also at the jumps.
    Source: ``numpy.remainder``.

    >>> mod(Variable(np.array(-7.0)), 3.0)
    variable(2.0)
    """
    return Mod()(x0, x1)


def rmod(x0: Operand, x1: Operand) -> Variable:
    """``x1 % x0``, with `x0` on the right; see `mod`."""
    return mod(x1, x0)


def divmod(x0: Operand, x1: Operand) -> tuple[Variable, Variable]:
    """Quotient rounded down, and remainder: ``divmod(x0, x1)``, ``np.divmod``.

    Parameters
    ----------
    x0, x1 : Variable, ndarray or number
        Of shapes that broadcast.

    Returns
    -------
    tuple of Variable
        ``x0 // x1`` and ``x0 % x1``. Derivative: see `floordiv` and `mod`.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: ``numpy.divmod``.

    Examples
    --------
    >>> divmod(Variable(np.array(7.0)), 2.0)
    (variable(3.0), variable(1.0))
    """
    return floordiv(x0, x1), mod(x0, x1)


def rdivmod(x0: Operand, x1: Operand) -> tuple[Variable, Variable]:
    """``divmod(x1, x0)``, with `x0` on the right; see `divmod`."""
    return divmod(x1, x0)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def apart(x0: Array, x1: Array) -> Array:
        return np.abs(x0 / x1 - np.round(x0 / x1))

    def sample(kit: Any) -> Any:
        return kit.elementwise((-3.0, 3.0), (1.0, 3.0), apart=apart)

    bindings = {"__floordiv__": floordiv, "__rfloordiv__": rfloordiv}
    register("floordiv", floordiv, FloorDiv, dunders=bindings, numpy=np.floor_divide, sample=sample)
    bindings = {"__mod__": mod, "__rmod__": rmod}
    register("mod", mod, Mod, dunders=bindings, numpy=np.remainder, sample=sample)
    both = {"__divmod__": divmod, "__rdivmod__": rdivmod}
    register("divmod", divmod, dunders=both, numpy=np.divmod, sample=sample)
