"""The digamma function, the polygamma functions and the zeta function that they come from."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Call, Draw, Elementwise, analytic, applying, operation
from numpy.polynomial import Polynomial

from dezero_core import DezeroError, Variable, VariableTypeError
from dezero_core.extend import Array, Operand, data_of

from ..arguments import refuse_derivative, require_real
from .cases import by_cases
from .limits import quietly

#: The largest integer whose factorial is a float.
LARGEST_ORDER = 170
#: B[2], B[4], ...: NIST DLMF table 24.2.1.
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
#: The step up to numbers where the asymptotic series with these is right to the last digit.
SHIFT = 16


class PolygammaOrderError(DezeroError, ValueError):
    """The order of a polygamma function is below 0 or above 170. Fact: ``n``."""


class Digamma(Elementwise):
    """Derivative of `gammaln`, elementwise: ``scipy.special.psi``, also called ``digamma``.

    z: any shape, real or complex; it has poles at 0, -1, -2, ...
    Returns: shape of `z`, dtype as SciPy gives it; infinite or nan at a pole.
    Derivative: ``polygamma(1, z)``; SciPy has no such function of complex `z`, which has one here.
    Source: NIST DLMF 5.2.2 and 5.15.

    >>> x = Variable(np.array(1.0))
    >>> psi(x).backward()
    >>> x.grad, np.pi**2 / 6
    (array(1.64493407), 1.6449340668482264)
    """

    def forward(self, z: Operand) -> Array:
        return scipy.special.psi(z)

    def backward(self, gy: Array) -> Array:
        return gy * Polygamma(1).of(self.inputs[0].data)


class DigammaByReflection(Digamma):
    """The digamma function, with the digits that SciPy's loses next to the poles -1, -2, ...

    There, ``pi x`` is rounded before its tangent is taken: its distance to the pole loses digits.

    Source: NIST DLMF 5.5.4.
    """

    @quietly
    def forward(self, z: Array) -> Array:
        return by_cases(np.greater_equal(np.real(z), 0.0), scipy.special.psi, _reflected_psi, z)


def _reflected_psi(z: Array) -> Array:
    rest = z - np.round(np.real(z))
    tangent = np.tan(np.pi * rest)
    return scipy.special.psi(1.0 - z) - np.pi / np.where(rest == 0.0, np.nan, tangent)


psi = operation(Digamma, analytic((0.5, 4.0), truth=("psi(0, x)", "psi(1, x)")), name="psi")


class Polygamma(Elementwise):
    """d polygamma(n, x) = polygamma(n + 1, x) dx."""

    def __init__(self, n: int | np.ndarray[Any, Any]) -> None:
        self.n = n

    def forward(self, x: Array) -> Array:
        if np.iscomplexobj(x):
            return _of_complex(int(self.n), x)
        y = scipy.special.polygamma(self.n, x)
        return y.astype(scipy.special.psi(x).dtype)  # SciPy turns float32 into float64

    def backward(self, gy: Array) -> Array:
        return gy * type(self)(self.n + 1).of(self.inputs[0].data)


class PolygammaOfOrders(Polygamma):
    """`Polygamma` of an array of orders: slices of `x` do not fit to it."""

    elementwise = False
    arrays = "numpy: scipy.special.polygamma makes ndarrays of its arguments"


def psi_of(n: int, z: Array) -> Array:
    """Return the digamma function's derivative of order n, with all digits next to poles."""
    return (Polygamma(n) if n else DigammaByReflection()).forward(z)


def asymptotic_terms(n: int) -> Iterator[tuple[float, int]]:
    """Yield weights and powers of 1 / z, of which ``(-1)**(n + 1) polygamma(n, z)`` is the sum.

    Source: NIST DLMF 5.15.8.
    """
    yield math.factorial(n - 1), n
    yield 0.5 * math.factorial(n), n + 1
    for k, bernoulli in zip(range(2, 16, 2), BERNOULLI, strict=True):
        yield bernoulli * (math.factorial(k + n - 1) / math.factorial(k)), k + n


def _of_complex(n: int, z: Array) -> Array:
    """Return the function of order 1 or more: NIST DLMF 5.15.5, 5.15.6 and 5.15.8."""
    reflected = z.real < 0.5
    with np.errstate(all="ignore"):
        w, factorial = np.where(reflected, 1.0 - z, z), math.factorial(n)
        total = sum(factorial * (1.0 / (w + j)) ** (n + 1) for j in range(SHIFT))
        r = 1.0 / (w + SHIFT)
        for weight, power in asymptotic_terms(n):
            total = total + weight * r**power
        # The derivatives of cot are polynomials in cot, over the square of sin.
        slope = Polynomial([-1.0])
        for _ in range(1, n):
            slope = -(Polynomial([1.0, 0.0, 1.0]) * slope.deriv() + Polynomial([0.0, 2.0]) * slope)
        angle = np.pi * (z - np.round(z.real))
        cotangent = np.pi ** (n + 1) * slope(1.0 / np.tan(angle)) / np.sin(angle) ** 2
        cotangent = np.where(np.abs(angle.imag) > 100.0, 0.0, cotangent)  # it is below exp(-200)
        return np.where(reflected, -total - cotangent, (-1.0) ** (n + 1) * total)


