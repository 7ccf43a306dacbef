"""A copy of a Variable."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..docstrings import documented


class Copy(Function):
    """The gradient is passed on."""

    saves = ()

    def __init__(self, order: Any) -> None:
        self.order = order

    def forward(self, x: Array) -> Array:
        return np.copy(x, self.order)

    def backward(self, gy: Array) -> Array:
        return gy


@documented
def copy(a: Operand, order: Any = "K", subok: bool = False) -> Variable:
    """A Variable of its own with the same values: ``np.copy``, ``x.copy()``.

    order ({"K", "A", "C", "F"}): how the copied data lie in memory.
    subok: without effect: the data of a Variable are plain arrays.
    Returns: part of the graph, as any result; for the values alone, ``x.data.copy()``.
    Derivative: 1 for every element.
    Raises ValueError: for another `order`.

    >>> x = Variable(np.array([1.0, 2.0]))
    >>> y = copy(x)
    >>> y.backward()
    >>> x.grad
    array([1., 1.])
    """
    return Copy(order)(a)


def _copied(x: Variable, order: Any = "C") -> Variable:
    """The method, with the order it has of an ndarray; see `copy`."""
    return copy(x, order)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""
    a = Draw((2, 3))
    calls: tuple[Call, ...] = Call(a), Call(Draw()), Call(Draw((0, 2)))
    calls += Call(a, "F"), Call(a, order="A")
    sample, bindings = Sample(calls, complex=True), {"copy": _copied}
    register("copy", copy, Copy, methods=bindings, numpy=np.copy, sample=sample)
