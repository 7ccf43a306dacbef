"""Rounding to integers, or to decimals: constant between its jumps."""

from __future__ import annotations

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..arguments import refuse_out
from ..docstrings import Field, sharing

documented = sharing(
    "Derivative: 0, also at the jumps.",
    error=Field("Raises TypeError", "", "if NumPy does not round numbers of that dtype."),
)


class _Rounding(Function):
    """Constant between its jumps: the derivative is 0."""

    saves = ()
    elementwise = True

    def backward(self, gy: Array) -> Array:
        return np.zeros(gy.shape, gy.dtype)


class Floor(_Rounding):
    """d floor(x) = 0."""

    def forward(self, x: Array) -> Array:
        return np.floor(x)


class Ceil(_Rounding):
    """d ceil(x) = 0."""

    def forward(self, x: Array) -> Array:
        return np.ceil(x)


class Trunc(_Rounding):
    """d trunc(x) = 0."""

    def forward(self, x: Array) -> Array:
        return np.trunc(x)


class Rint(_Rounding):
    """d rint(x) = 0."""

    def forward(self, x: Array) -> Array:
        return np.rint(x)


class Fix(_Rounding):
    """d fix(x) = 0."""

    def forward(self, x: Array) -> Array:
        return np.fix(x)


class Round(_Rounding):
    """d round(x) = 0."""

    def __init__(self, decimals: int) -> None:
        self.decimals = decimals

    def forward(self, x: Array) -> Array:
        return np.round(x, self.decimals)


@documented
def floor(x: Operand) -> Variable:
    """Round each element down: ``np.floor``.

    >>> floor(Variable(np.array([-1.5, 0.5, 1.7])))
    variable([-2.  0.  1.])
    """
    return Floor()(x)


@documented
def ceil(x: Operand) -> Variable:
    """Round each element up: ``np.ceil``.

    >>> ceil(Variable(np.array([-1.5, 0.5, 1.7])))
    variable([-1.  1.  2.])
    """
    return Ceil()(x)


@documented
def trunc(x: Operand) -> Variable:
    """Round each element towards 0: ``np.trunc``.

    >>> trunc(Variable(np.array([-1.5, 0.5, 1.7])))
    variable([-1.  0.  1.])
    """
    return Trunc()(x)


@documented
def rint(x: Operand) -> Variable:
    """Round each element to the nearest integer, halves to the even one: ``np.rint``.

    >>> rint(Variable(np.array([-1.5, 0.5, 1.7])))
    variable([-2.  0.  2.])
    """
    return Rint()(x)


@documented
def fix(x: Operand, out: None = None) -> Variable:
    """Round each element towards 0: ``np.fix``.

    Raises TypeError: if `x` is complex, as in NumPy.

    >>> fix(Variable(np.array([-1.5, 0.5, 1.7])))
    variable([-1.  0.  1.])
    """
    refuse_out("fix", out)
    return Fix()(x)


@documented
def round(a: Operand, decimals: int = 0, out: None = None) -> Variable:
    """Round each element to decimals: ``np.round``, ``np.around``, ``a.round()``.

    a: any shape; of complex numbers both parts are rounded.
    decimals: how many; negative ones count to the left of the point. Halves go to the even digit.
    Raises VariableTypeError (TypeError): if `a` is no number, or `decimals` is a Variable.

    >>> round(Variable(np.array([0.5, 2.345])), 1)
    variable([0.5 2.3])
    """
    refuse_out("round", out)
    return Round(decimals)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def from_integers(x: Array) -> Array:
        return np.abs(x - np.rint(x))

    sample = elementwise((-3.0, 3.0), apart=from_integers)
    register("floor", floor, Floor, numpy=np.floor, sample=sample)
    register("ceil", ceil, Ceil, numpy=np.ceil, sample=sample)
    register("trunc", trunc, Trunc, numpy=np.trunc, sample=sample)
    register("fix", fix, Fix, numpy=np.fix, sample=sample)
    # Between the jumps, in the imaginary part too.
    steps = (-2.4, -1.6), (-0.4, 0.4), (0.6, 1.4)
    calls = tuple(call for step in steps for call in elementwise(step).calls)
    register("rint", rint, Rint, numpy=np.rint, sample=Sample(calls, complex=True))
    calls += Call(Draw((2, 3), (0.275, 0.325)), 1), Call(Draw((3,), (6.0, 14.0)), decimals=-1)
    sample = Sample(calls, complex=True)
    register("round", round, Round, methods="round", numpy=(np.round, np.around), sample=sample)
