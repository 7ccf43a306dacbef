"""Differences of neighbours, and angles without jumps between them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import Array, Operand, new_zeros, placed

from ..declaring import Call, Draw, LinearMap, applying, operation
from .positions import as_one_type

_A, _B, _LINE = Draw((2, 3)), Draw((2, 4, 3)), Draw((5,))


def transposed_diff(gy: Array, n: int, axis: int, length: int) -> Array:
    """Return the gradient of an array, `length` long on `axis`, before ``np.diff(…, n, axis)``."""
    if n > length:  # each element is in no difference at all
        return np.zeros((*gy.shape[:axis], length, *gy.shape[axis + 1 :]), gy.dtype)
    for _ in range(n):
        gy = _Undiff(axis).of(gy)
    return gy


class _Undiff(LinearMap):
    """The transpose of ``np.diff``: of each element, the difference it ends less that it begins."""

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def forward(self, gy: Array) -> Array:
        before = (slice(None),) * self.axis
        shape = list(gy.shape)
        shape[self.axis] += 1
        ended, begun = (*before, slice(1, None)), (*before, slice(-1))
        if not isinstance(gy, np.ndarray):
            return placed(gy, tuple(shape), ended, True) - placed(gy, tuple(shape), begun, True)
        gx = new_zeros(gy, tuple(shape))
        gx[ended] = gy
        gx[begun] -= gy
        return gx

    def backward(self, ggx: Array) -> Array:
        return np.diff(ggx, axis=self.axis)


_NO_VALUE: Any = np._NoValue


class Diff(LinearMap):
    """The gradient's differences, zeros around it, with the other sign."""

    def __init__(self, n: int, axis: int, prepended: bool, appended: bool) -> None:
        self.n, self.axis, self.prepended, self.appended = n, axis, prepended, appended

    def forward(self, *parts: Array) -> Array:
        self.shapes = [np.shape(part) for part in parts]
        prepend = parts[0] if self.prepended else _NO_VALUE
        append = parts[-1] if self.appended else _NO_VALUE
        return np.diff(parts[self.prepended], self.n, self.axis, prepend, append)

    def backward(self, gy: Array) -> tuple[Array, ...]:
        axis = self.axis % gy.ndim
        # A number stands for a row of them.
        lengths = [shape[axis] if shape else 1 for shape in self.shapes]
        rest = transposed_diff(gy, self.n, axis, sum(lengths))
        if len(lengths) == 1:
            return (rest,)
        stops = np.cumsum(lengths)
        parts = (
            rest[(*[slice(None)] * axis, slice(stop - length, stop))]
            for length, stop in zip(lengths, stops, strict=True)
        )
        return tuple(
            part if shape else np.sum(part) for part, shape in zip(parts, self.shapes, strict=True)
        )


@applying(
    Diff,
    *(Call(_LINE), Call(_A), Call(_A, 1, 0), Call(_LINE, 2), Call(_LINE, n=3), Call(_LINE, 0)),
    *(Call(_A, 3), Call(_A, 7, axis=0), Call(_B, 2, axis=-2), Call(_LINE, prepend=Draw())),
    *(Call(_A, prepend=Draw((2, 2)), append=Draw((2, 1))), Call(_B, 2, 1, Draw(), Draw((2, 1, 3)))),
    *(Call(_A, axis=0, append=1.5), Call(_A, 0, 0, Draw((1, 3))), Call(Draw((1,)))),
    *(Call(Draw((0,))), Call(Draw((0, 3))), Call(Draw((0, 3)), 1, 0, Draw())),
)
def diff(
    a: Array, n: int = 1, axis: int = -1, prepend: Operand = _NO_VALUE, append: Operand = _NO_VALUE
) -> Variable:
    """Differences between neighbours along an axis: ``np.diff``.

    n: how often differences are taken.
    axis: along which.
    prepend, append: joined to `a` first; a number stands for a row of them.
    Returns: `n` shorter than `a`.
    Derivative: the differences of that of `a`.
    Raises ValueError: if `a` has no axis, `n` is negative, or shapes do not fit.

    >>> diff(Variable(np.array([1.0, 4.0, 9.0])), prepend=0.0)
    variable([1. 3. 5.])
    """
    # Without differences NumPy joins nothing; the type of array is still that of all.
    if n == 0:
        a = as_one_type((a, *(end for end in (prepend, append) if end is not _NO_VALUE)))[0]
    before, after = (n != 0 and end is not _NO_VALUE for end in (prepend, append))
    parts = (*(prepend,) * before, a, *(append,) * after)
    return Diff(n, axis, before, after)(*parts)


