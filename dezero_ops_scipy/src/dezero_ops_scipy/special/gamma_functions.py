"""The gamma function, its reciprocal, its logarithms, and quotients and products of it."""

from __future__ import annotations

import numpy as np
import scipy.special
from dezero_ops_math.declaring import (
    Call,
    Draw,
    Elementwise,
    analytic,
    applying,
    elementwise,
    operation,
)

from dezero_core import Variable
from dezero_core.extend import Array, Operand

from ..arguments import floating, refuse_derivative
from .gamma_derivatives import GammaDerivative, PochDerivative, RgammaDerivative
from .polygamma_functions import Digamma, DigammaByReflection, psi_of


class Gamma(Elementwise):
    """Gamma function, elementwise: ``scipy.special.gamma``.

    z: any shape, real or complex; it has poles at 0, -1, -2, ...
    Returns: shape of `z`, dtype as SciPy gives it; infinite or nan at a pole.
    Derivative: ``gamma(z) * psi(z)``, infinite or nan at a pole. Below 0, it loses digits next to
        its zeros.
    Source: NIST DLMF 5.2.1 and 5.2.2.

    >>> x = Variable(np.array(1.0))
    >>> gamma(x).backward()
    >>> x.grad
    array(-0.57721566)
    """

    def forward(self, z: Operand) -> Array:
        return scipy.special.gamma(z)

    def backward(self, gy: Array) -> Array:
        return gy * GammaDerivative(1).of(self.inputs[0].data)


class Gammaln(Elementwise):
    """Logarithm of the absolute gamma function, elementwise: ``scipy.special.gammaln``.

    x: any shape, real; it has poles at 0, -1, -2, ...
    Returns: shape of `x`, dtype as SciPy gives it; inf at a pole.
    Derivative: ``psi(x)``, infinite or nan at a pole.
    Raises TypeError: if `x` is complex.
    Source: NIST DLMF 5.2.2.

    >>> x = Variable(np.array(1.0))
    >>> gammaln(x).backward()
    >>> x.grad
    array(-0.57721566)
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.gammaln(x)

    def backward(self, gy: Array) -> Array:
        return gy * DigammaByReflection().of(self.inputs[0].data)


class Loggamma(Elementwise):
    """Logarithm of the gamma function, elementwise: ``scipy.special.loggamma``.

    z: any shape, real or complex. It has poles at 0, -1, -2, ... and a cut on the axis below 0.
    Returns: shape of `z`, dtype as SciPy gives it; nan for real numbers below 0.
    Derivative: ``psi(z)``, nan where the value is.
    Source: NIST DLMF 5.2.2.

    >>> loggamma(Variable(np.array([3.0, 5.0])))  # log(2) and log(24)
    variable([0.69314718 3.17805383])
    """

    def forward(self, z: Operand) -> Array:
        return scipy.special.loggamma(z)

    def backward(self, gy: Array) -> Array:
        z = self.inputs[0].data
        slope = DigammaByReflection() if np.iscomplexobj(z) else PolygammaOfPositive(0)
        return gy * slope.of(z)


class PolygammaOfPositive(Elementwise):
    """The same as `polygamma`, but nan below 0, where `loggamma` is."""

    def __init__(self, n: int) -> None:
        self.n = n

    def forward(self, x: Array) -> Array:
        return np.where(np.less(x, 0.0), np.nan, psi_of(self.n, x)).astype(floating(x))

    def backward(self, gy: Array) -> Array:
        return gy * PolygammaOfPositive(self.n + 1).of(self.inputs[0].data)


class Rgamma(Elementwise):
    """Reciprocal of the gamma function, elementwise: ``scipy.special.rgamma``.

    z: any shape, real or complex.
    Returns: shape of `z`, dtype as SciPy gives it; 0 at the poles of `gamma`.
    Derivative: ``-rgamma(z) * psi(z)``, and ``(-1)**n * n!`` at ``-n``, where the reciprocal is 0.
        Below 0, it loses digits next to its own zeros.
    Source: NIST DLMF 5.2.2 and 5.5.3.

    >>> x = Variable(np.array([0.0, -1.0, -2.0]))
    >>> rgamma(x).backward()
    >>> x.grad
    array([ 1., -1.,  2.])
    """

    def forward(self, z: Operand) -> Array:
        return scipy.special.rgamma(z)

    def backward(self, gy: Array) -> Array:
        return gy * RgammaDerivative(1).of(self.inputs[0].data)


class Poch(Elementwise):
    """Rising factorial ``Gamma(z + m) / Gamma(z)``, elementwise: ``scipy.special.poch``.

    z, m: real, of shapes that broadcast.
    Returns: dtype as SciPy gives it; inf where ``z + m`` is a pole of `gamma` and `z` is none.
    Derivative: ``poch(z, m) * (psi(z + m) - psi(z))`` by `z`, with all its digits also where `m` is
        small beside `z`, and with its limit at a zero; ``poch(z, m) * psi(z + m)`` by `m`.
    Raises TypeError: if one is complex.
    Source: NIST DLMF 5.2.5 and 5.2.2.

    >>> z, m = Variable(np.array(3.0)), Variable(np.array(2.0))
    >>> poch(z, m).backward()  # z (z + 1)
    >>> z.grad
    array(7.)
    """

    def forward(self, z: Operand, m: Operand) -> Array:
        return scipy.special.poch(z, m)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        z, m = (x.data for x in self.inputs)
        by_z, by_m = self.needs_grad
        return (
            gy * PochDerivative(1, 0).of(z, m) if by_z else None,
            gy * PochDerivative(0, 1).of(z, m) if by_m else None,
        )


class Multigammaln(Elementwise):
    """The logarithm of the product of ``Gamma(a - j / 2)`` for j from 0 to d - 1, and of powers."""

    arrays = "numpy: scipy.special.multigammaln makes ndarrays of its arguments"

    def __init__(self, d: int) -> None:
        self.d = d

    def forward(self, a: Operand) -> Array:
        return _multigammaln(a, self.d)

    def backward(self, gy: Array) -> Array:
        a = self.inputs[0].data
        return gy * sum(Digamma().of(a - 0.5 * j) for j in range(int(self.d)))


def _multigammaln(a: Operand, d: int) -> Array:
    """Return SciPy's values, which of float32 are float64."""
    return scipy.special.multigammaln(a, d).astype(scipy.special.gammaln(a).dtype)


