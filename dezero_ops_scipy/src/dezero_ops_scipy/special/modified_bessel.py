"""Modified Bessel functions of the first and the second kind."""

from __future__ import annotations

from typing import Any

import scipy.special
from dezero_ops_math.declaring import Elementwise, applying, elementwise, operation

from dezero_core import Variable
from dezero_core.extend import Array, Operand

from ..arguments import refuse_derivative
from .bessel import OfOrder, OfOrder1, calls_of_orders


class I0(Elementwise):
    """Modified Bessel function of order 0, elementwise: ``scipy.special.i0``.

    x: any shape, real.
    Raises TypeError: if `x` is complex.
    Source: NIST DLMF 10.29.3.

    >>> x = Variable(np.array(1.0))
    >>> i0(x).backward()
    >>> x.grad
    array(0.5651591)
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.i0(x)

    def backward(self, gy: Array) -> Array:
        return gy * I1().of(self.inputs[0].data)


class I1(OfOrder1):
    """Modified Bessel function of order 1, elementwise: ``scipy.special.i1``.

    x: any shape, real.
    Raises TypeError: if `x` is complex.
    Source: NIST DLMF 10.29.1.

    >>> x = Variable(np.array(0.0))
    >>> i1(x).backward()
    >>> x.grad
    array(0.5)
    """

    name = "iv"


class K0(Elementwise):
    """Modified Bessel function of the second kind, of order 0: ``scipy.special.k0``.

    x: any shape, real, from 0 on.
    Returns: shape of `x`, dtype as SciPy gives it; inf at 0, and nan below.
    Derivative: -inf at 0.
    Raises TypeError: if `x` is complex.
    Source: NIST DLMF 10.29.3.

    >>> x = Variable(np.array([0.0, 1.0]))
    >>> k0(x).backward()
    >>> x.grad
    array([       -inf, -0.60190723])
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.k0(x)

    def backward(self, gy: Array) -> Array:
        return -gy * K1().of(self.inputs[0].data)


class K1(OfOrder1):
    """Modified Bessel function of the second kind, of order 1: ``scipy.special.k1``.

    x: any shape, real, from 0 on.
    Returns: shape of `x`, dtype as SciPy gives it; inf at 0, and nan below.
    Derivative: -inf at 0.
    Raises TypeError: if `x` is complex.
    Source: NIST DLMF 10.29.1.

    >>> x = Variable(np.array([0.0, 1.0]))
    >>> k1(x).backward()
    >>> x.grad
    array([       -inf, -1.02293167])
    """

    name = "kv"


class Iv(OfOrder):
    """Modified Bessel function of the first kind."""

    name = "iv"


class Kv(OfOrder):
    """Modified Bessel function of the second kind."""

    name = "kv"


_BOTH, _ABOVE = (-3.0, 3.0), (0.5, 4.0)
_I1 = ("besseli(1, x)", "(besseli(0, x) + besseli(2, x)) / 2")
_K1 = ("besselk(1, x)", "-(besselk(0, x) + besselk(2, x)) / 2")

i0 = operation(I0, elementwise(_BOTH, truth=("besseli(0, x)", "besseli(1, x)")))
i1 = operation(I1, elementwise(_BOTH, truth=_I1))
k0 = operation(K0, elementwise(_ABOVE, truth=("besselk(0, x)", "-besselk(1, x)")))
k1 = operation(K1, elementwise(_ABOVE, truth=_K1))


@applying(Iv, *calls_of_orders(0, 2, -1.5, 2.5))
def iv(v: Any, z: Operand) -> Variable:
    """Modified Bessel function of the first kind, elementwise: ``scipy.special.iv``.

    v (ndarray or number): the order, real; a constant.
    z: real or complex, of a shape that broadcasts with that of `v`.
    Returns: nan for a real `z` below 0 and an order that is no integer.
    Derivative: ``(iv(v - 1, z) + iv(v + 1, z)) / 2`` by `z`; none by `v`.
    Raises VariableTypeError (TypeError): if `v` is a Variable.
    Source: NIST DLMF 10.29.1 and 10.29.5.

    >>> z = Variable(np.array([0.0, 1.0]))
    >>> iv(2.5, z).backward()
    >>> z.grad
    array([0.        , 0.15077805])
    """
    refuse_derivative("special.iv", v=v)
    return Iv()(v, z)


@applying(Kv, *calls_of_orders(0, 2, -1.5, 2.5))
def kv(v: Any, z: Operand) -> Variable:
    """Modified Bessel function of the second kind, elementwise: ``scipy.special.kv``.

    v (ndarray or number): the order, real; a constant.
    z: real or complex, of a shape that broadcasts with that of `v`. It has a pole at 0.
    Returns: nan for a real `z` below 0.
    Derivative: ``-(kv(v - 1, z) + kv(v + 1, z)) / 2`` by `z`, as exact as SciPy's values; none by
        `v`.
    Raises VariableTypeError (TypeError): if `v` is a Variable.
    Source: NIST DLMF 10.29.1 and 10.29.5.

    >>> z = Variable(np.array([0.0, 1.0]))
    >>> kv(2.5, z).backward()
    >>> z.grad
    array([       -inf, -8.99083584])
    """
    refuse_derivative("special.kv", v=v)
    return Kv()(v, z)
