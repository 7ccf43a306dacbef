"""The logistic function, its inverse and its logarithm; and the losses of Huber."""

from __future__ import annotations

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Elementwise, elementwise, operation
from dezero_ops_math.elementwise.inverse_derivatives import Unit
from dezero_ops_math.gradients import kept

from dezero_core.extend import Array, Operand

from .limits import quietly


class Expit(Elementwise):
    """Logistic sigmoid ``1 / (1 + exp(-x))``, elementwise: ``scipy.special.expit``.

    x: any shape, real.
    Derivative: the product of `expit` at x and at -x.
    Raises TypeError: if `x` is complex.
    Source: its equation y' = y (1 - y) is that of Verhulst 1845.

    >>> x = Variable(np.array([-40.0, 0.0, 40.0]))
    >>> expit(x).backward()
    >>> x.grad
    array([4.24835426e-18, 2.50000000e-01, 4.24835426e-18])
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.expit(x)

    def backward(self, gy: Array) -> Array:
        return gy * ExpitSlope().of(self.inputs[0].data)


class ExpitSlope(Elementwise):
    """``s = y (1 - y)`` of y = expit(x), which is 1 from x = 37 on; and ds = -tanh(x / 2) s dx."""

    saves = ("inputs", "outputs")

    def forward(self, x: Array) -> Array:
        ratio = np.exp(-np.abs(x))
        return ratio / (1.0 + ratio) ** 2

    def backward(self, gs: Array) -> Array:
        return gs * (-np.tanh(0.5 * self.inputs[0].data) * self.outputs[0]().data)


class LogExpit(Elementwise):
    """Logarithm of the logistic sigmoid, elementwise: ``scipy.special.log_expit``.

    x: any shape, real.
    Derivative: ``expit(-x)``.
    Raises TypeError: if `x` is complex.
    Source: the logarithm of `expit`.

    >>> x = Variable(np.array([-800.0, 0.0]))
    >>> log_expit(x).backward()
    >>> x.grad
    array([1. , 0.5])
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.log_expit(x)

    def backward(self, gy: Array) -> Array:
        return gy * Expit().of(-self.inputs[0].data)


