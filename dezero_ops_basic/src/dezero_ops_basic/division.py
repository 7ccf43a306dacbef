"""The operator ``/``."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand

from .docstrings import documented


class Div(Function):
    """d(x0 / x1) = dx0 / x1 - (x0 / x1) dx1 / x1."""

    elementwise = True

    def forward(self, x0: Array, x1: Array) -> Array:
        return x0 / x1

    def backward(self, gy: Array) -> tuple[Array, Array | None]:
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        gx0 = gy / x1
        if not self.needs_grad[1]:
            return gx0, None
        # The book's -x0 / x1 ** 2 overflows or underflows where the quotient does not.
        return gx0, -gx0 * (x0 / x1)


@documented
def div(x0: Operand, x1: Operand) -> Variable:
    """Quotient, elementwise: ``x0 / x1``, ``np.divide``.

    Operands: Variable, ndarray or number
        Of shapes that broadcast. Division by zero gives inf or nan, as in NumPy, with
        NumPy's RuntimeWarning, in the gradient too.
    Derivative: ``1 / x1`` and ``-x0 / x1**2``.
    Source: *Deep Learning from Scratch 3*, step 22.

    >>> div(1.0, Variable(np.array(4.0)))
    variable(0.25)
    """
    return Div()(x0, x1)


def rdiv(x0: Operand, x1: Operand) -> Variable:
    """``x1 / x0``: what ``2.0 / x`` becomes, with `x0` on the right; see `div`."""
    return div(x1, x0)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""

    def sample(kit: Any) -> Any:
        return kit.elementwise((-3.0, 3.0), (0.5, 3.0), complex=True)

    bindings = {"__truediv__": Div, "__rtruediv__": rdiv}
    register("div", div, Div, dunders=bindings, numpy=np.divide, sample=sample)
