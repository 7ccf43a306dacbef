"""Losses: numbers that training makes small."""

from __future__ import annotations

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand


class MeanSquaredError(Function):
    """dL = 2 sum((x0 - x1) (dx0 - dx1)) / n, n the number of rows."""

    def forward(self, x0: Array, x1: Array) -> Array:
        difference = x0 - x1
        return (difference**2).sum() / len(difference)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        x0, x1 = (x.data for x in self.inputs)
        g = gy * (x0 - x1) * (2.0 / len(x0))
        return g, -g


def mean_squared_error(x0: Operand, x1: Operand) -> Variable:
    """Sum of the squared differences, divided by the number of rows."""
    return MeanSquaredError()(x0, x1)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    calls = (Call(Draw((2, 3)), Draw((2, 3))),)
    sample = Sample(calls, reference=lambda a, b: ((a - b) ** 2).sum() / len(a))
    register("mean_squared_error", mean_squared_error, MeanSquaredError, sample=sample)
