"""interp: a function that is known at points, linear between them."""

from __future__ import annotations

import numpy as np

from dezero_core import Function
from dezero_core.extend import Array, Operand

from ..arguments import data_of
from ..declaring import Call, Draw, operation
from .positions import AddAt, taken


class Interp(Function):
    """Linear interpolation between points: ``np.interp``.

    x: where the function is asked for. Real.
    xp: the points where it is known: one axis, increasing, unless there is a `period`.
    fp: its values there; may be complex.
    left, right: its value before the first point and beyond the last; by default theirs. Constants.
    period: with which it repeats; `left` and `right` then say nothing. A constant.
    Returns: shape of `x`, in double precision.
    Derivative: by `x`, the slope, at a point that of the piece to its right (at the last one, to
        its left), and 0 outside; by `fp`, the weights of the two points beside; by `xp`, minus the
        slope times these weights.
    Raises ValueError: if `xp` and `fp` differ in length, are empty or no vectors, or `period` is 0.
    Raises TypeError: if `x` or `xp` is complex, or `left`, `right` or `period` a Variable.

    >>> x, xp = Variable(np.array([0.5, 2.0])), np.array([0.0, 1.0, 3.0])
    >>> y = interp(x, xp, np.array([0.0, 2.0, 8.0]))
    >>> y.backward()
    >>> y, x.grad
    (variable([1. 5.]), array([2., 3.]))
    """

    def __init__(
        self, left: float | None = None, right: float | None = None, period: float | None = None
    ) -> None:
        self.left, self.right, self.period = left, right, period

    def forward(self, x: Operand, xp: Array, fp: Array) -> Array:
        if np.iscomplexobj(x) or np.iscomplexobj(xp):  # with a period NumPy would drop a part
            raise TypeError("np.interp takes no complex x or xp.")
        return np.interp(x, xp, fp, self.left, self.right, self.period)

    def backward(self, gy: Array) -> tuple[Array, Array, Array]:
        # dy = slope dx + w0 (df0 - slope dx0) + w1 (df1 - slope dx1), with weights w of both ends.
        x, xp, fp = (self.inputs[index].data for index in range(3))
        # As np.interp does, in double precision: integers of few bits would overflow.
        fp = fp * np.float64(1.0)
        if self.period is not None:
            period = np.float64(abs(self.period))
            x, xp = x % period, xp % period
        numbers, shifts = self._knots(data_of(xp))
        knots, at = taken(data_of(xp), numbers) + shifts, data_of(x)
        before = np.searchsorted(knots, at, side="right") - 1
        before = np.maximum(np.minimum(before, len(knots) - 2), 0)
        after = np.minimum(before + 1, len(knots) - 1)
        i, j = taken(numbers, before), taken(numbers, after)
        x0, x1 = taken(xp, i) + taken(shifts, before), taken(xp, j) + taken(shifts, after)
        below, above = at < knots[0], at > knots[-1]
        empty = taken(knots, before) == taken(knots, after)
        between = ~(below | above | empty)
        width = x1 - x0 + empty
        w0 = np.where(between, (x1 - x) / width, below)
        w1 = np.where(between, (x - x0) / width, ~below)
        slope = np.where(between, (taken(fp, j) - taken(fp, i)) / width, 0.0)

        def to_ends(g: Array) -> Array:
            return AddAt(i, xp.shape).of(g * w0) + AddAt(j, xp.shape).of(g * w1)

        by_x, by_xp, by_fp = self.needs_grad
        own = (below & (self.left is not None)) | (above & (self.right is not None))
        return (
            gy * slope if by_x else None,
            -to_ends(gy * slope) if by_xp else None,
            to_ends(gy * ~own) if by_fp else None,
        )

    def _knots(self, xp: Array) -> tuple[Array, Array]:
        """Return the points in order, and the shift of each: with a period, one more a side."""
        if self.period is None:
            return np.arange(len(xp)), np.zeros(len(xp))
        order = np.argsort(xp)
        shifts = np.zeros(len(xp) + 2)
        shifts[0], shifts[-1] = -abs(self.period), abs(self.period)
        return np.concatenate([order[-1:], order, order[:1]]), shifts


def _from_points(x: Array, xp: Array, fp: Array) -> Array:
    others = (xp[:, None] - xp)[np.triu_indices(len(xp), 1)]
    distances = np.concatenate([np.subtract.outer(x, xp).ravel(), others])
    return np.abs((distances + 1.25) % 2.5 - 1.25)


_X, _WIDE, _FP = Draw((3,), (0.0, 3.0)), Draw((2, 2), (-2.0, 5.0)), Draw((4,))
_XP = Draw((4,), (-0.3, 0.3), plus=np.arange(4.0))

interp = operation(
    Interp,
    *(Call(_X, _XP, _FP), Call(_WIDE, _XP, _FP), Call(_WIDE, _XP, _FP, left=2.0)),
    *(Call(_WIDE, _XP, _FP, None, -1.5), Call(_WIDE, _XP, _FP, 0.0, 0.0)),
    *(Call(_WIDE, _XP, _FP, period=2.5), Call(_WIDE, _XP, _FP, 1.0, 2.0, -2.5)),
    *(Call(Draw(), _XP, _FP), Call(Draw((0, 2)), _XP, _FP), Call(_WIDE, Draw((1,)), Draw((1,)))),
    Call(_WIDE, Draw((1,)), Draw((1,)), period=2.5),
    Call(_WIDE, Draw((2,), (0.0, 0.5), plus=np.arange(2.0)), Draw((2,))),
    apart=_from_points,
    complex=False,
)
