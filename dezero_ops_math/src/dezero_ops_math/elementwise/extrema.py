"""The larger and the smaller of two, elementwise.

Where both are extreme, each gets half of the gradient: the one choice that treats them alike.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand, certain

from ..docstrings import documented
from ..masking import kept_each


def _is_nan(x: Array) -> Array:
    # Not np.isnan, which takes no Python integer beyond 64 bits.
    return np.not_equal(x, x)


class _Extreme(Function):
    """The gradient goes to the operand that was chosen, half to each where it was no choice."""

    elementwise = True
    beats: Callable[..., Array]
    #: Whether nan is chosen rather than a number.
    nan_wins: bool

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        chosen = self.beats(x0, x1), self.beats(x1, x0)
        if not certain((chosen[0] ^ chosen[1]).all()):  # somewhere they are equal, or nan
            nan = _is_nan(x0), _is_nan(x1)
            chosen = chosen[0] | nan[not self.nan_wins], chosen[1] | nan[self.nan_wins]
            tie = chosen[0] == chosen[1]
            gy = gy * (1.0 - 0.5 * tie).astype(gy.dtype)
            chosen = chosen[0] | tie, chosen[1] | tie
        return kept_each(gy, chosen, self.needs_grad)


class Maximum(_Extreme):
    """The gradient goes to the larger operand; half to each where they are equal."""

    beats = staticmethod(np.greater)
    nan_wins = True

    def forward(self, x0: Array, x1: Array) -> Array:
        return np.maximum(x0, x1)


class Minimum(_Extreme):
    """The gradient goes to the smaller operand; half to each where they are equal."""

    beats = staticmethod(np.less)
    nan_wins = True

    def forward(self, x0: Array, x1: Array) -> Array:
        return np.minimum(x0, x1)


class Fmax(_Extreme):
    """The gradient goes to the larger operand, or the one that is not nan."""

    beats = staticmethod(np.greater)
    nan_wins = False

    def forward(self, x0: Array, x1: Array) -> Array:
        return np.fmax(x0, x1)


class Fmin(_Extreme):
    """The gradient goes to the smaller operand, or the one that is not nan."""

    beats = staticmethod(np.less)
    nan_wins = False

    def forward(self, x0: Array, x1: Array) -> Array:
        return np.fmin(x0, x1)


@documented
def maximum(x0: Operand, x1: Operand) -> Variable:
    """The larger of two, elementwise: ``np.maximum``.

    x0, x1: of shapes that broadcast. nan wins, as in NumPy.
    Derivative: 1 for the larger, 0 for the other, 1/2 for both where they are equal, or both nan.
    Raises ValueError: if the shapes do not broadcast.

    >>> maximum(Variable(np.array([-1.0, 2.0, np.nan])), 0.0)
    variable([ 0.  2. nan])
    """
    return Maximum()(x0, x1)


@documented
def minimum(x0: Operand, x1: Operand) -> Variable:
    """The smaller of two, elementwise: ``np.minimum``.

    x0, x1: of shapes that broadcast. nan wins, as in NumPy.
    Derivative: 1 for the smaller, 0 for the other, 1/2 for both where they are equal, or both nan.
    Raises ValueError: if the shapes do not broadcast.

    >>> minimum(Variable(np.array([-1.0, 2.0, np.nan])), 0.0)
    variable([-1.  0. nan])
    """
    return Minimum()(x0, x1)


@documented
def fmax(x0: Operand, x1: Operand) -> Variable:
    """The larger of two, elementwise: ``np.fmax``.

    x0, x1: of shapes that broadcast. A number wins over nan, as in NumPy.
    Derivative: 1 for the larger, 0 for the other, 1/2 for both where they are equal, or both nan.
    Raises ValueError: if the shapes do not broadcast.

    >>> fmax(Variable(np.array([-1.0, 2.0, np.nan])), 0.0)
    variable([0. 2. 0.])
    """
    return Fmax()(x0, x1)


@documented
def fmin(x0: Operand, x1: Operand) -> Variable:
    """The smaller of two, elementwise: ``np.fmin``.

    x0, x1: of shapes that broadcast. A number wins over nan, as in NumPy.
    Derivative: 1 for the smaller, 0 for the other, 1/2 for both where they are equal, or both nan.
    Raises ValueError: if the shapes do not broadcast.

    >>> fmin(Variable(np.array([-1.0, 2.0, np.nan])), 0.0)
    variable([-1.  0.  0.])
    """
    return Fmin()(x0, x1)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def between(x0: Array, x1: Array) -> Array:
        return np.abs(x0 - x1)

    sample = elementwise((-3.0, 3.0), (-3.0, 3.0), apart=between, complex=True)
    register("maximum", maximum, Maximum, numpy=np.maximum, sample=sample)
    register("minimum", minimum, Minimum, numpy=np.minimum, sample=sample)
    register("fmax", fmax, Fmax, numpy=np.fmax, sample=sample)
    register("fmin", fmin, Fmin, numpy=np.fmin, sample=sample)
