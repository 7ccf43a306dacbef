"""The same elements in other places, and repeated."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dezero_core.extend import Array, Operand, placed

from ..arguments import Axis
from ..declaring import Call, Draw, LinearMap, operation
from ..gradients import summed_to
from .axes import documented as documented
from .axes import fixed


class Flip(LinearMap):
    """Reverse the order along axes: ``np.flip``.

    axis: the axes to reverse; all by default.

    >>> flip(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), axis=0)
    variable([[3. 4.]
              [1. 2.]])
    """

    def __init__(self, axis: Axis = None) -> None:
        self.axis = fixed(axis)

    def forward(self, m: Operand) -> Array:
        return np.flip(m, self.axis)

    def backward(self, gy: Array) -> Array:
        return np.flip(gy, self.axis)


class FlipLR(LinearMap):
    """Reverse the order along the second axis: ``np.fliplr``.

    Raises ValueError: if `m` has fewer than two axes.

    >>> fliplr(Variable(np.array([[1.0, 2.0]])))
    variable([[2. 1.]])
    """

    def forward(self, m: Array) -> Array:
        return np.fliplr(m)

    def backward(self, gy: Array) -> Array:
        return np.flip(gy, 1)


class FlipUD(LinearMap):
    """Reverse the order along the first axis: ``np.flipud``.

    Raises ValueError: if `m` has no axis.

    >>> flipud(Variable(np.array([1.0, 2.0])))
    variable([2. 1.])
    """

    def forward(self, m: Array) -> Array:
        return np.flipud(m)

    def backward(self, gy: Array) -> Array:
        return np.flip(gy, 0)


class Roll(LinearMap):
    """Move elements on; those beyond the end come in at the beginning: ``np.roll``.

    shift (int or tuple of int): by how many positions; several for several axes.
    axis: with None, all elements move as if they were along one axis.
    Returns: shape of `a`.
    Raises ValueError: if `shift` and `axis` are not as many.
    Raises VariableTypeError (TypeError): if `shift` is a Variable: it has no derivative.

    >>> roll(Variable(np.array([1.0, 2.0, 3.0])), 1)
    variable([3. 1. 2.])
    """

    def __init__(self, shift: Any, axis: Axis = None) -> None:
        self.shift, self.axis = fixed(shift), fixed(axis)

    def forward(self, a: Operand) -> Array:
        return np.roll(a, self.shift, self.axis)

    def backward(self, gy: Array) -> Array:
        # As Python's integers: an unsigned one has no negative, and NumPy cuts off fractions.
        back = [-int(shift) for shift in np.ravel(self.shift)]
        return np.roll(gy, back, self.axis)


class Rot90(LinearMap):
    """Turn by right angles: ``np.rot90``.

    k: by how many; negative for the other way round.
    axes (tuple of int): the plane; turned from the first axis to the second.
    Raises ValueError: if `axes` are not two different axes of `m`.

    >>> rot90(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([[2. 4.]
              [1. 3.]])
    """

    def __init__(self, k: int = 1, axes: Any = (0, 1)) -> None:
        self.k, self.axes = k, fixed(axes)

    def forward(self, m: Array) -> Array:
        return np.rot90(m, self.k, self.axes)

    def backward(self, gy: Array) -> Array:
        return np.rot90(gy, 4 - self.k % 4, self.axes)


class Repeat(LinearMap):
    """Repeat each element: ``np.repeat``, ``x.repeat(2)``.

    repeats (int or array of int): how often; an array says it for each position along `axis`.
    axis: None repeats all elements, along one axis.
    Returns: shape and dtype as NumPy gives them.
    Derivative: 1 for every repetition; they add up.
    Raises ValueError: if `repeats` is negative, or does not fit the axis.
    Raises VariableTypeError (TypeError): if `repeats` is a Variable: it has no derivative.

    >>> x = Variable(np.array([1.0, 2.0]))
    >>> y = repeat(x, [1, 3])
    >>> y.backward()
    >>> y, x.grad
    (variable([1. 2. 2. 2.]), array([1., 3.]))
    """

    def __init__(self, repeats: Any, axis: int | None = None) -> None:
        self.repeats, self.axis = repeats, axis

    def forward(self, a: Operand) -> Array:
        y = np.repeat(a, self.repeats, self.axis)
        self.from_shape = np.shape(a)
        self.counts = np.array(self.repeats).astype(np.intp)
        return y

    def backward(self, gy: Array) -> Array:
        shape, axis = self.from_shape, self.axis
        if axis is None or not shape:
            shape, axis = (math.prod(shape),), 0
        axis %= len(shape)
        if self.counts.size == 1:
            runs = (*shape[:axis], shape[axis], int(self.counts.item()), *shape[axis + 1 :])
            once = (*runs[: axis + 1], 1, *runs[axis + 2 :])
            return summed_to(gy.reshape(runs), once).reshape(self.from_shape)
        return _SumRuns(self.counts, axis).of(gy).reshape(self.from_shape)


class _SumRuns(LinearMap):
    """Sums as many elements as `counts` says at a time: the opposite of `Repeat`."""

    def __init__(self, counts: Array, axis: int) -> None:
        self.counts, self.axis = counts, axis

    def forward(self, gy: Array) -> Array:
        starts = np.cumsum(self.counts) - self.counts
        some = self.counts > 0  # reduceat takes no sums of nothing
        exact = np.result_type(gy.dtype, np.float64)
        shape = (*gy.shape[: self.axis], len(some), *gy.shape[self.axis + 1 :])
        before = (slice(None),) * self.axis
        if not isinstance(gy, np.ndarray):  # of another type it need not have reduceat
            numbers = np.repeat(np.arange(len(some)), self.counts)
            return placed(gy.astype(exact), shape, (*before, numbers)).astype(gy.dtype)
        sums = np.add.reduceat(gy, starts[some], self.axis, exact).astype(gy.dtype)
        if some.all():
            return sums
        return placed(sums, shape, (*before, some), once=True)

    def backward(self, ggx: Array) -> Array:
        return Repeat(self.counts, self.axis).of(ggx)


class Tile(LinearMap):
    """Repeat a whole array: ``np.tile``.

    reps (int or sequence of int): how often along each axis; what is shorter, `reps` or the shape
        of `A`, is filled up with ones in front.
    Returns: shape and dtype as NumPy gives them.
    Derivative: 1 for every repetition; they add up.
    Raises ValueError: if `reps` is negative.
    Raises VariableTypeError (TypeError): if `reps` is a Variable: it has no derivative.

    >>> tile(Variable(np.array([1.0, 2.0])), (2, 2))
    variable([[1. 2. 1. 2.]
              [1. 2. 1. 2.]])
    """

    def __init__(self, reps: Any) -> None:
        self.reps = reps

    def forward(self, A: Operand) -> Array:  # noqa: N803 (NumPy's name)
        self.from_shape = np.shape(A)
        return np.tile(A, self.reps)

    def backward(self, gy: Array) -> Array:
        shape = self.from_shape
        # Each axis as two: which tile, and where in it.
        tiles: list[int] = []
        once: list[int] = []
        for long, n in zip(gy.shape, (1,) * (gy.ndim - len(shape)) + shape, strict=True):
            tiles += long // max(n, 1), n
            once += 1, n
        return summed_to(gy.reshape(tuple(tiles)), tuple(once)).reshape(shape)


_A, _DEEP, _ROW, _EMPTY = Draw((2, 3)), Draw((2, 3, 2)), Draw((3,)), Draw((0, 2))
_DEEP2, _ROW2, _POINT = Draw((2, 3, 4)), Draw((5,)), Draw()

flip = operation(
    Flip,
    *(Call(_A), Call(_A, 0), Call(_DEEP, axis=(0, -1)), Call(_DEEP, [2]), Call(_ROW, -1)),
    *(Call(Draw()), Call(_EMPTY, 1), Call(_A, ()), Call(_DEEP, None)),
)
fliplr = operation(FlipLR, Call(_A), Call(_DEEP), Call(_EMPTY), Call(Draw((1, 1))))
flipud = operation(FlipUD, Call(_A), Call(_DEEP), Call(_EMPTY), Call(Draw((1, 1))), Call(_ROW))
roll = operation(
    Roll,
    *(Call(_ROW2, 2), Call(_ROW2, -7), Call(_A, 1), Call(_A, 1, 0), Call(_A, shift=-1, axis=-1)),
    *(Call(_DEEP2, (1, 2), (0, 2)), Call(_DEEP2, 2, (1, -1)), Call(_DEEP2, [1, -3], 2)),
    *(Call(_DEEP2, (1, 1), axis=(1, 1)), Call(_ROW2, (1, 2)), Call(_ROW2, np.uint8(2))),
    *(Call(_A, 0), Call(Draw(), 3), Call(_EMPTY, 1), Call(_EMPTY, 1, 1)),
    Call(_ROW2, np.array([3]), 0),
)
rot90 = operation(
    Rot90,
    *(Call(_A), Call(_A, 2), Call(_A, k=3), Call(_A, 4), Call(_A, -1), Call(_A, 0), Call(_A, -6)),
    *(Call(_DEEP2, 1, (1, 2)), Call(_DEEP2, 3, axes=[-1, 0]), Call(_EMPTY), Call(_A, np.uint8(1))),
)


repeat = operation(
    Repeat,
    *(Call(_A, 2), Call(_A, 3, 0), Call(_A, 2, axis=-1), Call(_A, 0), Call(_A, [2], 1)),
    *(Call(_A, [2, 0, 3], 1), Call(_A, np.array([1, 2]), 0), Call(_ROW, (0, 1, 0))),
    *(Call(_A, [1, 2, 0, 3, 1, 1]), Call(_A, [0, 0], 0), Call(Draw((2, 3, 2)), [1, 0, 4], -2)),
    *(Call(_POINT, 3), Call(_POINT, 2, 0), Call(_POINT, [2]), Call(_EMPTY, 2, 0)),
    *(Call(_EMPTY, [], 0), Call(_EMPTY, [3, 1], 1), Call(_EMPTY, 2), Call(_ROW, True)),
)
tile = operation(
    Tile,
    *(Call(_A, 2), Call(_A, (2, 1)), Call(_ROW, (2, 3)), Call(_A, (2, 1, 3)), Call(_A, 1)),
    *(Call(_POINT, 3), Call(_POINT, (2, 2)), Call(_POINT, ()), Call(_A, (0, 2)), Call(_A, ())),
    *(Call(_EMPTY, (2, 3)), Call(_A, np.array([1, 2])), Call(Draw((1, 3)), [3, 1])),
)
