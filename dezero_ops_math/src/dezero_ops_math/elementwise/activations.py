"""Functions that neural networks apply to each element."""

from __future__ import annotations

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..docstrings import documented
from ..masking import kept


class Relu(Function):
    """d max(x, 0) = dx where x > 0, or nan; else 0, at 0 as beside it on the left."""

    saves = ("outputs",)
    elementwise = True

    def forward(self, x: Array) -> Array:
        if isinstance(x, np.ndarray) and x.dtype.kind == "f":
            return x.clip(0.0, np.inf)  # as np.maximum(x, 0.0), in up to a quarter of the time
        if np.iscomplexobj(x):
            raise TypeError("relu takes real numbers, and got complex ones.")
        return np.maximum(x, 0)

    def backward(self, gy: Array) -> Array:
        return kept(gy, np.not_equal(self.outputs[0]().data, 0.0))


@documented
def relu(x: Operand) -> Variable:
    """`x` where it is positive, elsewhere 0, elementwise: ``max(x, 0)``.

    x: any shape. nan stays nan.
    Returns: shape and dtype of `x`.
    Derivative: 1 where `x` is positive, else 0, at 0 too; where ``np.maximum(x, 0.0)`` shares, and
        has 1/2.
    Raises TypeError: if `x` is complex.
    Source: DeZero's function of that name.

    >>> x = Variable(np.array([-1.0, 0.0, 2.0]))
    >>> y = relu(x)
    >>> y.backward()
    >>> y, x.grad
    (variable([0. 0. 2.]), array([0., 0., 1.]))
    """
    return Relu()(x)


class Sigmoid(Function):
    """dy = y sigmoid(-x) dx: not y (1 - y), which is 0 from x = 37 on."""

    saves = ("inputs", "outputs")
    elementwise = True

    def forward(self, x: Array) -> Array:
        negative = np.real(x) < 0
        ratio = np.exp(np.where(negative, x, -1.0 * x))  # at most 1, so that nothing overflows
        y = 1.0 / (1.0 + ratio)
        return np.where(negative, ratio * y, y)

    def backward(self, gy: Array) -> Array:
        return gy * (self.outputs[0]().data * Sigmoid().of(-self.inputs[0].data))


@documented
def sigmoid(x: Operand) -> Variable:
    """Logistic sigmoid, elementwise, without overflow: ``1 / (1 + exp(-x))``.

    Derivative: ``sigmoid(x) * sigmoid(-x)``.
    Source: its equation y' = y (1 - y) is that of Verhulst 1845.

    >>> x = Variable(np.array([-40.0, 0.0, 40.0]))
    >>> sigmoid(x).backward()
    >>> x.grad
    array([4.24835426e-18, 2.50000000e-01, 4.24835426e-18])
    """
    return Sigmoid()(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = elementwise((-3.0, 3.0), apart=np.abs, reference=lambda x: np.maximum(x, 0))
    register("relu", relu, Relu, sample=sample)
    sample = elementwise(
        (-3.0, 3.0),
        reference=lambda x: 1.0 / (1.0 + np.exp(-1.0 * x)),
        complex=True,
        truth=("1 / (1 + exp(-x))", "1 / ((1 + exp(x)) * (1 + exp(-x)))"),
        ulps=2.0,
    )
    register("sigmoid", sigmoid, Sigmoid, sample=sample)
