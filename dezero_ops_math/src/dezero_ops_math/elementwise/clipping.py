"""Keeping elements within bounds.

In the closed interval the gradient is that of `a` itself, bounds included. To share it there
with a bound, as `maximum` does, would halve it each time the same is clipped again, and
elements that were clipped lie on a bound. (PyTorch and TensorFlow choose likewise.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand, certain

from ..arguments import refuse_out
from ..docstrings import documented
from ..masking import kept_each

_NOT_GIVEN: Any = np._NoValue


class Clip(Function):
    """The gradient goes to `a` in the closed interval, beyond it to the bound that was crossed."""

    elementwise = True

    def __init__(self, lower: bool, upper: bool) -> None:
        self.lower, self.upper = lower, upper

    def forward(self, a: Array, *bounds: Array) -> Array:
        return np.clip(a, *self._both(bounds))

    def _both(self, bounds: Any) -> tuple[Array, Array]:
        return bounds[0] if self.lower else None, bounds[-1] if self.upper else None

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        a, *bounds = (x.data for x in self.inputs)
        lower, upper = self._both(bounds)
        crossed = [np.less(a, lower)] if self.lower else []
        crossed += [np.greater(a, upper)] if self.upper else []
        if bounds and not certain(np.less_equal(bounds[0], bounds[-1]).all()):
            crossed = self._overruled(a, lower, upper, crossed)
        inside = ~(crossed[0] | crossed[-1]) if crossed else np.True_
        return kept_each(gy, (inside, *crossed), self.needs_grad)

    def _overruled(self, a: Array, lower: Array, upper: Array, crossed: list[Array]) -> list[Array]:
        """Return where bounds are crossed that are nan, or in the wrong order."""
        below = above = np.False_
        if self.lower:
            below = crossed[0] | np.not_equal(lower, lower)  # nan wins, as in NumPy
        if self.upper:
            above = crossed[-1] | np.not_equal(upper, upper)
        if self.lower and self.upper:
            # The lower bound comes first: the upper one overrules it, unless it is nan.
            above = (above | np.greater(lower, upper)) & np.equal(lower, lower)
            below = below & ~above
        number = np.equal(a, a)
        return [below & number] * self.lower + [above & number] * self.upper


@documented
def clip(
    a: Operand,
    a_min: Operand | None = _NOT_GIVEN,
    a_max: Operand | None = _NOT_GIVEN,
    out: None = None,
    *,
    min: Operand | None = _NOT_GIVEN,  # noqa: A002
    max: Operand | None = _NOT_GIVEN,  # noqa: A002
) -> Variable:
    """Keep elements within bounds: ``np.clip``, ``a.clip(min, max)``.

    a: any shape. nan stays nan.
    a_min, a_max: the bounds, of shapes that broadcast; None for no bound. Where the lower one is
        above the upper one, that is the result.
    min, max: other names of the bounds; one that is left out is None.
    Derivative: 1 for `a` where it is in the closed interval, also on a bound, and 0 for the bounds;
        beyond, 1 for the bound and 0 for `a`.
    Raises TypeError: if one of `a_min` and `a_max` is left out, as in NumPy.
    Raises ValueError: if a bound is given by both names, or the shapes do not broadcast.

    >>> x = Variable(np.array([-1.0, 0.0, 0.5, 7.0]))
    >>> y = clip(x, 0.0, 1.0)
    >>> y.backward()
    >>> y, x.grad
    (variable([0.  0.  0.5 1. ]), array([0., 1., 1., 0.]))
    """
    if a_min is _NOT_GIVEN and a_max is _NOT_GIVEN:
        a_min = None if min is _NOT_GIVEN else min
        a_max = None if max is _NOT_GIVEN else max
    elif a_min is _NOT_GIVEN or a_max is _NOT_GIVEN:
        missing = "a_min" if a_min is _NOT_GIVEN else "a_max"
        raise TypeError(f"clip() missing 1 required positional argument: '{missing}'")
    elif min is not _NOT_GIVEN or max is not _NOT_GIVEN:
        raise ValueError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is "
            "forbidden."
        )
    refuse_out("clip", out)
    bounds = [bound for bound in (a_min, a_max) if bound is not None]
    return Clip(a_min is not None, a_max is not None)(a, *bounds)


def _method(
    a: Operand,
    min: Operand | None = None,  # noqa: A002
    max: Operand | None = None,  # noqa: A002
    out: None = None,
) -> Variable:
    """Keep elements within bounds, as ndarray's method; see `clip`."""
    return clip(a, min, max, out)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def apart(a: Array, *bounds: Array) -> Array:
        # The bounds are drawn, or else the numbers -1 and 1.
        distances = [a - bound for bound in bounds] or [a - 1.0, a + 1.0]
        if len(bounds) == 2:
            distances.append(bounds[0] - bounds[1])
        return np.concatenate([np.ravel(np.abs(distance)) for distance in distances])

    a, row, column = Draw((2, 3)), Draw((3,)), Draw((2, 1))
    calls = (
        Call(a, -1.0, 1.0),
        Call(a, 1.0, -1.0),
        Call(a, -1.0, None),
        Call(a, None, 1.0),
        Call(a, None, None),
        Call(a, min=-1.0, max=1.0),
        Call(a, max=1.0),
        Call(a, a, a),
        Call(a, row, column),
        Call(row, a, Draw()),
        Call(a, row, None),
        Call(a, None, column),
        Call(a, min=row),
        Call(Draw(), -1.0, 1.0),
        Call(Draw(), Draw(), Draw()),
        Call(Draw((1,)), a, column),
        Call(Draw((0, 3)), row, 1.0),
    )
    sample = Sample(calls, apart=apart, complex=True)
    register("clip", clip, Clip, methods={"clip": _method}, numpy=np.clip, sample=sample)
