"""Logarithms, also of sums of two exponentials."""

from __future__ import annotations

import math

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand, certain, possible

from ..docstrings import documented

LOG2_E, LOG10_E = 1.0 / math.log(2.0), math.log10(math.e)


class Log(Function):
    """d log(x) = dx / x."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.log(x)

    def backward(self, gy: Array) -> Array:
        return gy / self.inputs[0].data


@documented
def log(x: Operand) -> Variable:
    """Natural logarithm, elementwise: ``np.log``.

    x: any shape. ``x <= 0`` gives -inf or nan with a RuntimeWarning, as in NumPy.
    Derivative: ``1 / x``.
    Source: NIST DLMF 4.7(i).

    >>> x = Variable(np.array(2.0))
    >>> y = log(x)
    >>> y.backward()
    >>> x.grad
    array(0.5)
    """
    return Log()(x)


class Log2(Function):
    """d log2(x) = dx / (log(2) x)."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.log2(x)

    def backward(self, gy: Array) -> Array:
        return gy * (LOG2_E / self.inputs[0].data)


@documented
def log2(x: Operand) -> Variable:
    """Logarithm to base 2, elementwise: ``np.log2``.

    x: any shape. ``x <= 0`` gives -inf or nan with a RuntimeWarning, as in NumPy.
    Derivative: ``1 / (log(2) * x)``.
    Source: NIST DLMF 4.2(ii); ``numpy.log2``.

    >>> log2(Variable(np.array([0.5, 1.0, 8.0])))
    variable([-1.  0.  3.])
    """
    return Log2()(x)


class Log10(Function):
    """d log10(x) = dx / (log(10) x)."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.log10(x)

    def backward(self, gy: Array) -> Array:
        return gy * (LOG10_E / self.inputs[0].data)


@documented
def log10(x: Operand) -> Variable:
    """Logarithm to base 10, elementwise: ``np.log10``.

    x: any shape. ``x <= 0`` gives -inf or nan with a RuntimeWarning, as in NumPy.
    Derivative: ``1 / (log(10) * x)``.
    Source: NIST DLMF 4.2(ii); ``numpy.log10``.

    >>> log10(Variable(np.array([0.1, 1.0, 1000.0])))
    variable([-1.  0.  3.])
    """
    return Log10()(x)


class Log1p(Function):
    """d log(1 + x) = dx / (1 + x)."""

    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.log1p(x)

    def backward(self, gy: Array) -> Array:
        return gy / (1.0 + self.inputs[0].data)


@documented
def log1p(x: Operand) -> Variable:
    """``log(1 + x)``, elementwise, with all digits also near 0: ``np.log1p``.

    x: any shape. ``x <= -1`` gives -inf or nan with a RuntimeWarning, as in NumPy.
    Derivative: ``1 / (1 + x)``.

    >>> log1p(Variable(np.array(1e-20)))
    variable(1e-20)
    """
    return Log1p()(x)


#: Numbers of which neither exp nor exp2 overflows, by the character of the dtype.
_LIMITS = {"d": 700.0, "f": 80.0, "e": 8.0}


class Share(Function):
    """The share of exp(x0) in exp(x0) + exp(x1), or of powers of 2.

    d(share0) = share0 share1 (dx0 - dx1), times log(2) of powers of 2. Equals have half each,
    also where both are inf or both -inf: as they grow together.
    """

    saves = ("inputs", "outputs")
    elementwise = True

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


class LogAddExp(Function):
    """d log(exp(x0) + exp(x1)) = share0 dx0 + share1 dx1, the shares in the sum."""

    elementwise = True
    base2 = False

    def forward(self, x0: Array, x1: Array) -> Array:
        return np.logaddexp(x0, x1)

    def backward(self, gy: Array) -> tuple[Array | None, Array | None]:
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        of_x0, of_x1 = self.needs_grad
        return (
            gy * Share(self.base2).of(x0, x1) if of_x0 else None,
            gy * Share(self.base2).of(x1, x0) if of_x1 else None,
        )


@documented
def logaddexp(x1: Operand, x2: Operand) -> Variable:
    """``log(exp(x1) + exp(x2))``, elementwise, without overflow: ``np.logaddexp``.

    x1, x2: of shapes that broadcast, and real.
    Derivative: ``1 / (1 + exp(x2 - x1))`` and ``1 / (1 + exp(x1 - x2))``; 1/2 each where both are
        inf, or both -inf.
    Raises ValueError: if the shapes do not broadcast.

    >>> x1, x2 = Variable(np.array(1000.0)), Variable(np.array(1000.0))
    >>> y = logaddexp(x1, x2)
    >>> y.backward()
    >>> x1.grad, x2.grad
    (array(0.5), array(0.5))
    """
    return LogAddExp()(x1, x2)


class LogAddExp2(LogAddExp):
    """d log2(2**x0 + 2**x1) = share0 dx0 + share1 dx1, the shares in the sum."""

    base2 = True

    def forward(self, x0: Array, x1: Array) -> Array:
        return np.logaddexp2(x0, x1)


@documented
def logaddexp2(x1: Operand, x2: Operand) -> Variable:
    """``log2(2**x1 + 2**x2)``, elementwise, without overflow: ``np.logaddexp2``.

    x1, x2: of shapes that broadcast, and real.
    Derivative: ``1 / (1 + 2**(x2 - x1))`` and ``1 / (1 + 2**(x1 - x2))``; 1/2 each where both are
        inf, or both -inf.
    Raises ValueError: if the shapes do not broadcast.

    >>> logaddexp2(Variable(np.array(3.0)), 3.0)
    variable(4.0)
    """
    return LogAddExp2()(x1, x2)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    positive, wide = (0.5, 3.0), (-3.0, 3.0)
    sample = elementwise(positive, complex=True, truth=("log(x)", "1 / x"))
    register("log", log, Log, numpy=np.log, sample=sample)
    sample = elementwise(positive, complex=True, truth=("log(x) / ln2", "1 / (x * ln2)"))
    register("log2", log2, Log2, numpy=np.log2, sample=sample)
    sample = elementwise(positive, complex=True, truth=("log(x) / ln10", "1 / (x * ln10)"))
    register("log10", log10, Log10, numpy=np.log10, sample=sample)
    sample = elementwise((-0.5, 3.0), complex=True, truth=("log1p(x)", "1 / (1 + x)"))
    register("log1p", log1p, Log1p, numpy=np.log1p, sample=sample)
    truth = (
        "max(x0, x1) + log1p(exp(-abs(x0 - x1)))",
        "1 / (1 + exp(x1 - x0))",
        "1 / (1 + exp(x0 - x1))",
    )
    sample = elementwise(wide, wide, truth=truth)
    register("logaddexp", logaddexp, LogAddExp, numpy=np.logaddexp, sample=sample)
    truth = (
        "max(x0, x1) + log1p(exp2(-abs(x0 - x1))) / ln2",
        "1 / (1 + exp2(x1 - x0))",
        "1 / (1 + exp2(x0 - x1))",
    )
    sample = elementwise(wide, wide, truth=truth)
    register("logaddexp2", logaddexp2, LogAddExp2, numpy=np.logaddexp2, sample=sample)
