"""Bessel functions of the first and the second kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Call, Draw, Elementwise, applying, elementwise, operation

from dezero_core import Variable
from dezero_core.extend import Array, Operand

from ..arguments import refuse_derivative
from .bessel_derivatives import BesselDerivative, value_of_yn


class OfOrder(Elementwise):
    """A Bessel function of order `v`, a constant."""

    name: str

    def forward(self, v: Array, z: Array) -> Array:
        return getattr(scipy.special, self.name)(v, z)

    def backward(self, gy: Array) -> tuple[None, Array]:
        v, z = (each.data for each in self.inputs)
        return None, gy * BesselDerivative(self.name).of(v, z)


class OfOrder1(Elementwise):
    """A Bessel function of order 1, where `name` is that of any order."""

    name: str

    def forward(self, x: Operand) -> Array:
        return getattr(scipy.special, f"{self.name[0]}1")(x)

    def backward(self, gy: Array) -> Array:
        return gy * BesselDerivative(self.name).of(1, self.inputs[0].data)


def calls_of_orders(*orders: Any) -> list[Any]:
    """Return the calls of a sample: each order with numbers, then other shapes."""
    interval = (0.5, 4.0)
    return [
        *(Call(order, Draw((2, 3), interval)) for order in orders),
        *(Call(orders[0], Draw(shape, interval)) for shape in ((), (0, 3))),
        Call(np.array([[1], [2]]), Draw((3,), interval)),
    ]


class J0(Elementwise):
    """Bessel function of the first kind, of order 0, elementwise: ``scipy.special.j0``.

    x: any shape, real.
    Derivative: as exact as SciPy's values.
    Raises TypeError: if `x` is complex.
    Source: NIST DLMF 10.6.3.

    >>> x = Variable(np.array(1.0))
    >>> j0(x).backward()
    >>> x.grad
    array(-0.44005059)
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.j0(x)

    def backward(self, gy: Array) -> Array:
        return -gy * BesselDerivative("jv", 0).of(1, self.inputs[0].data)


class J1(OfOrder1):
    """Bessel function of the first kind, of order 1, elementwise: ``scipy.special.j1``.

    x: any shape, real.
    Derivative: as exact as SciPy's values.
    Raises TypeError: if `x` is complex.
    Source: NIST DLMF 10.6.1.

    >>> x = Variable(np.array(0.0))
    >>> j1(x).backward()
    >>> x.grad
    array(0.5)
    """

    name = "jv"


