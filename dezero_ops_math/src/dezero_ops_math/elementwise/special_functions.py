"""Special functions: those that neural networks apply, and the cardinal sine."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from dezero_core.extend import Array, Operand, new_zeros

from ..declaring import Elementwise, analytic, elementwise, operation
from ..gradients import kept


class Relu(Elementwise):
    """`x` where it is positive, elsewhere 0, elementwise: ``max(x, 0)``.

    x: any shape. nan stays nan.
    Returns: shape and dtype of `x`.
    Derivative: 1 where `x` is positive, else 0, at 0 too; ``np.maximum(x, 0.0)`` has 1/2 there.
    Raises TypeError: if `x` is complex.
    Source: DeZero's function of that name.

    >>> x = Variable(np.array([-1.0, 0.0, 2.0]))
    >>> y = relu(x)
    >>> y.backward()
    >>> y, x.grad
    (variable([0. 0. 2.]), array([0., 0., 1.]))
    """

    saves = ("outputs",)

    def forward(self, x: Operand) -> Array:
        if isinstance(x, np.ndarray) and x.dtype.kind == "f":
            return x.clip(0.0, np.inf)  # as np.maximum(x, 0.0), in up to a quarter of the time
        if np.iscomplexobj(x):
            raise TypeError("relu takes real numbers, and got complex ones.")
        return np.maximum(x, 0)

    def backward(self, gy: Array) -> Array:
        return kept(gy, np.not_equal(self.outputs[0]().data, 0.0))


class Sigmoid(Elementwise):
    """Logistic sigmoid, elementwise, without overflow: ``1 / (1 + exp(-x))``.

    Derivative: ``sigmoid(x) * sigmoid(-x)``.
    Source: its equation y' = y (1 - y) is that of Verhulst 1845.

    >>> x = Variable(np.array([-40.0, 0.0, 40.0]))
    >>> sigmoid(x).backward()
    >>> x.grad
    array([4.24835426e-18, 2.50000000e-01, 4.24835426e-18])
    """

    saves = ("inputs", "outputs")

    def forward(self, x: Operand) -> Array:
        negative = np.real(x) < 0
        ratio = np.exp(np.where(negative, x, -1.0 * x))  # at most 1, so that nothing overflows
        y = 1.0 / (1.0 + ratio)
        return np.where(negative, ratio * y, y)

    def backward(self, gy: Array) -> Array:
        # dy = y sigmoid(-x) dx: not y (1 - y), which is 0 from x = 37 on.
        return gy * (self.outputs[0]().data * Sigmoid().of(-self.inputs[0].data))


class Sinc(Elementwise):
    """Cardinal sine, elementwise: ``sin(pi * x) / (pi * x)``, 1 at 0, ``np.sinc``.

    Derivative: ``(cos(pi * x) - sinc(x)) / x``, 0 at 0; by a series near it, exact at every order.

    >>> x = Variable(np.array([1.0, 2.0]))
    >>> sinc(x).backward()
    >>> x.grad
    array([-1. ,  0.5])
    """

    def forward(self, x: Operand) -> Array:
        return np.sinc(x)

    def backward(self, gy: Array) -> Array:
        # d sinc(x) = (cos(pi x) - sinc(x)) / x dx, which near 0 is -pi**2 x / 3 dx.
        return gy * _SincDerivative(1).of(self.inputs[0].data)


class _SincDerivative(Elementwise):
    """The derivative of sinc of an order; its own is that of the next."""

    def __init__(self, order: int) -> None:
        self.order = order

    def forward(self, x: Array) -> Array:
        # From here outwards the recurrence is exact enough, and the series inwards.
        limit, order = max(0.5, self.order / np.pi), self.order
        if not isinstance(x, np.ndarray):
            near = np.abs(x) < limit
            inwards = _by_series(np.where(near, x, 0.0), order)
            return np.where(near, inwards, _by_recurrence(np.where(near, 1.0, x), order))
        y = new_zeros(x, x.shape)
        from_, to = np.reshape(x, -1), y.reshape(-1)
        near = np.abs(from_) < limit
        for mask, values in (near, _by_series), (~near, _by_recurrence):
            at = np.flatnonzero(mask)  # faster to index with than the mask
            to[at] = values(from_[at], order)
        return y

    def backward(self, gy: Array) -> Array:
        return gy * _SincDerivative(self.order + 1).of(self.inputs[0].data)


def _by_series(x: Array, order: int) -> Array:
    total = 0.0
    for coefficient in _coefficients(order):
        total = total * (x * x) + coefficient
    return total * x if order % 2 else total


@cache
def _coefficients(order: int) -> tuple[float, ...]:
    """Differentiate the series ``(-1)**k (pi x)**(2 k) / (2 k + 1)!``; highest power first."""
    found, term, k = [], 1.0, (order + 1) // 2
    while term > 1e-20:
        n = 2 * k - order  # what is left of the power of x
        term = max(2.0, order) ** n / math.factorial(n)
        found.append((-1.0) ** k * math.pi ** (2 * k) / ((2 * k + 1) * math.factorial(n)))
        k += 1
    return tuple(reversed(found))


relu = operation(Relu, elementwise((-3.0, 3.0), apart=np.abs, reference=lambda x: np.maximum(x, 0)))
sigmoid = operation(
    Sigmoid,
    elementwise(
        (-3.0, 3.0),
        reference=lambda x: 1.0 / (1.0 + np.exp(-1.0 * x)),
        complex=True,
        truth=("1 / (1 + exp(-x))", "1 / ((1 + exp(x)) * (1 + exp(-x)))"),
        ulps=2.0,
    ),
)


def _by_recurrence(x: Array, order: int) -> Array:
    """Go up from sinc by ``x f_n = pi**(n - 1) sin(pi x + n pi / 2) - n f_(n - 1)``."""
    # sin and cos of pi x: pi times the nearest integer would be rounded.
    nearest = np.round(x.real)
    sign = 1.0 - 2.0 * (nearest - 2.0 * np.floor(nearest / 2.0))  # 20 times as fast as % 2.0
    rest = x - nearest
    sine = sign * np.sin(np.pi * rest)
    cosine = sign * np.sin(np.pi * (0.5 - np.where(rest.real < 0.0, -rest, rest)))
    y = sine / (np.pi * x)
    for n in range(1, order + 1):
        wave = (sine, cosine, -sine, -cosine)[n % 4]
        y = (np.pi ** (n - 1) * wave - n * y) / x
    return y


sinc = operation(Sinc, analytic((-3.0, 3.0)))
