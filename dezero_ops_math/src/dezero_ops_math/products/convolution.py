"""convolve: the product of two sequences that slide along each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import as_operand
from ..docstrings import documented


class Convolve(Function):
    """Each operand gets the gradient, convolved with the other one in reverse."""

    saves = ("other inputs",)

    def __init__(self, mode: Any) -> None:
        self.mode = mode

    def forward(self, a: Array, v: Array) -> Array:
        return np.convolve(a, v, self.mode)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, v = self.inputs
        of_a, of_v = self.needs_grad
        # Of "same" and "valid" NumPy cuts the ends off, half of it at the front, rounded down.
        cut = math.prod(a.shape) + math.prod(v.shape) - 1 - len(gy)
        gy = np.pad(gy, (cut // 2, cut - cut // 2))
        ga = gv = None
        if of_a:
            ga = np.convolve(gy, np.flip(np.ravel(v.data)), "valid").reshape(a.shape)
        if of_v:
            gv = np.convolve(gy, np.flip(np.ravel(a.data)), "valid").reshape(v.shape)
        return ga, gv


@documented
def convolve(a: Operand, v: Operand, mode: Any = "full") -> Variable:
    """Convolution of two sequences: ``np.convolve``.

    a, v (Variable, or array_like of numbers): one axis, not empty; or a number.
    mode ({"full", "same", "valid"}): with all partial overlaps at the ends, as many elements as the
        longer operand has, or only where both overlap completely.
    Derivative: each by the other, in reverse.
    Raises ValueError: if an operand is empty or has more axes, or there is no such `mode`.

    >>> x = Variable(np.array([1.0, 2.0, 3.0]))
    >>> y = convolve(x, np.array([1.0, 10.0]))
    >>> y.backward()
    >>> y, x.grad
    (variable([ 1. 12. 23. 30.]), array([11., 11., 11.]))
    """
    return Convolve(mode)(as_operand(a), as_operand(v))


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""
    modes = "full", "same", "valid"
    lengths = (5, 3), (3, 5), (4, 4), (5, 2), (2, 5), (1, 3), (1, 1), (7, 4)
    calls = tuple(Call(Draw((n,)), Draw((m,)), mode) for n, m in lengths for mode in modes)
    calls += Call(Draw((4,)), Draw()), Call(Draw(), Draw(), mode="same")
    calls += Call(Draw((4,)), [1.0, 2.0, 1.0]), Call((0.5, 0.5), Draw((4,)), mode="valid")
    calls += Call(Draw((3,)), 2.0), Call(np.array([1, 2]), Draw((3,)))
    sample = Sample(calls, complex=True)
    register("convolve", convolve, Convolve, numpy=np.convolve, sample=sample)
