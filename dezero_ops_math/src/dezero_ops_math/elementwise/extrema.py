"""The larger and the smaller of two, elementwise.

Where both are extreme, each gets half of the gradient: the one choice that treats them alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core.extend import Array, Operand, certain

from ..declaring import Elementwise, analytic, operation
from ..gradients import kept_each


def _is_nan(x: Array) -> Array:
    # Not np.isnan, which takes no Python integer beyond 64 bits.
    return np.not_equal(x, x)


class _Extreme(Elementwise):
    """The gradient goes to the operand that was chosen, half to each where it was no choice."""

    of_numpy: Any
    beats: Any
    #: Whether nan is chosen rather than a number.
    nan_wins: bool

    def forward(self, x0: Operand, x1: Operand) -> Array:
        return self.of_numpy(x0, x1)

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
    """The larger of two, elementwise: ``np.maximum``.

    x0, x1: of shapes that broadcast. nan wins, as in NumPy.
    Derivative: 1 for the larger, 0 for the other, 1/2 for both where they are equal, or both nan.

    >>> maximum(Variable(np.array([-1.0, 2.0, np.nan])), 0.0)
    variable([ 0.  2. nan])
    """

    of_numpy, beats = staticmethod(np.maximum), staticmethod(np.greater)
    nan_wins = True


class Minimum(_Extreme):
    """The smaller of two, elementwise: ``np.minimum``.

    x0, x1: of shapes that broadcast. nan wins, as in NumPy.
    Derivative: 1 for the smaller, 0 for the other, 1/2 for both where they are equal, or both nan.

    >>> minimum(Variable(np.array([-1.0, 2.0, np.nan])), 0.0)
    variable([-1.  0. nan])
    """

    of_numpy, beats = staticmethod(np.minimum), staticmethod(np.less)
    nan_wins = True


class Fmax(_Extreme):
    """The larger of two, elementwise: ``np.fmax``.

    x0, x1: of shapes that broadcast. A number wins over nan, as in NumPy.
    Derivative: 1 for the larger, 0 for the other, 1/2 for both where they are equal, or both nan.

    >>> fmax(Variable(np.array([-1.0, 2.0, np.nan])), 0.0)
    variable([0. 2. 0.])
    """

    of_numpy, beats = staticmethod(np.fmax), staticmethod(np.greater)
    nan_wins = False


class Fmin(_Extreme):
    """The smaller of two, elementwise: ``np.fmin``.

    x0, x1: of shapes that broadcast. A number wins over nan, as in NumPy.
    Derivative: 1 for the smaller, 0 for the other, 1/2 for both where they are equal, or both nan.

    >>> fmin(Variable(np.array([-1.0, 2.0, np.nan])), 0.0)
    variable([-1.  0.  0.])
    """

    of_numpy, beats = staticmethod(np.fmin), staticmethod(np.less)
    nan_wins = False


def _between(x0: Array, x1: Array) -> Array:
    return np.abs(x0 - x1)


_SAMPLE = analytic((-3.0, 3.0), (-3.0, 3.0), apart=_between)

maximum = operation(Maximum, _SAMPLE)
minimum = operation(Minimum, _SAMPLE)
fmax = operation(Fmax, _SAMPLE)
fmin = operation(Fmin, _SAMPLE)
