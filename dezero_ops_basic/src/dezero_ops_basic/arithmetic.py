"""The operators ``+ - *``."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand

from .docstrings import documented


class Add(Function):
    """d(x0 + x1) = dx0 + dx1."""

    saves = ()
    elementwise = True

    def forward(self, x0: Array, x1: Array) -> Array:
        return x0 + x1

    def backward(self, gy: Array) -> tuple[Array, Array]:
        return gy, gy


@documented
def add(x0: Operand, x1: Operand) -> Variable:
    """Sum, elementwise: ``x0 + x1``, ``np.add``.

    Derivative: 1 for each operand.
    Source: *Deep Learning from Scratch 3*, steps 11 to 14 and 20.

    >>> x = Variable(np.array(3.0))
    >>> add(x, x).backward()
    >>> x.grad
    array(2.)
    """
    return Add()(x0, x1)


class Sub(Function):
    """d(x0 - x1) = dx0 - dx1."""

    saves = ()
    elementwise = True

    def forward(self, x0: Array, x1: Array) -> Array:
        return x0 - x1

    def backward(self, gy: Array) -> tuple[Array, Array | None]:
        return gy, -gy if self.needs_grad[1] else None


@documented
def sub(x0: Operand, x1: Operand) -> Variable:
    """Difference, elementwise: ``x0 - x1``, ``np.subtract``.

    Derivative: 1 and -1.
    Source: *Deep Learning from Scratch 3*, step 22.

    >>> sub(Variable(np.array(2.0)), 3.0)
    variable(-1.0)
    """
    return Sub()(x0, x1)


def rsub(x0: Operand, x1: Operand) -> Variable:
    """``x1 - x0``: what ``2.0 - x`` becomes, with `x0` on the right; see `sub`."""
    return sub(x1, x0)


class Mul(Function):
    """d(x0 x1) = x1 dx0 + x0 dx1."""

    saves = ("other inputs",)
    elementwise = True
    multilinear = True

    def forward(self, x0: Array, x1: Array) -> Array:
        return x0 * x1

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x0, x1 = self.inputs
        of_x0, of_x1 = self.needs_grad
        return gy * x1.data if of_x0 else None, gy * x0.data if of_x1 else None


@documented
def mul(x0: Operand, x1: Operand) -> Variable:
    """Product, elementwise: ``x0 * x1``, ``np.multiply``.

    Derivative: `x1` and `x0`.
    Source: *Deep Learning from Scratch 3*, step 20.

    >>> a, b = Variable(np.array(3.0)), Variable(np.array(2.0))
    >>> mul(a, b).backward()
    >>> a.grad, b.grad
    (array(2.), array(3.))
    """
    return Mul()(x0, x1)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def sample(kit: Any) -> Any:
        return kit.elementwise((-3.0, 3.0), (-3.0, 3.0), complex=True)

    # The last is for libraries that look at it to decide whose operator is tried first.
    bindings = {"__add__": Add, "__radd__": Add, "__array_priority__": 200}
    register("add", add, Add, dunders=bindings, numpy=np.add, sample=sample)
    bindings = {"__sub__": Sub, "__rsub__": rsub}
    register("sub", sub, Sub, dunders=bindings, numpy=np.subtract, sample=sample)
    bindings = {"__mul__": Mul, "__rmul__": Mul}
    register("mul", mul, Mul, dunders=bindings, numpy=np.multiply, sample=sample)
