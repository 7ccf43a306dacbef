"""Rounding to integers, or to decimals: constant between its jumps."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core.extend import Array, Operand

from ..arguments import refuse_out
from ..declaring import Call, Draw, Elementwise, Sample, elementwise, operation
from ..docstrings import Field, sharing

documented = sharing(
    "Derivative: 0, also at the jumps.",
    error=Field("Raises TypeError", "", "if NumPy does not round numbers of that dtype."),
)


class _Rounding(Elementwise):
    """Constant between its jumps: the derivative is 0."""

    saves = ()
    rounded: Any

    def forward(self, x: Operand) -> Array:
        return self.rounded(x)

    def backward(self, gy: Array) -> Array:
        return np.zeros(gy.shape, gy.dtype)


class Floor(_Rounding):
    """Round each element down: ``np.floor``.

    >>> floor(Variable(np.array([-1.5, 0.5, 1.7])))
    variable([-2.  0.  1.])
    """

    rounded = staticmethod(np.floor)


class Ceil(_Rounding):
    """Round each element up: ``np.ceil``.

    >>> ceil(Variable(np.array([-1.5, 0.5, 1.7])))
    variable([-1.  1.  2.])
    """

    rounded = staticmethod(np.ceil)


class Trunc(_Rounding):
    """Round each element towards 0: ``np.trunc``.

    >>> trunc(Variable(np.array([-1.5, 0.5, 1.7])))
    variable([-1.  0.  1.])
    """

    rounded = staticmethod(np.trunc)


class Rint(_Rounding):
    """Round each element to the nearest integer, halves to the even one: ``np.rint``.

    >>> rint(Variable(np.array([-1.5, 0.5, 1.7])))
    variable([-2.  0.  2.])
    """

    rounded = staticmethod(np.rint)


class Fix(_Rounding):
    """Round each element towards 0: ``np.fix``.

    Raises TypeError: if `x` is complex, as in NumPy.

    >>> fix(Variable(np.array([-1.5, 0.5, 1.7])))
    variable([-1.  0.  1.])
    """

    rounded = staticmethod(np.fix)

    def __init__(self, out: None = None) -> None:
        refuse_out(self, out)


class Round(_Rounding):
    """Round each element to decimals: ``np.round``, ``np.around``, ``a.round()``.

    a: any shape; of complex numbers both parts are rounded.
    decimals: how many; negative ones count to the left of the point. Halves go to the even digit.
    Raises VariableTypeError (TypeError): if `a` is no number, or `decimals` is a Variable.

    >>> round(Variable(np.array([0.5, 2.345])), 1)
    variable([0.5 2.3])
    """

    def __init__(self, decimals: int = 0, out: None = None) -> None:
        refuse_out(self, out)
        self.decimals = decimals

    def forward(self, a: Operand) -> Array:
        return np.round(a, self.decimals)


def _from_integers(x: Array) -> Array:
    return np.abs(x - np.rint(x))


_SAMPLE = elementwise((-3.0, 3.0), apart=_from_integers)
# Between the jumps, in the imaginary part too.
_STEPS = Sample(*map(elementwise, ((-2.4, -1.6), (-0.4, 0.4), (0.6, 1.4))), complex=True)

floor = operation(Floor, _SAMPLE)
ceil = operation(Ceil, _SAMPLE)
trunc = operation(Trunc, _SAMPLE)
fix = operation(Fix, _SAMPLE)
rint = operation(Rint, _STEPS)
round = operation(
    Round, _STEPS, Call(Draw((2, 3), (0.275, 0.325)), 1), Call(Draw((3,), (6.0, 14.0)), decimals=-1)
)
