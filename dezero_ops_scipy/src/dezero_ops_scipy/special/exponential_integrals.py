"""Exponential integrals, those of sine and cosine, and of the logarithm."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
from dezero_ops_math.declaring import (
    Call,
    Draw,
    Elementwise,
    Sample,
    analytic,
    applying,
    operation,
)

from dezero_core import Variable
from dezero_core.extend import Array, Operand

from ..arguments import floating, refuse_derivative
from .quotients import LogQuotient, OverX


class Exp1(Elementwise):
    """Exponential integral E1, elementwise: ``scipy.special.exp1``.

    z: any shape, real or complex. It has a cut on the axis below 0.
    Returns: shape of `z`; nan for real numbers below 0.
    Derivative: -inf at 0, and nan where the value is.
    Source: NIST DLMF 6.2.1.

    >>> z = Variable(np.array(1.0))
    >>> exp1(z).backward()
    >>> z.grad
    array(-0.36787944)
    """

    def forward(self, z: Operand) -> Array:
        return scipy.special.exp1(z)

    def backward(self, gy: Array) -> Array:
        return -gy * OverX("exp(-)").of(self.inputs[0].data)


class Expi(Elementwise):
    """Exponential integral Ei, elementwise: ``scipy.special.expi``.

    x: any shape, real or complex.
    Derivative: at 0, infinite with the sign of the 0.
    Source: NIST DLMF 6.2.5.

    >>> x = Variable(np.array(1.0))
    >>> expi(x).backward()
    >>> x.grad
    array(2.71828183)
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.expi(x)

    def backward(self, gy: Array) -> Array:
        return gy * OverX("exp").of(self.inputs[0].data)


class Expn(Elementwise):
    """The exponential integral of order n - `less`; its derivative is minus that of one less.

    Of order -m it is, but for the sign, the m-th derivative of that of order 0, ``exp(-x) / x``.
    """

    def __init__(self, less: int = 0) -> None:
        self.less = less

    def forward(self, n: Operand, x: Operand) -> Array:
        if not self.less:
            return _of_order(n, x)
        order = np.subtract(n, self.less)
        y = _of_order(np.maximum(order, 0), x)
        for m in range(1, self.less + 1):
            y = np.where(order == -m, (-1.0) ** m * OverX("exp(-)", m).forward(x), y)
        return y

    def backward(self, gy: Array) -> tuple[None, Array]:
        n, x = self.inputs[0].data, self.inputs[1].data
        return None, -gy * Expn(self.less + 1).of(n, x)


def _of_order(n: Operand, x: Operand) -> Array:
    """Return SciPy's values, which of float32 and an integer are float64."""
    return scipy.special.expn(n, x).astype(floating(np.multiply(x, 1.0)))


class _TwoIntegrals(Elementwise):
    """Two functions, whose derivatives are ``f(x) / x`` of two functions f."""

    materialize_grads = False  # one of the derivatives may be infinite, and 0 times it nan
    of_scipy: Any
    numerators: tuple[str, str]

    def forward(self, x: Array) -> tuple[Array, Array]:
        return self.of_scipy(x)

    def backward(self, *gys: Array | None) -> Array:
        x, pairs = self.inputs[0].data, zip(gys, self.numerators, strict=True)
        first, *others = (gy * OverX(f).of(x) for gy, f in pairs if gy is not None)
        return sum(others, first)


class Shichi(_TwoIntegrals):
    """d(Shi, Chi) = (sinh(x) / x, cosh(x) / x) dx."""

    of_scipy, numerators = staticmethod(scipy.special.shichi), ("sinh", "cosh")


class Sici(_TwoIntegrals):
    """d(Si, Ci) = (sin(x) / x, cos(x) / x) dx."""

    of_scipy, numerators = staticmethod(scipy.special.sici), ("sin", "cos")


class Spence(Elementwise):
    """Spence's function, the dilogarithm of ``1 - z``, elementwise: ``scipy.special.spence``.

    z: any shape, real or complex. It has a cut on the axis below 0.
    Returns: shape of `z`; nan for real numbers below 0.
    Derivative: ``log(z) / (1 - z)``, which is -1 at 1 and -inf at 0.
    Source: NIST DLMF 25.12.2.

    >>> z = Variable(np.array([0.0, 1.0]))
    >>> spence(z).backward()
    >>> z.grad
    array([-inf,  -1.])
    """

    def forward(self, z: Operand) -> Array:
        return scipy.special.spence(z)

    def backward(self, gy: Array) -> Array:
        return -gy * LogQuotient(0, 1.0).of(self.inputs[0].data)


exp1 = operation(Exp1, analytic((0.3, 3.0), truth=("e1(x)", "-exp(-x) / x")))
expi = operation(Expi, analytic((0.3, 3.0), truth=("ei(x)", "exp(x) / x")))
spence = operation(Spence, analytic((0.3, 3.0)))


@applying(
    Expn,
    Sample(
        *(Call(n, Draw(shape, (0.3, 3.0))) for n, shape in ((3, (2, 3)), (0, ()), (1, (0, 3)))),
        Call(np.array([[1], [2]]), Draw((2, 3), (0.3, 3.0))),
        complex=False,
        reference=_of_order,
    ),
)
def expn(n: Any, x: Operand) -> Variable:
    """Exponential integral of order `n`, elementwise: ``scipy.special.expn``.

    n (int, or ndarray of int): the order, from 0 on, in a shape that broadcasts with that of `x`.
    x: any shape, real, from 0 on.
    Returns: nan where an operand is below 0.
    Derivative: ``-expn(n - 1, x)``, by `x` alone.
    Raises VariableTypeError (TypeError): if `n` is a Variable.
    Raises TypeError: if `x` is complex.
    Source: NIST DLMF 8.19.2 and 8.19.13.

    >>> x = Variable(np.array([0.0, 1.0]))
    >>> expn(2, x).backward()
    >>> x.grad
    array([       -inf, -0.21938393])
    """
    refuse_derivative("special.expn", n=n)
    return Expn()(n, x)


@applying(Shichi, analytic((0.3, 3.0)))
def shichi(x: Operand) -> tuple[Variable, Variable]:
    """Hyperbolic sine and cosine integrals, elementwise: ``scipy.special.shichi``.

    x: any shape, real or complex.
    Returns (tuple of two Variables): `Shi`, the integral of ``sinh(t) / t`` from 0 to `x`, and
        `Chi`, an integral of ``cosh(t) / t``, which is -inf at 0.
    Derivative: ``sinh(x) / x`` and ``cosh(x) / x``.
    Source: NIST DLMF 6.2.15 and 6.2.16.

    >>> x = Variable(np.array(0.0))
    >>> shi, chi = shichi(x)
    >>> shi.backward()
    >>> x.grad
    array(1.)
    """
    shi, chi = Shichi()(x)
    return shi, chi


@applying(Sici, analytic((0.3, 3.0)))
def sici(x: Operand) -> tuple[Variable, Variable]:
    """Sine and cosine integrals, elementwise: ``scipy.special.sici``.

    x: any shape, real or complex.
    Returns (tuple of two Variables): `Si`, the integral of ``sin(t) / t`` from 0 to `x`, and `Ci`,
        that of ``cos(t) / t`` from infinity, which is -inf at 0.
    Derivative: ``sin(x) / x`` and ``cos(x) / x``.
    Source: NIST DLMF 6.2.9 and 6.2.11.

    >>> x = Variable(np.array(0.0))
    >>> si, ci = sici(x)
    >>> si.backward()
    >>> x.grad
    array(1.)
    """
    si, ci = Sici()(x)
    return si, ci