@applying(
    Multigammaln,
    *(Call(Draw(shape, (1.2, 4.0)), 3) for shape in ((2, 3), (), (0, 3))),
    Call(Draw((3,), (0.3, 2.0)), d=1),
    reference=_multigammaln,
    complex=False,
)
def multigammaln(a: Operand, d: int) -> Variable:
    """Logarithm of the gamma function of `d` dimensions: as ``scipy.special.multigammaln``.

    a: any shape, real, above ``(d - 1) / 2``.
    d (int): the dimension, a constant.
    Returns: shape of `a`; float32 for float32, where SciPy gives float64.
    Derivative: the sum of ``psi(a - j / 2)`` for `j` from 0 to ``d - 1``; none by `d`.
    Raises VariableTypeError (TypeError): if `d` is a Variable.
    Raises ValueError: if `d` is no positive integer, or an element of `a` is too small.
    Source: NIST DLMF 35.3.4 and 5.2.2.

    >>> a = Variable(np.array(2.0))
    >>> multigammaln(a, 2).backward()  # psi(2) + psi(3/2)
    >>> a.grad
    array(0.45927431)
    """
    refuse_derivative("special.multigammaln", d=d)
    return Multigammaln(d)(a)


gamma = operation(Gamma, analytic((0.5, 4.0), truth=("gamma(x)", "gamma(x) * psi(0, x)")))
gammaln = operation(Gammaln, elementwise((0.5, 4.0), truth=("loggamma(x)", "psi(0, x)")))
loggamma = operation(Loggamma, analytic((0.5, 4.0), truth=("loggamma(x)", "psi(0, x)")))
rgamma = operation(Rgamma, analytic((0.5, 4.0), truth=("rgamma(x)", "-psi(0, x) * rgamma(x)")))
poch = operation(
    Poch,
    elementwise(
        (0.5, 4.0),
        (0.5, 4.0),
        truth=(
            "rf(x0, x1)",
            "rf(x0, x1) * (psi(0, x0 + x1) - psi(0, x0))",
            "rf(x0, x1) * psi(0, x0 + x1)",
        ),
    ),
)