class EDiff1d(LinearMap):
    """The gradient's differences, zeros around it, with the other sign; its ends are cut off."""

    def __init__(self, ended: bool, begun: bool) -> None:
        self.ended, self.begun = ended, begun

    def forward(self, ary: Array, *ends: Array) -> Array:
        self.shapes = [np.shape(x) for x in (ary, *ends)]
        to_end = ends[0] if self.ended else None
        to_begin = ends[-1] if self.begun else None
        return np.ediff1d(ary, to_end, to_begin)

    def backward(self, gy: Array) -> tuple[Array, ...]:
        shape, *ends = self.shapes
        before = math.prod(ends[-1]) if self.begun else 0
        after = len(gy) - (math.prod(ends[0]) if self.ended else 0)
        gx = transposed_diff(gy[before:after], 1, 0, math.prod(shape))
        gradients = [gx.reshape(shape)]
        if self.ended:
            gradients.append(gy[after:].reshape(ends[0]))
        if self.begun:
            gradients.append(gy[:before].reshape(ends[-1]))
        return tuple(gradients)


@applying(
    EDiff1d,
    *(Call(_LINE), Call(_A), Call(_A, Draw((2,))), Call(_LINE, Draw(), Draw((1, 2)))),
    *(Call(_LINE, to_begin=Draw()), Call(Draw()), Call(Draw((0,)), Draw((1,)), 2.5)),
)
def ediff1d(
    ary: Operand, to_end: Operand | None = None, to_begin: Operand | None = None
) -> Variable:
    """Differences between neighbours in the flattened array: ``np.ediff1d``.

    to_end, to_begin: joined to the differences, flattened.
    Returns: one axis.
    Derivative: the differences of that of `ary`, and 1 for what was joined.
    Raises TypeError: if `to_end` or `to_begin` is of another kind of dtype than `ary`.

    >>> ediff1d(Variable(np.array([1.0, 4.0, 9.0])), to_begin=1.0)
    variable([1. 3. 5.])
    """
    ended, begun = to_end is not None, to_begin is not None
    return EDiff1d(ended, begun)(ary, *(to_end,) * ended, *(to_begin,) * begun)


class Unwrap(LinearMap):
    """Angles without jumps of a period: ``np.unwrap``.

    discont: the least jump that is taken away; half of `period` by default, and at least.
    axis: along which.
    period: what a jump is a multiple of.
    Returns: shape of `p`.
    Derivative: 1.

    >>> unwrap(Variable(np.array([0.0, 3.0, 2.0])), period=4)
    variable([ 0. -1. -2.])
    """

    linear = False

    def __init__(
        self, discont: float | None = None, axis: int = -1, *, period: float = 2 * np.pi
    ) -> None:
        self.discont, self.axis, self.period = discont, axis, period

    def forward(self, p: Array) -> Array:
        return np.unwrap(p, self.discont, self.axis, period=self.period)

    def backward(self, gy: Array) -> Array:
        return gy


def _from_jumps(p: Array) -> Array:
    step = np.abs(np.concatenate([np.diff(p, axis=axis).ravel() for axis in range(p.ndim)]))
    return np.abs(step / 1.5 - np.round(step / 1.5 - 0.5) - 0.5)


_FAR = Draw((3, 4), (-9.0, 9.0))

unwrap = operation(
    Unwrap,
    *(Call(Draw((4,), (-9.0, 9.0)), period=1.5), Call(_FAR, None, 0, period=1.5)),
    *(Call(_FAR, 2.25, axis=1, period=1.5), Call(Draw((4,))), Call(Draw((0, 3))), Call(Draw((1,)))),
    apart=_from_jumps,
    complex=False,
)
