"""Elements or whole arrays, several times."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand, placed

from ..broadcasting import summed_to
from ..docstrings import documented


class Repeat(Function):
    """An element gets the sum of the gradients of its repetitions."""

    saves = ()

    def __init__(self, repeats: Any, axis: int | None) -> None:
        self.repeats, self.axis = repeats, axis

    def forward(self, x: Array) -> Array:
        y = np.repeat(x, self.repeats, self.axis)
        self.from_shape = np.shape(x)
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


class _SumRuns(Function):
    """Sums as many elements as `counts` says at a time: the opposite of `Repeat`."""

    saves = ()

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


@documented
def repeat(a: Operand, repeats: Any, axis: int | None = None) -> Variable:
    """Repeat each element: ``np.repeat``, ``x.repeat(2)``.

    repeats (int or array of int): how often; an array says it for each position along `axis`.
    axis: None repeats all elements, along one axis.
    Derivative: 1 for every repetition; they add up.
    Raises ValueError: if `repeats` is negative, or does not fit the axis.
    Raises VariableTypeError (TypeError): if `repeats` is a Variable: numbers of repetitions have no
        derivative.

    >>> x = Variable(np.array([1.0, 2.0]))
    >>> y = repeat(x, [1, 3])
    >>> y.backward()
    >>> y, x.grad
    (variable([1. 2. 2. 2.]), array([1., 3.]))
    """
    return Repeat(repeats, axis)(a)


class Tile(Function):
    """An element gets the sum of the gradients of its repetitions."""

    saves = ()

    def __init__(self, reps: Any) -> None:
        self.reps = reps

    def forward(self, x: Array) -> Array:
        self.from_shape = np.shape(x)
        return np.tile(x, self.reps)

    def backward(self, gy: Array) -> Array:
        shape = self.from_shape
        # Each axis as two: which tile, and where in it.
        tiles: list[int] = []
        once: list[int] = []
        for long, n in zip(gy.shape, (1,) * (gy.ndim - len(shape)) + shape, strict=True):
            tiles += long // max(n, 1), n
            once += 1, n
        return summed_to(gy.reshape(tuple(tiles)), tuple(once)).reshape(shape)


@documented
def tile(A: Operand, reps: Any) -> Variable:  # noqa: N803 (NumPy's name)
    """Repeat a whole array: ``np.tile``.

    reps (int or sequence of int): how often along each axis; what is shorter, `reps` or the shape
        of `A`, is filled up with ones in front.
    Derivative: 1 for every repetition; they add up.
    Raises ValueError: if `reps` is negative.
    Raises VariableTypeError (TypeError): if `reps` is a Variable: numbers of repetitions have no
        derivative.

    >>> tile(Variable(np.array([1.0, 2.0])), (2, 2))
    variable([[1. 2. 1. 2.]
              [1. 2. 1. 2.]])
    """
    return Tile(reps)(A)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a, row, point, empty = Draw((2, 3)), Draw((3,)), Draw(), Draw((0, 2))
    calls: tuple[Call, ...] = Call(a, 2), Call(a, 3, 0), Call(a, 2, axis=-1), Call(a, 0)
    calls += Call(a, [2], 1), Call(a, [2, 0, 3], 1), Call(a, np.array([1, 2]), 0)
    calls += Call(row, (0, 1, 0)), Call(a, [1, 2, 0, 3, 1, 1]), Call(a, [0, 0], 0)
    calls += Call(Draw((2, 3, 2)), [1, 0, 4], -2), Call(point, 3), Call(point, 2, 0)
    calls += Call(point, [2]), Call(empty, 2, 0), Call(empty, [], 0), Call(empty, [3, 1], 1)
    calls += Call(empty, 2), Call(row, True)
    sample = Sample(calls, complex=True)
    register("repeat", repeat, Repeat, methods="repeat", numpy=np.repeat, sample=sample)
    calls = Call(a, 2), Call(a, (2, 1)), Call(row, (2, 3)), Call(a, (2, 1, 3)), Call(a, 1)
    calls += Call(point, 3), Call(point, (2, 2)), Call(point, ()), Call(a, (0, 2)), Call(a, ())
    calls += Call(empty, (2, 3)), Call(a, np.array([1, 2])), Call(Draw((1, 3)), [3, 1])
    register("tile", tile, Tile, numpy=np.tile, sample=Sample(calls, complex=True))
