"""Elements picked by position or by condition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from dezero_core import Variable
from dezero_core.extend import Array, Operand, certain, is_lazy, placed

from ..arguments import data_of, refuse_out
from ..declaring import Call, Draw, LinearMap, applying
from .positions import OF_NUMPY, AddAt, Picked, as_one_type, fixed

_A, _B, _LINE = Draw((2, 3)), Draw((2, 3, 4)), Draw((5,))
_TABLE = np.array([[0, 2], [1, 1], [0, -1]])
_YES_NO = [True, False, True]
_MASK = np.array([[True, False, True], [False, True, True]])


class _PickedAlong(Picked):
    """Base class of functions that pick along an axis, or from the flattened array."""

    axis: int | None

    def rows(self, n: int) -> Array | None:
        """Return the positions picked of `n`, without an array of so many; None if unknown."""

    def backward(self, gy: Array) -> Array:
        shape, axis = self.shape, self.axis
        n = math.prod(shape) if axis is None or not shape else shape[axis]
        rows = self.rows(n) if is_lazy(data_of(gy)) else None
        if rows is None:
            return self.backward_of_values(gy)
        if axis is None or not shape:
            return AddAt(rows, shape).of(gy)
        return _Put(rows, axis % len(shape), shape).of(gy)

    def backward_of_values(self, gy: Array) -> Array:
        """Return the gradient, from the positions of all elements."""
        return super().backward(gy)


class Take(_PickedAlong):
    """Picks along an axis; the gradient goes back, added up where it was picked twice."""

    def __init__(self, indices: Any, axis: int | None, mode: Any) -> None:
        self.indices, self.axis, self.mode = indices, axis, mode

    def pick(self, x: Array) -> Array:
        if isinstance(x, np.ndarray) and not isinstance(self.indices, OF_NUMPY):
            x, _ = as_one_type((x, self.indices))  # np.take looks at the type of x alone
        return np.take(x, self.indices, axis=self.axis, mode=self.mode)

    def rows(self, n: int) -> Array | None:
        if not isinstance(self.indices, OF_NUMPY):
            return None
        at = np.asarray(self.indices).astype(np.intp)
        if self.mode == "clip":
            return np.clip(at, 0, n - 1)
        return at % n

    def backward_of_values(self, gy: Array) -> Array:
        shape, axis = self.shape, self.axis
        if axis is None:
            return super().backward_of_values(gy)
        # Not the positions of all elements: of a long table few rows may have been picked.
        axis = normalize_axis_index(axis, len(shape))
        n, before, after = shape[axis], math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
        rows = Take(self.indices, None, self.mode).pick(np.arange(n))
        if certain(np.max(np.bincount(rows.reshape(-1)), initial=0) < 2):
            return _Put(rows, axis, shape).of(gy)
        rows = rows.reshape(-1, 1)
        starts = n * np.arange(before).reshape(-1, 1, 1)
        at = (starts + rows) * after + np.arange(after)
        return AddAt(at.reshape(gy.shape), shape).of(gy)


class _Put(LinearMap):
    """Puts elements that were taken along an axis back into zeros.

    None was taken twice, or the array is lazy.
    """

    def __init__(self, rows: Array, axis: int, shape: tuple[int, ...]) -> None:
        self.rows, self.axis, self.shape = rows, axis, shape

    def forward(self, x: Array) -> Array:
        return placed(x, self.shape, (slice(None),) * self.axis + (self.rows,), once=True)

    def backward(self, gy: Array) -> Array:
        return Take(self.rows, self.axis, "raise").of(gy)


@applying(
    Take,
    *(Call(_LINE, [0, 0, -2]), Call(_LINE, 3), Call(_A, _TABLE), Call(_B, _TABLE, 1)),
    *(Call(_B, [1, 0, 1], axis=0), Call(_B, _TABLE, axis=-1), Call(_B, 2, 1), Call(Draw(), 0)),
    *(Call(Draw((1,)), [0, 0]), Call(_A, [], axis=1), Call(Draw((0, 3)), [2, 0], axis=1)),
    *(Call(_A, [7, -5, 2], mode="wrap"), Call(_B, [7, -5, 2], 1, mode="clip")),
    Call(_A, np.zeros((0, 2), int), axis=0),
)
def take(
    a: Operand, indices: Any, axis: int | None = None, out: None = None, mode: str = "raise"
) -> Variable:
    """Elements or rows by position: ``np.take``, ``x.take(indices)``.

    indices (int, sequence of int, ndarray of int, or Variable of such): any shape; copied.
    axis: along which to pick; of the flattened array by default.
    mode ({"raise", "wrap", "clip"}): what becomes of positions out of range.
    Returns: with the shape of `indices` in place of `axis`.
    Derivative: 1 for each element picked; one that is picked twice adds up.
    Raises IndexError: if a position is out of range.
    Raises TypeError: if `indices` are no integers.

    >>> x = Variable(np.array([1.0, 2.0, 3.0]))
    >>> y = take(x, [0, 0, 2])
    >>> y.backward()
    >>> y, x.grad
    (variable([1. 1. 3.]), array([2., 0., 1.]))
    """
    refuse_out("take", out)
    return Take(fixed(indices), axis, mode)(a)


class TakeAlongAxis(Picked):
    """Picks along an axis, elsewhere in each line of it."""

    def __init__(self, indices: Array, axis: int | None) -> None:
        self.indices, self.axis = indices, axis

    def pick(self, x: Array) -> Array:
        return np.take_along_axis(x, self.indices, self.axis)


@applying(
    TakeAlongAxis,
    *(Call(_A, np.array([[2, 0, 2], [0, 0, 1]]), axis=1), Call(_A, np.array([[1], [-1]]))),
    *(Call(_A, np.array([[1, 0, 1]]), 0), Call(_A, np.array([[0, 1]]), 1)),
    *(Call(Draw((1, 3)), np.array([[0, 1], [2, 2]]), axis=-1), Call(_A, np.array([5, 0, 0]), None)),
    *(Call(_B, np.array([[[1], [0], [2]]]), axis=1), Call(_LINE, np.array([4, 4, 0]), axis=0)),
    Call(Draw((2, 0)), np.zeros((2, 0), int), axis=1),
)
def take_along_axis(arr: Array, indices: Operand, axis: int | None = -1) -> Variable:
    """Elements at positions of their own in each line along an axis: ``np.take_along_axis``.

    indices (ndarray of int, or Variable of such): as ``np.argsort`` and, with ``keepdims=True``,
        ``np.argmax`` give them; copied.
    axis: along which to pick; None for the flattened array.
    Returns: of the shape of `indices`, where that does not broadcast.
    Derivative: 1 for each element picked; one that is picked twice adds up.
    Raises IndexError: if a position is out of range, or `indices` are no integers.
    Raises ValueError: if `indices` have not as many axes as `arr`.

    >>> x = Variable(np.array([[3.0, 1.0], [2.0, 4.0]]))
    >>> take_along_axis(x, np.argmax(x.data, axis=1, keepdims=True), axis=1)
    variable([[3.]
              [4.]])
    """
    return TakeAlongAxis(fixed(indices), axis)(arr)


class Compress(_PickedAlong):
    """Picks where a condition holds."""

    def __init__(self, condition: Any, axis: int | None) -> None:
        self.condition, self.axis = condition, axis

    def pick(self, x: Array) -> Array:
        return np.compress(self.condition, x, axis=self.axis)

    def rows(self, n: int) -> Array | None:
        return np.flatnonzero(self.condition) if isinstance(self.condition, OF_NUMPY) else None


def _compressed(a: Operand, condition: Any, axis: int | None = None, out: None = None) -> Variable:
    """Elements or rows where a condition holds; see `compress`."""
    return compress(condition, a, axis, out)


@applying(
    Compress,
    *(Call(_YES_NO, _LINE), Call(np.array(_YES_NO), _A, axis=1), Call(_YES_NO[:2], _A, -2)),
    *(Call(_YES_NO, _A), Call([0, 2, -1], _A, axis=-1), Call([False], _LINE), Call([], _LINE)),
    *(Call([True], Draw()), Call([True, True], Draw((0, 2)), axis=1)),
    methods={"compress": _compressed},
)
def compress(condition: Any, a: Operand, axis: int | None = None, out: None = None) -> Variable:
    """Elements or rows where a condition holds: ``np.compress``, ``x.compress(condition)``.

    condition (sequence or ndarray of bool, or Variable): one axis, which may be shorter; copied.
    axis: along which to pick; of the flattened array by default.
    Derivative: 1 for each element picked, 0 for the rest.
    Raises AxisError (ValueError, IndexError): if `a` has no such axis.
    Raises ValueError: if `condition` has not one axis.
    Raises IndexError: if it holds beyond the end of `a`.

    >>> compress([True, False, True], Variable(np.array([1.0, 2.0, 3.0])))
    variable([1. 3.])
    """
    refuse_out("compress", out)
    return Compress(fixed(condition), axis)(a)


class Extract(Compress):
    """Picks where a condition of the same size holds."""

    def __init__(self, condition: Any) -> None:
        super().__init__(condition, None)

    def pick(self, x: Array) -> Array:
        return np.extract(self.condition, x)


@applying(
    Extract,
    *(Call(_MASK, _A), Call(_MASK[0], _LINE), Call(_MASK, Draw((3, 4))), Call(True, Draw())),
    *(Call(_MASK[:0], Draw((0, 3))), Call(~_MASK & _MASK, _A)),
)
def extract(condition: Any, arr: Operand) -> Variable:
    """Elements where a condition holds, in one line: ``np.extract``.

    condition (ndarray of bool, or Variable): usually of the shape of `arr`; copied.
    Returns: one axis.
    Derivative: 1 for each element picked, 0 for the rest.
    Raises IndexError: if `condition` holds beyond the end of `arr`.

    >>> x = Variable(np.array([[-1.0, 2.0], [3.0, -4.0]]))
    >>> extract(x > 0, x)
    variable([2. 3.])
    """
    return Extract(fixed(condition))(arr)
