"""Remainder of a division that is rounded towards 0."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..docstrings import documented


class Fmod(Function):
    """fmod(x0, x1) = x0 - x1 trunc(x0 / x1), so d = dx0 - trunc(x0 / x1) dx1."""

    saves = ("inputs", "outputs")

    def forward(self, x0: Array, x1: Array) -> Array:
        return np.fmod(x0, x1)

    def backward(self, gy: Array) -> tuple[Array, Array | None]:
        if not self.needs_grad[1]:
            return gy, None
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        # x0 / x1 may be rounded up to an integer; what is divided here is a multiple of x1.
        return gy, -gy * np.rint((x0 - self.outputs[0]().data) / x1)


@documented
def fmod(x0: Operand, x1: Operand) -> Variable:
    """Remainder with the sign of `x0`, elementwise: ``np.fmod``.

    Derivative: 1 and ``-trunc(x0 / x1)``, also at the jumps.

    >>> fmod(Variable(np.array(-7.0)), 3.0)
    variable(-1.0)
    """
    return Fmod()(x0, x1)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def apart(x0: Array, x1: Array) -> Array:
        return np.abs(x0 / x1 - np.round(x0 / x1))

    sample = elementwise((-3.0, 3.0), (1.0, 3.0), apart=apart)
    register("fmod", fmod, Fmod, numpy=np.fmod, sample=sample)
