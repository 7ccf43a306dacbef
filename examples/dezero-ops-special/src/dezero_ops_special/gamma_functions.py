"""The logarithm of the gamma function, and its derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
from dezero_core import (
    DezeroError,
    Function,
    Registrar,
    Variable,
    VariableTypeError,
)
from dezero_core.extend import Array, Operand

from .arguments import refuse_complex

#: The largest integer whose factorial is a float.
LARGEST_ORDER = 170


class PolygammaOrderError(DezeroError, ValueError):
    """The order of a polygamma function is below 0 or above 170. Fact: ``n``."""


class Gammaln(Function):
    """d log(abs(Gamma(x))) = digamma(x) dx."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return scipy.special.gammaln(x)

    def backward(self, gy: Array) -> Array:
        return gy * Digamma().of(self.inputs[0].data)


def gammaln(x: Operand) -> Variable:
    """Logarithm of the absolute gamma function, elementwise: ``scipy.special.gammaln``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape, real; it has poles at 0, -1, -2, ...

    Returns
    -------
    Variable
        Shape of `x`, dtype as SciPy gives it; inf at a pole, where the derivative is infinite
        or nan. Derivative: ``digamma(x)``.

    Raises
    ------
    TypeError
        If `x` is complex.

    Notes
    -----
    Source: NIST DLMF 5.2.2.

    Examples
    --------
    >>> x = Variable(np.array(1.0))
    >>> gammaln(x).backward()
    >>> x.grad
    array(-0.57721566)
    """
    return Gammaln()(x)


class Digamma(Function):
    """d digamma(x) = polygamma(1, x) dx."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        refuse_complex("digamma", x)
        return scipy.special.digamma(x)

    def backward(self, gy: Array) -> Array:
        return gy * Polygamma(1).of(self.inputs[0].data)


def digamma(x: Operand) -> Variable:
    """Derivative of `gammaln`, elementwise: ``scipy.special.digamma``, also called ``psi``.

    Parameters
    ----------
    x : Variable, ndarray or number
        Any shape, real; it has poles at 0, -1, -2, ...

    Returns
    -------
    Variable
        Shape of `x`, dtype as SciPy gives it; infinite or nan at a pole. Derivative:
        ``polygamma(1, x)``.

    Raises
    ------
    VariableTypeError (TypeError)
        If `x` is complex: SciPy has no polygamma functions of complex numbers.

    Notes
    -----
    Source: NIST DLMF 5.2.2 and 5.15.

    Examples
    --------
    >>> x = Variable(np.array(1.0))
    >>> digamma(x).backward()
    >>> x.grad, np.pi**2 / 6
    (array(1.64493407), 1.6449340668482264)
    """
    return Digamma()(x)


class Polygamma(Function):
    """d polygamma(n, x) = polygamma(n + 1, x) dx."""

    elementwise = True

    def __init__(self, n: int | np.ndarray[Any, Any]) -> None:
        self.n = n

    def forward(self, x: Array) -> Array:
        refuse_complex("polygamma", x)
        y = scipy.special.polygamma(self.n, x)
        return y.astype(scipy.special.digamma(x).dtype)  # SciPy turns float32 into float64

    def backward(self, gy: Array) -> Array:
        return gy * type(self)(self.n + 1).of(self.inputs[0].data)


class PolygammaOfOrders(Polygamma):
    """`Polygamma` of an array of orders: slices of `x` do not fit to it."""

    elementwise = False
    arrays = "numpy: scipy.special.polygamma makes ndarrays of its arguments"


def polygamma(n: Any, x: Operand) -> Variable:
    """Derivative of `digamma` of order `n`, elementwise: as ``scipy.special.polygamma``.

    Parameters
    ----------
    n : int, or array of int
        The orders, from 0, which is `digamma` itself, to 170; they are constants.
    x : Variable, ndarray or number
        Any shape, real; it has poles at 0, -1, -2, ...

    Returns
    -------
    Variable
        In the shape that `n` and `x` broadcast to; float32 for float32, where SciPy gives
        float64. Derivative by `x`: ``polygamma(n + 1, x)``.

    Raises
    ------
    VariableTypeError (TypeError)
        If `n` is not of integers, or is a Variable, or `x` is complex.
    PolygammaOrderError (ValueError)
        If an order is below 0 or above 170.

    Notes
    -----
    Source: NIST DLMF 5.15.1, 25.11.12. The value is SciPy's, ``n!`` times a zeta function. It
    loses digits where that underflows, also if the product would not: of order 150, from
    x = 110 on.

    Examples
    --------
    >>> polygamma(1, Variable(np.array([1.0, 2.0])))
    variable([1.64493407 0.64493407])
    """
    order = n if isinstance(n, Variable) else np.asarray(n)
    if isinstance(order, Variable) or order.dtype.kind not in "iu":
        raise VariableTypeError(
            f"polygamma takes an integer or an array of integers for n, got {n!r}. Between the "
            "orders there are none, and no derivative by n.",
            got=type(n),
        )
    if np.any(order < 0) or np.any(order > LARGEST_ORDER):
        raise PolygammaOrderError(
            f"polygamma takes orders from 0 to {LARGEST_ORDER} for n, got {n!r}.", n=n
        )
    return (PolygammaOfOrders if order.ndim else Polygamma)(order.astype(int))(x)


def _reference(n: Any, x: Array) -> Array:
    if np.iscomplexobj(x):
        raise TypeError("it uses scipy.special.zeta, which takes real numbers")
    return scipy.special.polygamma(n, x).astype(scipy.special.digamma(x).dtype)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def positive(kit: Any) -> Any:
        return kit.elementwise((0.5, 4.0))

    def orders(kit: Any) -> Any:
        n = np.array([0, 1, 2])
        x, point, row = (kit.Draw(shape, (0.6, 4.0)) for shape in ((2, 3), (), (1, 2)))
        calls = [kit.Call(order, x) for order in (0, 1, 3)]
        calls += [kit.Call(1, kit.Draw(shape, (0.6, 4.0))) for shape in ((), (1, 1), (0, 3))]
        calls += [kit.Call(n, x), kit.Call(n, point), kit.Call(n[:, None], row)]
        return kit.Sample(*calls, reference=_reference)

    register("special.gammaln", gammaln, Gammaln, numpy=scipy.special.gammaln, sample=positive)
    register("special.digamma", digamma, Digamma, numpy=scipy.special.digamma, sample=positive)
    register("special.polygamma", polygamma, Polygamma, sample=orders)
