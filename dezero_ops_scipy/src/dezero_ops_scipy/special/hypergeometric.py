"""Hypergeometric functions."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import scipy.special
from dezero_ops_math.declaring import Call, Draw, Elementwise, applying

from dezero_core import Variable
from dezero_core.extend import Array, Operand

from ..arguments import refuse_derivative


class HypergeometricDerivative(Elementwise):
    """The derivative of a hypergeometric function of an order; its own is that of the next.

    It is the function with all parameters raised by n, times ``(a)_n / (b)_n`` or
    ``(a)_n (b)_n / (c)_n``.

    Source: NIST DLMF 16.3.1.
    """

    def __init__(self, order: int = 1) -> None:
        self.order = order

    def forward(self, *operands: Array) -> Array:
        *above, below, z = operands
        function = scipy.special.hyp1f1 if len(above) == 1 else scipy.special.hyp2f1
        raised = [each + float(self.order) for each in (*above, below)]
        factor = divisor = 1.0
        for k in range(self.order):
            factor = factor * prod(each + float(k) for each in above)
            divisor = divisor * (below + float(k))
        with np.errstate(all="ignore"):
            y = narrowed(function(*raised, z), *operands)
            # A polynomial may have a parameter below that becomes 0, if its series ends before.
            for each in raised[:-1]:
                y = np.where(np.equal(each, 0.0), 0.0 * z + 1.0, y)
            slope = np.divide(factor, divisor) * y
            return np.where(np.equal(factor, 0.0), 0.0 * z, slope).astype(y.dtype)

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        operands = [each.data for each in self.inputs]
        constants = [None] * (len(operands) - 1)
        return *constants, gy * HypergeometricDerivative(self.order + 1).of(*operands)


def narrowed(y: Array, *operands: Array) -> Array:
    """Return a result of SciPy in single precision, if that is the operands'."""
    dtype = np.result_type(*operands)
    return y.astype(dtype) if dtype in (np.float32, np.complex64) else y


def _hyp2f1(a: Array, b: Array, c: Array, z: Array) -> Array:
    return narrowed(scipy.special.hyp2f1(a, b, c, z), a, b, c, z)


class Hyp1f1(Elementwise):
    """The confluent hypergeometric function; its parameters are constants."""

    def forward(self, a: Array, b: Array, z: Array) -> Array:
        return scipy.special.hyp1f1(a, b, z)

    def backward(self, gy: Array) -> tuple[None, None, Array]:
        a, b, z = (each.data for each in self.inputs)
        return None, None, gy * HypergeometricDerivative().of(a, b, z)


class Hyp2f1(Elementwise):
    """Gauss's hypergeometric function; its parameters are constants."""

    def forward(self, a: Array, b: Array, c: Array, z: Array) -> Array:
        return _hyp2f1(a, b, c, z)

    def backward(self, gy: Array) -> tuple[None, None, None, Array]:
        a, b, c, z = (each.data for each in self.inputs)
        return None, None, None, gy * HypergeometricDerivative().of(a, b, c, z)


_SHAPES = ((2, 3), (), (0, 3))
_INSIDE = (-0.7, 0.7)
_PARAMETERS = np.array([0.5, 1.5, -2.0])


@applying(
    Hyp1f1,
    *(Call(0.5, 1.5, Draw(shape)) for shape in _SHAPES),
    Call(_PARAMETERS, 2, Draw((2, 1))),
    Call(-2, np.array([[1.0], [0.7]]), Draw((3,))),
)
def hyp1f1(a: Any, b: Any, x: Operand) -> Variable:
    """Confluent hypergeometric function M of Kummer, elementwise: ``scipy.special.hyp1f1``.

    a, b (ndarray or number): the parameters, real; constants.
    x: real or complex, of a shape that broadcasts with those of `a` and `b`.
    Returns: inf where `b` is 0, -1, -2, ..., unless the series ends before.
    Derivative: ``a / b * hyp1f1(a + 1, b + 1, x)`` by `x`, as exact as SciPy's values; none by `a`
        and `b`.
    Raises VariableTypeError (TypeError): if `a` or `b` is a Variable.
    Source: NIST DLMF 13.3.15 and 16.3.1.

    >>> x = Variable(np.array([0.0, 1.0]))
    >>> hyp1f1(1.0, 2.0, x).backward()  # (exp(x) - 1) / x
    >>> x.grad
    array([0.5, 1. ])
    """
    refuse_derivative("special.hyp1f1", a=a, b=b)
    return Hyp1f1()(a, b, x)


@applying(
    Hyp2f1,
    *(Call(0.5, 1, 1.5, Draw(shape, _INSIDE)) for shape in _SHAPES),
    Call(_PARAMETERS, 0.7, 2.0, Draw((2, 1), _INSIDE)),
    Call(-2, np.array([[1.0], [0.7]]), 2.5, Draw((3,), _INSIDE)),
    reference=_hyp2f1,
)
def hyp2f1(a: Any, b: Any, c: Any, z: Operand) -> Variable:
    """Gauss's hypergeometric function F, elementwise: ``scipy.special.hyp2f1``.

    a, b, c (ndarray or number): the parameters, real; constants.
    z: real or complex, of a shape that broadcasts with those of the parameters. From 1 on there is
        a cut.
    Returns: inf for most real `z` above 1, and where `c` is 0, -1, -2, ...; float32 for float32,
        where SciPy gives float64.
    Derivative: ``a * b / c * hyp2f1(a + 1, b + 1, c + 1, z)`` by `z`, as exact as SciPy's values;
        none by the parameters.
    Raises VariableTypeError (TypeError): if a parameter is a Variable.
    Source: NIST DLMF 15.5.1 and 16.3.1.

    >>> z = Variable(np.array([0.0, 0.5]))
    >>> hyp2f1(1.0, 1.0, 2.0, z).backward()  # -log(1 - z) / z
    >>> z.grad
    array([0.5       , 1.22741128])
    """
    refuse_derivative("special.hyp2f1", a=a, b=b, c=c)
    return Hyp2f1()(a, b, c, z)
