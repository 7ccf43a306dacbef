"""The beta function and its logarithm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special
from dezero_core import Function, Registrar, Variable
from dezero_core.extend import Array, Operand

from .arguments import floating
from .gamma_functions import Polygamma

#: B[2], B[4], ...: NIST DLMF table 24.2.1.
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
SHIFT = 16


class PolygammaDifference(Function):
    """``polygamma(n, a + b) - polygamma(n, a)``, and its derivative of the next order.

    If `b` is small beside `a`, the two numbers agree in many digits, and a plain subtraction would
    lose these. Here both the recurrence, which raises `a` to 16 or more, and the asymptotic series
    are sums of differences of powers, each with all its digits.

    Source: NIST DLMF 5.15.5 and 5.15.8, 5.5.2 and 5.11.2.
    """

    elementwise = True

    def __init__(self, n: int) -> None:
        self.n = n

    def forward(self, a: Array, b: Array) -> Array:
        n, dtype = self.n, floating(a, b)
        a, b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
        plain = Polygamma(n).forward(a + b) - Polygamma(n).forward(a)
        near = (a > 0.0) & (b > -0.5 * a)
        z, b = np.where(near, a, 1.0), np.where(near, b, 1.0)
        factorial = math.factorial(n)
        with np.errstate(all="ignore"):  # a power that over- or underflows becomes inf or 0
            total = sum(factorial * _difference(z + j, b, n + 1) for j in range(SHIFT))
            z = z + SHIFT
            lead = math.factorial(n - 1) * _difference(z, b, n) if n else -np.log1p(b / z)
            total = total + lead + 0.5 * factorial * _difference(z, b, n + 1)
            for k, bernoulli in zip(range(2, 16, 2), BERNOULLI, strict=True):
                ratio = math.factorial(k + n - 1) / math.factorial(k)
                total = total + bernoulli * ratio * _difference(z, b, k + n)
        return np.where(near, total if n % 2 else -total, plain).astype(dtype)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        a, b = (x.data for x in self.inputs)
        ga, gb = self.needs_grad
        return (
            gy * PolygammaDifference(self.n + 1).of(a, b) if ga else None,
            gy * Polygamma(self.n + 1).of(a + b) if gb else None,
        )


def _difference(z: Array, b: Array, power: int) -> Array:
    """Return ``(z + b)**-power - z**-power``."""
    return z**-power * np.expm1(-power * np.log1p(b / z))


class Beta(Function):
    """dB = B (digamma(a) - digamma(a + b)) da, and likewise by b."""

    saves = ("inputs", "outputs")
    elementwise = True

    def forward(self, a: Array, b: Array) -> Array:
        return scipy.special.beta(a, b)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        return _by_both(self, gy * self.outputs[0]().data)


class Betaln(Function):
    """d log(abs(B)) = (digamma(a) - digamma(a + b)) da, and likewise by b."""

    elementwise = True

    def forward(self, a: Array, b: Array) -> Array:
        return scipy.special.betaln(a, b)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        return _by_both(self, gy)


def _by_both(function: Function, gy: Array) -> tuple[Array | None, Array | None]:
    a, b = (x.data for x in function.inputs)
    ga, gb = function.needs_grad
    return (
        -gy * PolygammaDifference(0).of(a, b) if ga else None,
        -gy * PolygammaDifference(0).of(b, a) if gb else None,
    )


def beta(a: Operand, b: Operand) -> Variable:
    """Beta function, elementwise: ``scipy.special.beta``.

    Parameters
    ----------
    a, b : Variable, ndarray or number
        Real, of shapes that broadcast.

    Returns
    -------
    Variable
        ``Gamma(a) Gamma(b) / Gamma(a + b)``, dtype as SciPy gives it. Derivative by `a`:
        ``beta(a, b) * (digamma(a) - digamma(a + b))``, and by `b` likewise; infinite or nan at
        poles, and at the zeros, where ``a + b`` is 0, -1, ... Next to such a zero, which only
        negative numbers come to, derivatives of second order and higher lose digits.

    Raises
    ------
    TypeError
        If one is complex.

    Notes
    -----
    Source: NIST DLMF 5.12.1 and 5.2.2.

    Examples
    --------
    >>> a, b = Variable(np.array(2.0)), Variable(np.array(1.0))
    >>> beta(a, b).backward()
    >>> a.grad, b.grad
    (array(-0.25), array(-0.75))
    """
    return Beta()(a, b)


def betaln(a: Operand, b: Operand) -> Variable:
    """Logarithm of the absolute beta function, elementwise: ``scipy.special.betaln``.

    Parameters
    ----------
    a, b : Variable, ndarray or number
        Real, of shapes that broadcast.

    Returns
    -------
    Variable
        Dtype as SciPy gives it. Derivative by `a`: ``digamma(a) - digamma(a + b)``, with all its
        digits also where `b` is small beside `a`; by `b` likewise.

    Raises
    ------
    TypeError
        If one is complex.

    Notes
    -----
    Source: NIST DLMF 5.12.1 and 5.2.2.

    Examples
    --------
    >>> a = Variable(np.array(1e9))
    >>> betaln(a, 1.0).backward()  # it is -log(a)
    >>> a.grad
    array(-1.e-09)
    """
    return Betaln()(a, b)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def sample(kit: Any) -> Any:
        return kit.elementwise((0.5, 4.0), (0.5, 4.0))

    register("special.beta", beta, Beta, numpy=scipy.special.beta, sample=sample)
    register("special.betaln", betaln, Betaln, numpy=scipy.special.betaln, sample=sample)