def _reference(n: Any, x: Array) -> Array:
    if np.iscomplexobj(x):
        raise TypeError("it uses scipy.special.zeta, which takes real numbers")
    return scipy.special.polygamma(n, x).astype(scipy.special.psi(x).dtype)


_X = (0.6, 4.0)
_ORDERS = np.array([0, 1, 2])


@applying(
    Polygamma,
    *(Call(order, Draw((2, 3), _X)) for order in (0, 1, 3)),
    *(Call(1, Draw(shape, _X)) for shape in ((), (1, 1), (0, 3))),
    Call(_ORDERS, Draw((2, 3), _X)),
    Call(_ORDERS, Draw((), _X)),
    Call(_ORDERS[:, None], Draw((1, 2), _X)),
    reference=_reference,
    complex=False,
)
def polygamma(n: Any, x: Operand) -> Variable:
    """Derivative of `psi` of order `n`, elementwise: as ``scipy.special.polygamma``.

    n (int, or array of int): the orders, from 0, which is `psi` itself, to 170; constants.
    x: real, of a shape that broadcasts with that of `n`; it has poles at 0, -1, -2, ...
    Returns: float32 for float32, where SciPy gives float64.
    Derivative: ``polygamma(n + 1, x)`` by `x`, none by `n`.
    Raises VariableTypeError (TypeError): if `n` is not of integers, or is a Variable.
    Raises TypeError: if `x` is complex.
    Raises PolygammaOrderError (ValueError): if an order is below 0 or above 170.
    Source: NIST DLMF 5.15.1, 25.11.12.
    Note: the value is SciPy's, ``n!`` times a zeta function. It loses digits where that
        underflows, also if the product would not: of order 150, from x = 110 on.

    >>> polygamma(1, Variable(np.array([1.0, 2.0])))
    variable([1.64493407 0.64493407])
    """
    refuse_derivative("special.polygamma", n=n)
    order = np.asarray(n)
    if order.dtype.kind not in "iu":
        raise VariableTypeError(
            f"scipy.special.polygamma takes an integer or an array of integers for n, got {n!r}. "
            "Between the orders there are none, and no derivative by n.",
            got=type(n),
        )
    if np.any(order < 0) or np.any(order > LARGEST_ORDER):
        raise PolygammaOrderError(
            f"scipy.special.polygamma takes orders from 0 to {LARGEST_ORDER} for n, got {n!r}.",
            n=n,
        )
    require_real("special.polygamma", data_of(x))
    return (PolygammaOfOrders if order.ndim else Polygamma)(order.astype(int))(x)


class Zeta(Elementwise):
    """``d zeta(x, q) = -x zeta(x + 1, q) dq``."""

    def forward(self, x: Operand, q: Operand | None = None) -> Array:
        return scipy.special.zeta(x, q)

    def backward(self, gy: Array) -> tuple[None, Array | None]:
        x, q = self.inputs[0].data, self.inputs[1].data
        # Below 1 the series diverges, though that of the derivative may converge.
        return None, gy * (np.where(np.greater(x, 1.0), -1.0 * x, np.nan) * Zeta().of(x + 1.0, q))


@applying(
    Zeta,
    *(Call(2.5, Draw(shape, _X)) for shape in ((2, 3), (), (0, 3))),
    Call(np.array([2.0, 3.5, 5.0]), Draw((2, 1), _X)),
    reference=scipy.special.zeta,
    complex=False,
)
def zeta(x: Any, q: Operand | None = None) -> Variable:
    """Zeta function of Hurwitz, or of Riemann if `q` is not given: ``scipy.special.zeta``.

    x (ndarray or number): the exponent, a constant.
    q: of a shape that broadcasts with that of `x`. At 0, -1, -2, ... there are poles.
    Returns: the sum of ``1 / (q + k)**x`` for `k` from 0 on; nan below ``x = 1``, if `q` is
        given.
    Derivative: ``-x * zeta(x + 1, q)`` by `q`; none by `x`.
    Raises VariableTypeError (TypeError): if `x` is a Variable.
    Raises TypeError: if `q` is complex.
    Source: NIST DLMF 25.11.1 and 25.11.17.

    >>> q = Variable(np.array(1.0))
    >>> zeta(2.0, q).backward()
    >>> q.grad  # -2 zeta(3)
    array(-2.40411381)
    """
    refuse_derivative("special.zeta", x=x)
    return Zeta()(x) if q is None else Zeta()(x, q)
