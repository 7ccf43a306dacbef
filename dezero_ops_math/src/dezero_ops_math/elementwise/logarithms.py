"""Exponential functions and logarithms, also of sums of two exponentials."""

from __future__ import annotations

import math

import numpy as np

from dezero_core.extend import Array, Operand, certain, possible

from ..declaring import Elementwise, analytic, elementwise, operation

LOG2_E, LOG10_E = 1.0 / math.log(2.0), math.log10(math.e)


class Log(Elementwise):
    """Natural logarithm, elementwise: ``np.log``.

    x: any shape. ``x <= 0`` gives -inf or nan with a RuntimeWarning, as in NumPy.
    Source: NIST DLMF 4.7(i).

    >>> x = Variable(np.array(2.0))
    >>> log(x).backward()
    >>> x.grad
    array(0.5)
    """

    def forward(self, x: Operand) -> Array:
        return np.log(x)

    def backward(self, gy: Array) -> Array:
        return gy / self.inputs[0].data


class Log2(Elementwise):
    """Logarithm to base 2, elementwise: ``np.log2``.

    x: any shape. ``x <= 0`` gives -inf or nan with a RuntimeWarning, as in NumPy.
    Derivative: ``1 / (log(2) * x)``.
    Source: NIST DLMF 4.2(ii); ``numpy.log2``.

    >>> log2(Variable(np.array([0.5, 1.0, 8.0])))
    variable([-1.  0.  3.])
    """

    def forward(self, x: Operand) -> Array:
        return np.log2(x)

    def backward(self, gy: Array) -> Array:
        return gy * (LOG2_E / self.inputs[0].data)


class Log10(Elementwise):
    """Logarithm to base 10, elementwise: ``np.log10``.

    x: any shape. ``x <= 0`` gives -inf or nan with a RuntimeWarning, as in NumPy.
    Derivative: ``1 / (log(10) * x)``.
    Source: NIST DLMF 4.2(ii); ``numpy.log10``.

    >>> log10(Variable(np.array([0.1, 1.0, 1000.0])))
    variable([-1.  0.  3.])
    """

    def forward(self, x: Operand) -> Array:
        return np.log10(x)

    def backward(self, gy: Array) -> Array:
        return gy * (LOG10_E / self.inputs[0].data)


class Log1p(Elementwise):
    """``log(1 + x)``, elementwise, with all digits also near 0: ``np.log1p``.

    x: any shape. ``x <= -1`` gives -inf or nan with a RuntimeWarning, as in NumPy.

    >>> log1p(Variable(np.array(1e-20)))
    variable(1e-20)
    """

    def forward(self, x: Operand) -> Array:
        return np.log1p(x)

    def backward(self, gy: Array) -> Array:
        return gy / (1.0 + self.inputs[0].data)


#: Numbers of which neither exp nor exp2 overflows, by the character of the dtype.
_LIMITS = {"d": 700.0, "f": 80.0, "e": 8.0}


class Share(Elementwise):
    """The share of exp(x0) in exp(x0) + exp(x1), or of powers of 2.

    d(share0) = share0 share1 (dx0 - dx1), times log(2) of powers of 2. Equals have half each,
    also where both are inf or both -inf: as they grow together.
    """

    saves = ("inputs", "outputs")

    def __init__(self, base2: bool) -> None:
        self.base2 = base2

    def forward(self, x0: Array, x1: Array) -> Array:
        power = np.exp2 if self.base2 else np.exp
        with np.errstate(over="ignore", invalid="ignore"):
            difference = x1 - x0
        # Below 4 nothing overflows, and what was rounded is of no weight; beside 0 none was.
        is_exact = _is_zero(x0) or _is_zero(x1)
        limit = _LIMITS.get(difference.dtype.char, 4.0) if is_exact else 4.0
        if certain((difference < limit).all()):
            return 1.0 / (1.0 + power(difference))
        if possible(np.isnan(difference).any()):
            difference = np.where(x0 == x1, 0.0, difference)
        ratio = power(-np.absolute(difference))
        if not _is_zero(x0) and not _is_zero(x1):
            # What rounding took from the difference: of 700, half of its last digit would be
            # hundreds of those of the share.
            lost = _lost_by_rounding(x1, x0, difference)
            if self.base2:
                lost = lost * math.log(2.0)
            ratio = ratio * (1.0 - np.sign(difference) * lost)
        return np.maximum(difference <= 0.0, ratio) / (1.0 + ratio)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        g = gy * self.outputs[0]().data * Share(self.base2).of(x1, x0)
        if self.base2:
            g = g * math.log(2.0)
        return g, -g


def _is_zero(x: Array) -> bool:
    return isinstance(x, int | float) and x == 0


