"""Helpers that transforms share: docstrings, lengths of axes, norms, bins that stand for two."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from dezero_core.extend import Array, placed

from ..arguments import refuse_out
from ..declaring import LinearMap
from ..docstrings import sharing

documented = sharing(
    """
    Norm ({"backward", "ortho", "forward"}, optional):
    a: real or complex, at least one-dimensional.
    n: how many elements are transformed: `a` is cropped, or zeros are appended. By default all.
    s (sequence of int, optional): to which lengths the axes are cropped, or padded with zeros; -1
        for that of `a`. By default all are. It asks for `axes`.
    Derivative: the matrix of the transform; elements that were cropped get 0.
    Raises AxisError or IndexError: if `a` has no such axis.
    Raises ValueError: if there are no elements to transform, or `norm` is none of the three.
    """
)

Norm = Literal["backward", "ortho", "forward"] | None
Steps = list[tuple[int, int]]

SWAPPED: dict[Norm, Norm] = {
    None: "forward",
    "backward": "forward",
    "ortho": "ortho",
    "forward": "backward",
}
"""The norm under which an inverse transform is divided as the transform is."""


class AlongOne(LinearMap):
    """A transform along one axis."""

    transform: Any

    def __init__(
        self, n: int | None = None, axis: int = -1, norm: Norm = None, out: None = None
    ) -> None:
        refuse_out(self, out)
        self.n, self.axis, self.norm = n, axis, norm

    def forward(self, a: Array) -> Array:
        y = self.transform(a, self.n, self.axis, self.norm)
        self.length = a.shape[self.axis]
        return y


class AlongSeveral(LinearMap):
    """A transform along one axis after the other, the last one first."""

    def __init__(
        self, s: Any = None, axes: Any = None, norm: Norm = None, out: None = None
    ) -> None:
        refuse_out(self, out)
        self.s, self.axes, self.norm = s, axes, norm


class AlongTwo(AlongSeveral):
    """A transform along two axes."""

    def __init__(
        self, s: Any = None, axes: Any = (-2, -1), norm: Norm = None, out: None = None
    ) -> None:
        super().__init__(s, axes, norm, out)


class Resize(LinearMap):
    """An axis is cropped, or zeros are appended; the gradient goes back to the length it had."""

    def __init__(self, n: int, axis: int) -> None:
        self.n, self.axis = n, axis

    def forward(self, x: Array) -> Array:
        shape = list(x.shape)
        self.length, shape[self.axis] = shape[self.axis], self.n
        kept: list[Any] = [slice(None)] * x.ndim
        kept[self.axis] = slice(min(self.n, self.length))
        if self.n <= self.length:
            return x[tuple(kept)]
        return placed(x, tuple(shape), tuple(kept), once=True)

    def backward(self, gy: Array) -> Array:
        return Resize(self.length, self.axis).of(gy)


def resized(x: Array, n: int, axis: int) -> Array:
    """Return `x`, an array or a Variable, with `n` elements along `axis`."""
    return x if x.shape[axis] == n else Resize(n, axis).of(x)


def transposed(transform: Any, gy: Array, steps: Steps, norm: Norm) -> Array:
    """Return the gradient of complex transforms, which have symmetric matrices.

    `steps` are the axes, the last that was transformed first, with the lengths to go back to.
    """
    for axis, length in steps:
        gy = resized(transform(None, axis, norm).of(gy), length, axis)
    return gy


def weighted(x: Array, n: int, axis: int, weight: float) -> Array:
    """Return the bins `x` of `n` real numbers, times `weight` where a bin stands for two.

    Bin k stands for bin n - k as well, but bin 0 and, of an even number, that in the middle.
    """
    weights = np.full(n // 2 + 1, weight, np.finfo(x.dtype).dtype)
    weights[0] = 1.0
    if n % 2 == 0:
        weights[-1] = 1.0
    return x * weights.reshape([-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])


def steps_of(shape: tuple[int, ...], s: Any, axes: Any) -> list[tuple[int, int | None]]:
    """Return each axis to transform, and to which length, as NumPy understands `s` and `axes`."""
    if axes is None:
        axes = range(-len(shape if s is None else s), 0)
    lengths = [shape[axis] for axis in axes]
    given = [None] * len(lengths) if s is None else s
    return [
        # None is, in s, whatever length the axis has when its turn comes.
        (axis, length if s is None or n == -1 else n)
        for axis, n, length in zip(axes, given, lengths, strict=True)
    ]


def undone(lengths: list[int], steps: Iterable[tuple[int, int | None]]) -> Steps:
    """Return for each step, the last first, the axis and its length before.

    `lengths` are those of all axes, and become what they are after the last step. The same
    axis may come several times.
    """
    before: Steps = []
    for axis, n in steps:
        before.append((axis, lengths[axis]))
        lengths[axis] = lengths[axis] if n is None else n
    return before[::-1]
