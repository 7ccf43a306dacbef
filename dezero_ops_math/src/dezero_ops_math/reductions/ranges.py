"""The distance between the largest and the smallest."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import Axis, refuse_out
from ..docstrings import documented
from .extrema import Max, Min
from .samples import REDUCTIONS, apart


class Ptp(Function):
    """d ptp(x) = d max(x) - d min(x)."""

    saves = ()

    def __init__(self, axis: Axis, keepdims: bool) -> None:
        self.axis, self.keepdims = axis, keepdims

    def forward(self, x: Array) -> Array:
        self.ends = Max(self.axis, self.keepdims), Min(self.axis, self.keepdims)
        largest, smallest = (end.forward(x) for end in self.ends)
        return largest - smallest

    def backward(self, gy: Array) -> Array:
        largest, smallest = (end.backward(gy) for end in self.ends)
        return largest - smallest


@documented
def ptp(a: Operand, axis: Axis = None, out: None = None, keepdims: bool = False) -> Variable:
    """Largest element less the smallest, over axes: ``np.ptp``, "peak to peak".

    a: any shape, not empty along the axes.
    Returns: dtype of `a`.
    Derivative: 1 for the largest element and -1 for the smallest, each shared equally over ties: 0
        where all are equal.
    Raises ValueError: if there is nothing to compare.

    >>> a = Variable(np.array([2.0, 5.0, 3.0]))
    >>> y = ptp(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(3.0), array([-1.,  1.,  0.]))
    """
    refuse_out("ptp", out)
    return Ptp(axis, keepdims)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = Sample(REDUCTIONS, apart=apart, complex=True)
    register("ptp", ptp, Ptp, numpy=np.ptp, sample=sample)