def _lost_by_rounding(x0: Array, x1: Array, difference: Array) -> Array:
    """Return the part of ``x0 - x1`` that rounding took, and 0 where that is not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        back = difference - x0  # 2Sum, Møller 1965
        lost = (x0 - (difference - back)) - (x1 + back)
    finite = np.isfinite(lost)
    return lost if certain(finite.all()) else np.where(finite, lost, 0.0)


class LogAddExp(Elementwise):
    """``log(exp(x1) + exp(x2))``, elementwise, without overflow: ``np.logaddexp``.

    x1, x2: of shapes that broadcast, and real.
    Derivative: ``1 / (1 + exp(x2 - x1))`` and ``1 / (1 + exp(x1 - x2))``; 1/2 at equal infinities.

    >>> x1, x2 = Variable(np.array(1000.0)), Variable(np.array(1000.0))
    >>> logaddexp(x1, x2).backward()
    >>> x1.grad, x2.grad
    (array(0.5), array(0.5))
    """

    base2 = False

    def forward(self, x1: Operand, x2: Operand) -> Array:
        return np.logaddexp(x1, x2)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        # d log(exp(x0) + exp(x1)) = share0 dx0 + share1 dx1, the shares in the sum.
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        of_x0, of_x1 = self.needs_grad
        return (
            gy * Share(self.base2).of(x0, x1) if of_x0 else None,
            gy * Share(self.base2).of(x1, x0) if of_x1 else None,
        )


class LogAddExp2(LogAddExp):
    """``log2(2**x1 + 2**x2)``, elementwise, without overflow: ``np.logaddexp2``.

    x1, x2: of shapes that broadcast, and real.
    Derivative: ``1 / (1 + 2**(x2 - x1))`` and ``1 / (1 + 2**(x1 - x2))``; 1/2 at equal infinities.

    >>> logaddexp2(Variable(np.array(3.0)), 3.0)
    variable(4.0)
    """

    base2 = True

    def forward(self, x1: Operand, x2: Operand) -> Array:
        return np.logaddexp2(x1, x2)


LN2 = math.log(2.0)


class Exp(Elementwise):
    """Exponential, elementwise: ``np.exp``.

    Source: NIST DLMF 4.7(ii); *Deep Learning from Scratch 3*, steps 3 and 6.

    >>> x = Variable(np.array(0.0))
    >>> exp(x).backward()
    >>> x.grad
    array(1.)
    """

    saves = ("outputs",)

    def forward(self, x: Operand) -> Array:
        return np.exp(x)

    def backward(self, gy: Array) -> Array:
        return gy * self.outputs[0]().data


class Exp2(Elementwise):
    """Power of two, elementwise: ``np.exp2``.

    Derivative: ``log(2) * 2**x``.
    Source: NIST DLMF 4.7(ii); ``numpy.exp2``.

    >>> exp2(Variable(np.array([-1.0, 0.0, 10.0])))
    variable([5.000e-01 1.000e+00 1.024e+03])
    """

    saves = ("outputs",)

    def forward(self, x: Operand) -> Array:
        return np.exp2(x)

    def backward(self, gy: Array) -> Array:
        return gy * (LN2 * self.outputs[0]().data)


class Expm1(Elementwise):
    """``exp(x) - 1``, elementwise, with all digits also near 0: ``np.expm1``.

    >>> expm1(Variable(np.array(1e-20)))
    variable(1e-20)
    """

    def forward(self, x: Operand) -> Array:
        return np.expm1(x)

    def backward(self, gy: Array) -> Array:
        # Not y + 1, of whose digits few are left where y is near -1.
        return gy * np.exp(self.inputs[0].data)


_POSITIVE, _WIDE = (0.5, 3.0), (-3.0, 3.0)

log = operation(Log, analytic(_POSITIVE, truth=("log(x)", "1 / x")))
log2 = operation(Log2, analytic(_POSITIVE, truth=("log(x) / ln2", "1 / (x * ln2)")))
log10 = operation(Log10, analytic(_POSITIVE, truth=("log(x) / ln10", "1 / (x * ln10)")))
log1p = operation(Log1p, analytic((-0.5, 3.0), truth=("log1p(x)", "1 / (1 + x)")))
_SUM = "max(x0, x1) + log1p(exp(-abs(x0 - x1)))"
_SHARES = "1 / (1 + exp(x1 - x0))", "1 / (1 + exp(x0 - x1))"
logaddexp = operation(LogAddExp, elementwise(_WIDE, _WIDE, truth=(_SUM, *_SHARES)))
_SUM2 = "max(x0, x1) + log1p(exp2(-abs(x0 - x1))) / ln2"
_SHARES2 = "1 / (1 + exp2(x1 - x0))", "1 / (1 + exp2(x0 - x1))"
logaddexp2 = operation(LogAddExp2, elementwise(_WIDE, _WIDE, truth=(_SUM2, *_SHARES2)))


exp = operation(Exp, analytic(_WIDE, truth=("exp(x)", "exp(x)")))
exp2 = operation(Exp2, analytic(_WIDE, truth=("exp2(x)", "ln2 * exp2(x)")))
expm1 = operation(Expm1, analytic(_WIDE, truth=("exp(x) - 1", "exp(x)")))
