"""The operators of one operand: unary ``-`` and ``+``."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand

from .docstrings import documented


class Neg(Function):
    """d(-x) = -dx."""

    saves = ()
    elementwise = True

    def forward(self, x: Array) -> Array:
        return -x

    def backward(self, gy: Array) -> Array:
        return -gy


@documented
def neg(x: Operand) -> Variable:
    """Negative, elementwise: ``-x``, ``np.negative``.

    Derivative: -1.
    Source: *Deep Learning from Scratch 3*, step 22.

    >>> neg(Variable(np.array(2.0)))
    variable(-2.0)
    """
    return Neg()(x)


class Pos(Function):
    """d(+x) = dx."""

    saves = ()
    elementwise = True

    def forward(self, x: Array) -> Array:
        return +x

    def backward(self, gy: Array) -> Array:
        return gy


@documented
def pos(x: Operand) -> Variable:
    """The same values in a new Variable: ``+x``, ``np.positive``.

    Derivative: 1.
    Source: ``numpy.positive``.

    >>> pos(Variable(np.array(2.0)))
    variable(2.0)
    """
    return Pos()(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def sample(kit: Any) -> Any:
        return kit.elementwise((-3.0, 3.0), complex=True)

    register("neg", neg, Neg, dunders={"__neg__": Neg}, numpy=np.negative, sample=sample)
    register("pos", pos, Pos, dunders={"__pos__": Pos}, numpy=np.positive, sample=sample)
