"""unwrap: angles without jumps."""

from __future__ import annotations

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..docstrings import documented


class Unwrap(Function):
    """Adds multiples of the period, which are constant."""

    saves = ()

    def __init__(self, discont: float | None, axis: int, period: float) -> None:
        self.discont, self.axis, self.period = discont, axis, period

    def forward(self, p: Array) -> Array:
        return np.unwrap(p, self.discont, self.axis, period=self.period)

    def backward(self, gy: Array) -> Array:
        return gy


@documented
def unwrap(
    p: Array, discont: float | None = None, axis: int = -1, *, period: float = 2 * np.pi
) -> Variable:
    """Angles without jumps of a period: ``np.unwrap``.

    discont: the least jump that is taken away; half of `period` by default, and at least.
    axis: along which.
    period: what a jump is a multiple of.
    Returns: shape of `p`.
    Derivative: 1.

    >>> unwrap(Variable(np.array([0.0, 3.0, 2.0])), period=4)
    variable([ 0. -1. -2.])
    """
    return Unwrap(discont, axis, period)(p)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""

    def from_jumps(p: Array) -> Array:
        step = np.abs(np.concatenate([np.diff(p, axis=axis).ravel() for axis in range(p.ndim)]))
        return np.abs(step / 1.5 - np.round(step / 1.5 - 0.5) - 0.5)

    far = Draw((3, 4), (-9.0, 9.0))
    calls = (
        Call(Draw((4,), (-9.0, 9.0)), period=1.5),
        Call(far, None, 0, period=1.5),
        Call(far, 2.25, axis=1, period=1.5),
        Call(Draw((4,))),
        Call(Draw((0, 3))),
        Call(Draw((1,))),
    )
    register("unwrap", unwrap, Unwrap, numpy=np.unwrap, sample=Sample(calls, apart=from_jumps))
