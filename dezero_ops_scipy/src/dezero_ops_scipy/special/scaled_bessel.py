"""Modified Bessel functions that are scaled by an exponential, so that they do not overflow."""

from __future__ import annotations

from typing import Any

import scipy.special
from dezero_ops_math.declaring import (
    Call,
    Draw,
    Elementwise,
    Sample,
    applying,
    elementwise,
    operation,
)

from dezero_core import Variable
from dezero_core.extend import Array, Operand

from ..arguments import refuse_derivative, require_real
from .bessel import OfOrder, calls_of_orders
from .scaled_bessel_derivatives import OfFirstKind, OfInteger, OfSecondKind


class I0e(Elementwise):
    """``exp(-abs(x)) * i0(x)``, elementwise: ``scipy.special.i0e``.

    x: any shape, real.
    Derivative: ``i1e(x) - sign(x) * i0e(x)``, with the digits that this loses for a large `x`. At
        0, where it jumps, 0.
    Raises TypeError: if `x` is complex.
    Source: NIST DLMF 10.29.3.

    >>> x = Variable(np.array(1e6))
    >>> i0e(x).backward()
    >>> x.grad
    array(-1.99471215e-10)
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.i0e(x)

    def backward(self, gy: Array) -> Array:
        return gy * OfInteger(0).of(self.inputs[0].data)


class I1e(Elementwise):
    """``exp(-abs(x)) * i1(x)``, elementwise: ``scipy.special.i1e``.

    x: any shape, real.
    Derivative: ``(i0e(x) + ive(2, x)) / 2 - sign(x) * i1e(x)``, with the digits that this loses for
        a large `x`.
    Raises TypeError: if `x` is complex.
    Source: NIST DLMF 10.29.1.

    >>> x = Variable(np.array([0.0, 1e6]))
    >>> i1e(x).backward()
    >>> x.grad
    array([ 5.00000000e-01, -1.99470916e-10])
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.i1e(x)

    def backward(self, gy: Array) -> Array:
        return gy * OfInteger(1).of(self.inputs[0].data)


class K0e(Elementwise):
    """``exp(x) * k0(x)``, elementwise: ``scipy.special.k0e``.

    x: any shape, real, from 0 on.
    Returns: shape of `x`, dtype as SciPy gives it; inf at 0, and nan below.
    Derivative: ``k0e(x) - k1e(x)``, with the digits that this loses for a large `x`; -inf at 0.
    Raises TypeError: if `x` is complex.
    Source: NIST DLMF 10.29.3.

    >>> x = Variable(np.array([0.0, 1e6]))
    >>> k0e(x).backward()
    >>> x.grad
    array([           -inf, -6.26656834e-10])
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.k0e(x)

    def backward(self, gy: Array) -> Array:
        return gy * OfSecondKind().of(0, self.inputs[0].data)


class K1e(Elementwise):
    """``exp(x) * k1(x)``, elementwise: ``scipy.special.k1e``.

    x: any shape, real, from 0 on.
    Returns: shape of `x`, dtype as SciPy gives it; inf at 0, and nan below.
    Derivative: ``k1e(x) - (k0e(x) + kve(2, x)) / 2``, with the digits that this loses for a large
        `x`; -inf at 0.
    Raises TypeError: if `x` is complex.
    Source: NIST DLMF 10.29.1.

    >>> x = Variable(np.array([0.0, 1e6]))
    >>> k1e(x).backward()
    >>> x.grad
    array([           -inf, -6.26657774e-10])
    """

    def forward(self, x: Operand) -> Array:
        return scipy.special.k1e(x)

    def backward(self, gy: Array) -> Array:
        return gy * OfSecondKind().of(1, self.inputs[0].data)


class Ive(OfOrder):
    """``exp(-abs(z)) * iv(v, z)``."""

    name = "ive"

    def forward(self, v: Array, z: Array) -> Array:
        require_real("special.ive", z)  # the factor is not analytic
        return scipy.special.ive(v, z)

    def backward(self, gy: Array) -> tuple[None, Array]:
        v, z = (each.data for each in self.inputs)
        return None, gy * OfFirstKind().of(v, z)


class Kve(OfOrder):
    """``exp(z) * kv(v, z)``."""

    name = "kve"

    def backward(self, gy: Array) -> tuple[None, Array]:
        v, z = (each.data for each in self.inputs)
        return None, gy * OfSecondKind().of(v, z)


_DOMAIN = (0.5, 4.0)
_FEW = Sample(*(Call(Draw(shape, _DOMAIN)) for shape in ((2, 3), (), (0, 3))))

i0e = operation(I0e, elementwise(_DOMAIN))
i1e = operation(I1e, elementwise(_DOMAIN))
k0e = operation(K0e, _FEW)
k1e = operation(K1e, _FEW)


@applying(Ive, *calls_of_orders(2, -1.5), complex=False)
def ive(v: Any, z: Operand) -> Variable:
    """``exp(-abs(z)) * iv(v, z)``, elementwise: ``scipy.special.ive``.

    v (ndarray or number): the order, real; a constant.
    z: real, of a shape that broadcasts with that of `v`.
    Returns: nan for `z` below 0 and an order that is no integer.
    Derivative: ``(ive(v - 1, z) + ive(v + 1, z)) / 2 - sign(z) * ive(v, z)`` by `z`, with the
        digits that this loses for a large `z`; none by `v`.
    Raises VariableTypeError (TypeError): if `v` is a Variable, or `z` complex.
    Source: NIST DLMF 10.29.1, 10.32.12 and 10.39.5.

    >>> z = Variable(np.array([0.0, 1e6]))
    >>> ive(2.5, z).backward()
    >>> z.grad
    array([ 0.00000000e+00, -1.99469345e-10])
    """
    refuse_derivative("special.ive", v=v)
    return Ive()(v, z)


@applying(Kve, *calls_of_orders(-1.5))
def kve(v: Any, z: Operand) -> Variable:
    """``exp(z) * kv(v, z)``, elementwise: ``scipy.special.kve``.

    v (ndarray or number): the order, real; a constant.
    z: real or complex, of a shape that broadcasts with that of `v`. It has a pole at 0.
    Returns: nan for a real `z` below 0.
    Derivative: ``kve(v, z) - (kve(v - 1, z) + kve(v + 1, z)) / 2`` by `z`, with the digits that
        this loses for a large real `z`; none by `v`.
    Raises VariableTypeError (TypeError): if `v` is a Variable.
    Source: NIST DLMF 10.29.1 and 10.32.9.

    >>> z = Variable(np.array([0.0, 1e6]))
    >>> kve(2.5, z).backward()
    >>> z.grad
    array([           -inf, -6.26662709e-10])
    """
    refuse_derivative("special.kve", v=v)
    return Kve()(v, z)