class Logit(Elementwise):
    """Log-odds ``log(x / (1 - x))``, elementwise: ``scipy.special.logit``.

    x: any shape, real, from 0 to 1.
    Returns: shape of `x`; infinite at 0 and 1, and nan beyond.
    Derivative: inf at 0 and 1.
    Raises TypeError: if `x` is complex.
    Source: the inverse of `expit`.

    >>> x = Variable(np.array([0.2, 0.5]))
    >>> logit(x).backward()
    >>> x.grad
    array([6.25, 4.  ])
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.logit(x)

    def backward(self, gy: Array) -> Array:
        return gy * LogitSlope().of(self.inputs[0].data)


class LogitSlope(Elementwise):
    """``s = 1 / x + 1 / (1 - x)``, and ds = s**2 (2 x - 1) dx: not of 1 / (x (1 - x))."""

    saves = ("inputs", "outputs")

    @quietly
    def forward(self, x: Array) -> Array:
        slope = 1.0 / x + 1.0 / (1.0 - x)
        return np.where((x < 0.0) | (x > 1.0), np.nan, slope).astype(slope.dtype)

    def backward(self, gs: Array) -> Array:
        x, s = self.inputs[0].data, self.outputs[0]().data
        with np.errstate(all="ignore"):
            return gs * (s * (s * (2.0 * x - 1.0)))


class Huber(Elementwise):
    """Huber's loss, ``r**2 / 2`` up to `delta`, then linear: ``scipy.special.huber``.

    delta, r: real, of shapes that broadcast.
    Returns: inf where `delta` is below 0, with nan for the derivatives.
    Derivative by `delta`: 0 where ``abs(r) <= delta``, else ``abs(r) - delta``.
    Derivative by `r`: `r` there, else ``delta * sign(r)``; the second is 1 there, also at the end.
    Raises TypeError: if an operand is complex.
    Source: Huber 1964.

    >>> r = Variable(np.array([0.5, -3.0]))
    >>> huber(1.0, r).backward()
    >>> r.grad
    array([ 0.5, -1. ])
    """

    def forward(self, delta: Operand, r: Operand) -> Array:
        return scipy.special.huber(delta, r)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        delta, r = (each.data for each in self.inputs)
        by_delta, by_r = self.needs_grad
        return (
            gy * Excess().of(delta, r) if by_delta else None,
            gy * Clipped().of(delta, r) if by_r else None,
        )


class Excess(Elementwise):
    """``abs(r) - delta``, and 0 where that is negative."""

    def forward(self, delta: Array, r: Array) -> Array:
        return np.where(delta < 0.0, np.nan, np.maximum(np.abs(r) - delta, 0.0))

    def backward(self, gy: Array) -> tuple[Array, Array]:
        delta, r = (each.data for each in self.inputs)
        gy = kept(gy, np.greater(np.abs(r), delta))
        return -gy, gy * np.sign(r)


class Clipped(Elementwise):
    """`r`, and ``delta * sign(r)`` where that is nearer to 0."""

    def forward(self, delta: Array, r: Array) -> Array:
        return np.where(delta < 0.0, np.nan, np.clip(r, -1.0 * delta, delta))

    def backward(self, gy: Array) -> tuple[Array, Array]:
        delta, r = (each.data for each in self.inputs)
        is_beyond = np.greater(np.abs(r), delta)
        return kept(gy * np.sign(r), is_beyond), kept(gy, ~is_beyond)


class PseudoHuber(Elementwise):
    """Smooth loss ``delta**2 * (sqrt(1 + (r / delta)**2) - 1)``: ``scipy.special.pseudo_huber``.

    delta, r: real, of shapes that broadcast.
    Returns: inf where `delta` is below 0, with nan for the derivatives.
    Derivative by `delta`: ``(h - delta)**2 / h`` with ``h = hypot(delta, r)``.
    Derivative by `r`: ``delta * r / h``.
    Raises TypeError: if an operand is complex.
    Source: Charbonnier et al. 1997; Hartley and Zisserman 2003, appendix 6.8.

    >>> delta, r = Variable(np.array(3.0)), Variable(np.array(4.0))
    >>> pseudo_huber(delta, r).backward()
    >>> delta.grad, r.grad
    (array(0.8), array(2.4))
    """

    def forward(self, delta: Operand, r: Operand) -> Array:
        return scipy.special.pseudo_huber(delta, r)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        delta, r = (each.data for each in self.inputs)
        by_delta, by_r = self.needs_grad
        return (
            gy * PseudoHuberByDelta().of(delta, r) if by_delta else None,
            gy * PseudoHuberByR().of(delta, r) if by_r else None,
        )


class PseudoHuberByR(Elementwise):
    """``delta s``, with cosine c and sine s of the direction of (delta, r): s**3 ddelta + c**3 dr.

    It is also ``r c``, which is right where the other is 0 times inf.
    """

    @quietly
    def forward(self, delta: Array, r: Array) -> Array:
        c, s = Unit().forward(delta, r)
        return np.where(delta < 0.0, np.nan, np.where(np.abs(r) < delta, r * c, delta * s))

    def backward(self, gy: Array) -> tuple[Array, Array]:
        c, s = Unit().of(*(each.data for each in self.inputs))
        return gy * s * s * s, gy * c * c * c


class PseudoHuberByDelta(Elementwise):
    """``r s q**2`` with ``q = s / (1 + c)``: -(2 + c) q**2 s**2 ddelta + s**3 dr.

    It is (h - delta)**2 / h without the difference, of which no digit is left where r is small.
    """

    @quietly
    def forward(self, delta: Array, r: Array) -> Array:
        c, s = Unit().forward(delta, r)
        q = s / (1.0 + c)
        return np.where(delta < 0.0, np.nan, r * s * (q * q))

    def backward(self, gy: Array) -> tuple[Array, Array]:
        c, s = Unit().of(*(each.data for each in self.inputs))
        q = s / (1.0 + c)
        return -gy * (2.0 + c) * (q * s) * (q * s), gy * s * s * s


_EXPIT = "1/(1 + exp(-x))", "1/((1 + exp(x))*(1 + exp(-x)))"
expit = operation(Expit, elementwise((-3.0, 3.0), truth=_EXPIT))
log_expit = operation(LogExpit, elementwise((-3.0, 3.0)), name="log_expit")
logit = operation(Logit, elementwise((0.15, 0.85), truth=("log(x/(1 - x))", "1/x + 1/(1 - x)")))
huber = operation(
    Huber, elementwise((0.3, 2.0), (-3.0, 3.0), apart=lambda delta, r: np.abs(np.abs(r) - delta))
)
pseudo_huber = operation(PseudoHuber, elementwise((0.3, 2.0), (-3.0, 3.0)), name="pseudo_huber")
