"""The larger and the smaller of two, elementwise.

Where both are extreme, each gets half of the gradient: the one choice that treats them alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..masking import kept_each


def _is_nan(x: Array) -> Array:
    # Not np.isnan, which takes no Python integer beyond 64 bits.
    return np.not_equal(x, x)


class _Extreme(Function):
    """The gradient goes to the operand that was chosen, half to each where it was no choice."""

    beats: Callable[..., Array]
    #: Whether nan is chosen rather than a number.
    nan_wins: bool

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        chosen = self.beats(x0, x1), self.beats(x1, x0)
        if not (chosen[0] ^ chosen[1]).all():  # somewhere they are equal, or nan
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


def _extreme(
    function_class: type[Function], ufunc: Callable[..., Any], which: str, nan: str
) -> Callable[[Operand, Operand], Variable]:
    name = ufunc.__name__

    def function(x0: Operand, x1: Operand) -> Variable:
        return function_class()(x0, x1)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The {which} of two, elementwise: ``np.{name}``.

    Parameters
    ----------
    x0, x1 : Variable, ndarray or number
        Of shapes that broadcast. {nan}, as in NumPy.

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative: 1 for the {which}, 0 for the
        other, 1/2 for both where they are equal, or both nan.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Source: ``numpy.{name}``.

    Examples
    --------
    >>> {name}(Variable(np.array([-1.0, 2.0, np.nan])), 0.0)
    variable({ufunc(np.array([-1.0, 2.0, np.nan]), 0.0)})
    """
    return function


maximum = _extreme(Maximum, np.maximum, "larger", "nan wins")
minimum = _extreme(Minimum, np.minimum, "smaller", "nan wins")
fmax = _extreme(Fmax, np.fmax, "larger", "A number wins over nan")
fmin = _extreme(Fmin, np.fmin, "smaller", "A number wins over nan")


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def between(x0: Array, x1: Array) -> Array:
        return np.abs(x0 - x1)

    sample = elementwise((-3.0, 3.0), (-3.0, 3.0), apart=between, complex=True)
    register("maximum", maximum, Maximum, numpy=np.maximum, sample=sample)
    register("minimum", minimum, Minimum, numpy=np.minimum, sample=sample)
    register("fmax", fmax, Fmax, numpy=np.fmax, sample=sample)
    register("fmin", fmin, Fmin, numpy=np.fmin, sample=sample)