class Y0(Elementwise):
    """Bessel function of the second kind, of order 0, elementwise: ``scipy.special.y0``.

    x: any shape, real, from 0 on.
    Returns: shape of `x`, dtype as SciPy gives it; -inf at 0, and nan below.
    Derivative: inf at 0; as exact as SciPy's values.
    Raises TypeError: if `x` is complex.
    Source: NIST DLMF 10.6.3.

    >>> x = Variable(np.array(1.0))
    >>> y0(x).backward()
    >>> x.grad
    array(0.78121282)
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.y0(x)

    def backward(self, gy: Array) -> Array:
        return -gy * BesselDerivative("yv", 0).of(1, self.inputs[0].data)


class Y1(OfOrder1):
    """Bessel function of the second kind, of order 1, elementwise: ``scipy.special.y1``.

    x: any shape, real, from 0 on.
    Returns: shape of `x`, dtype as SciPy gives it; -inf at 0, and nan below.
    Derivative: inf at 0; as exact as SciPy's values.
    Raises TypeError: if `x` is complex.
    Source: NIST DLMF 10.6.1.

    >>> x = Variable(np.array([0.0, 1.0]))
    >>> y1(x).backward()
    >>> x.grad
    array([       inf, 0.86946979])
    """

    name = "yv"


_J0 = ("besselj(0, x)", "-besselj(1, x)")
_J1 = ("besselj(1, x)", "(besselj(0, x) - besselj(2, x)) / 2")
_Y0 = ("bessely(0, x)", "-bessely(1, x)")
_Y1 = ("bessely(1, x)", "(bessely(0, x) - bessely(2, x)) / 2")

j0 = operation(J0, elementwise((-3.0, 3.0), truth=_J0))
j1 = operation(J1, elementwise((-3.0, 3.0), truth=_J1))
y0 = operation(Y0, elementwise((0.5, 4.0), truth=_Y0))
y1 = operation(Y1, elementwise((0.5, 4.0), truth=_Y1))


class Jv(OfOrder):
    """Bessel function of the first kind."""

    name = "jv"


class Yv(OfOrder):
    """Bessel function of the second kind."""

    name = "yv"


class Yn(OfOrder):
    """Bessel function of the second kind, of an integer order."""

    name = "yn"

    def forward(self, n: Array, x: Array) -> Array:
        return value_of_yn(n, x)

    def backward(self, gy: Array) -> tuple[None, Array]:
        n, x = (each.data for each in self.inputs)
        # SciPy, too, cuts off the fraction of an order that is no integer.
        return None, gy * BesselDerivative("yv").of(n if type(n) is int else np.trunc(n), x)


@applying(Jv, *calls_of_orders(0, 2, -1.5, 2.5))
def jv(v: Any, z: Operand) -> Variable:
    """Bessel function of the first kind, elementwise: ``scipy.special.jv``, also called ``jn``.

    v (ndarray or number): the order, real; a constant.
    z: real or complex, of a shape that broadcasts with that of `v`.
    Returns: nan for a real `z` below 0 and an order that is no integer.
    Derivative: ``(jv(v - 1, z) - jv(v + 1, z)) / 2`` by `z`, as exact as SciPy's values; none by
        `v`.
    Raises VariableTypeError (TypeError): if `v` is a Variable.
    Source: NIST DLMF 10.6.1 and 10.6.7.

    >>> z = Variable(np.array(1.0))
    >>> jv(2.5, z).backward()
    >>> z.grad
    array(0.11655581)
    """
    refuse_derivative("special.jv", v=v)
    return Jv()(v, z)


@applying(Yv, *calls_of_orders(0, 2, -1.5, 2.5))
def yv(v: Any, z: Operand) -> Variable:
    """Bessel function of the second kind, elementwise: ``scipy.special.yv``.

    v (ndarray or number): the order, real; a constant.
    z: real or complex, of a shape that broadcasts with that of `v`. It has a pole at 0.
    Returns: nan for a real `z` below 0.
    Derivative: ``(yv(v - 1, z) - yv(v + 1, z)) / 2`` by `z`, as exact as SciPy's values; none by
        `v`.
    Raises VariableTypeError (TypeError): if `v` is a Variable.
    Source: NIST DLMF 10.6.1 and 10.6.7.

    >>> z = Variable(np.array([0.0, 1.0]))
    >>> yv(2.5, z).backward()
    >>> z.grad
    array([       inf, 6.08847407])
    """
    refuse_derivative("special.yv", v=v)
    return Yv()(v, z)


@applying(Yn, *calls_of_orders(0, 2, -1), reference=value_of_yn, complex=False)
def yn(n: Any, x: Operand) -> Variable:
    """Bessel function of the second kind, of integer order, elementwise: ``scipy.special.yn``.

    n (ndarray of int, or int): the order, a constant.
    x: real, from 0 on, of a shape that broadcasts with that of `n`. It has a pole at 0.
    Returns: nan below 0.
    Derivative: ``(yn(n - 1, x) - yn(n + 1, x)) / 2`` by `x`, as exact as SciPy's values; none by
        `n`.
    Raises VariableTypeError (TypeError): if `n` is a Variable.
    Raises TypeError: if `x` is complex.
    Source: NIST DLMF 10.6.1 and 10.6.7.

    >>> x = Variable(np.array([0.0, 1.0]))
    >>> yn(2, x).backward()
    >>> x.grad
    array([       inf, 2.52015239])
    """
    refuse_derivative("special.yn", n=n)
    return Yn()(n, x)
