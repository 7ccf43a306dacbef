"""Elements added to arrays, and taken away."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import Array, Operand, is_lazy, placed

from ..arguments import data_of
from ..declaring import Call, Draw, LinearMap, applying, operation
from ..gradients import summed_to
from .positions import AddAt, PickAt, Picked, fixed, positions

_A, _B, _LINE = Draw((2, 3)), Draw((2, 3, 4)), Draw((3,))


class Append(LinearMap):
    """An array with another at its end: ``np.append``.

    arr, values: with `axis`, of shapes that are equal on all other axes.
    axis: along which they are joined; by default they are flattened.
    Derivative: 1 for every element.
    Raises ValueError: if shapes do not fit.
    Raises AxisError (ValueError, IndexError): if there is no such axis.

    >>> append(Variable(np.array([1.0, 2.0])), 3.0)
    variable([1. 2. 3.])
    """

    def __init__(self, axis: int | None = None) -> None:
        self.axis = axis

    def forward(self, arr: Operand, values: Operand) -> Array:
        self.shapes = np.shape(arr), np.shape(values)
        return np.append(arr, values, axis=self.axis)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        first, second = self.shapes
        if self.axis is None:
            n = math.prod(first)
            return gy[:n].reshape(first), gy[n:].reshape(second)
        n, before = first[self.axis], (slice(None),) * (self.axis % gy.ndim)
        return gy[(*before, slice(n))], gy[(*before, slice(n, None))]


class Insert(LinearMap):
    """The gradient of each array is picked from where its elements are."""

    def __init__(self, obj: Any, axis: int | None) -> None:
        self.obj, self.axis = obj, axis

    def forward(self, arr: Array, values: Array) -> Array:
        self.shapes = np.shape(arr), np.shape(values)
        return np.insert(arr, self.obj, values, self.axis)

    def backward(self, gy: Array) -> tuple[Array, Array]:
        if is_lazy(data_of(gy)) and not is_lazy(self.obj):
            return self._backward_of_lazy(gy)
        into, inserted = self.shapes
        n = math.prod(inserted)
        # Of `values` below 0: np.insert says for each element where it is from.
        origin = np.insert(positions(into), self.obj, positions(inserted) - n, self.axis)
        origin = origin.reshape(-1)
        old, new = np.flatnonzero(origin >= 0), np.flatnonzero(origin < 0)
        return (
            PickAt(old.reshape(into)).of(gy),  # they have kept their order
            AddAt(origin[new] + n, inserted).of(PickAt(new).of(gy)),
        )

    def _backward_of_lazy(self, gy: Array) -> tuple[Array, Array]:
        """Return the gradients, without an array of the size of `gy`."""
        into, inserted = self.shapes
        shape, axis = (into, self.axis) if self.axis is not None else ((math.prod(into),), 0)
        axis %= len(shape)
        # The number of new elements is known only once they were inserted, if `obj` is a number.
        new = _places_of_new(self.obj, shape[axis], gy.shape[axis] - shape[axis])
        of_new = np.take(gy, new, axis)
        if np.ndim(self.obj) == 0 and not isinstance(self.obj, slice):
            of_new = np.moveaxis(of_new, axis, 0)  # where np.insert takes the axis of `values` from
        padded = ((1,) * len(shape) + inserted)[-len(shape) :]
        return np.delete(gy, new, axis).reshape(into), summed_to(of_new, padded).reshape(inserted)


def _places_of_new(obj: Any, n: int, count: int) -> Array:
    """Return where in the result of ``np.insert`` into `n` elements the new ones are."""
    at = np.arange(*obj.indices(n)) if isinstance(obj, slice) else np.asarray(obj)
    at = np.flatnonzero(at) if at.dtype == bool else at.astype(np.intp)
    at = np.where(at < 0, at + n, at)
    if at.size == 1:
        return at.item() + np.arange(count)
    at[np.argsort(at, kind="stable")] += np.arange(at.size)
    return at


@applying(
    Insert,
    *(Call(_LINE, 1, Draw()), Call(_LINE, 3, Draw((2,))), Call(_LINE, [0, 2], Draw((2,)))),
    *(Call(_LINE, [2, 0, 2], Draw((3,))), Call(_LINE, slice(0, 3, 2), Draw())),
    *(Call(_A, [-1, 1], Draw((1,))), Call(_A, 1, Draw()), Call(_A, 1, _LINE, axis=0)),
    *(Call(_A, 1, Draw((2,)), axis=1), Call(_A, [1], Draw((2, 1)), axis=-1)),
    *(Call(_A, [0, 0], _LINE, 0), Call(_B, 2, Draw((2, 4)), axis=1)),
    *(Call(_B, [0, 3], Draw((2, 1)), 1), Call(_LINE, [], Draw((0,)))),
    *(Call(Draw((0, 2)), 0, Draw(), axis=0), Call(_LINE, 0, 2.5)),
)
def insert(arr: Operand, obj: Any, values: Operand, axis: int | None = None) -> Variable:
    """An array with values put in before positions: ``np.insert``.

    obj (int, slice, sequence of int, ndarray of int or bool): the positions in `arr`; copied.
    values: broadcast to what is inserted; converted to the dtype of `arr`.
    axis: along which to insert; by default `arr` is flattened.
    Returns: dtype of `arr`.
    Derivative: 1 for every element; a value inserted twice adds up.
    Raises IndexError: if a position is out of range, or no integer.
    Raises ValueError: if shapes do not fit.

    >>> insert(Variable(np.array([1.0, 2.0])), 1, Variable(np.array([5.0, 6.0])))
    variable([1. 5. 6. 2.])
    """
    return Insert(fixed(obj), axis)(arr, values)


class _PutBack(LinearMap):
    """Puts zeros in where `Delete` has left elements out, without an array of positions."""

    def __init__(self, obj: Any, axis: int | None, shape: tuple[int, ...]) -> None:
        self.obj, self.axis, self.shape = obj, axis, shape

    def forward(self, x: Array) -> Array:
        axis = 0 if self.axis is None else self.axis % len(self.shape)
        n = math.prod(self.shape) if self.axis is None else self.shape[axis]
        before, parts, done, end = (slice(None),) * axis, [], 0, 0
        for run in _runs(self.obj, n):
            kept = run[0] - end
            parts += [x[(*before, slice(done, done + kept))]]
            done, end, length = done + kept, run[-1] + 1, run[-1] + 1 - run[0]
            shape = (*x.shape[:axis], length, *x.shape[axis + 1 :])
            # Of every so many elements one is left out: what is between goes to as many slices.
            strided = np.zeros_like(x, shape=shape)
            for k in range(1, run.step):
                some = x[(*before, slice(done + k - 1, done + length - len(run), run.step - 1))]
                strided = strided + placed(some, shape, (*before, slice(k, None, run.step)), True)
            parts += [strided]
            done += length - len(run)
        parts += [x[(*before, slice(done, None))]]
        some = [part for part in parts if part.shape[axis]] or parts[:1]
        whole = np.concatenate(some, axis)
        return whole.reshape(self.shape)

    def backward(self, gy: Array) -> Array:
        return Delete(self.obj, self.axis).of(gy)


def _runs(obj: Any, n: int) -> list[range]:
    """Return which of `n` elements ``np.delete`` leaves out: runs in order, each evenly spaced."""
    if isinstance(obj, slice):
        run = range(*obj.indices(n))
        run = run[::-1] if run.step < 0 else run
        if len(run) > run.step:
            return [run]
        return [run] if run.step == 1 and run else [range(i, i + 1) for i in run]
    at = np.asarray(obj)
    at = np.unique(np.flatnonzero(at) if at.dtype == bool else at.astype(np.intp) % n)
    cuts = np.flatnonzero(np.diff(at) > 1) + 1
    return [range(int(run[0]), int(run[-1]) + 1) for run in np.split(at, cuts) if run.size]


class Delete(Picked):
    """Picks the elements that are left."""

    def __init__(self, obj: Any, axis: int | None) -> None:
        self.obj, self.axis = obj, axis

    def pick(self, x: Array) -> Array:
        return np.delete(x, self.obj, self.axis)

    def backward(self, gy: Array) -> Array:
        if not is_lazy(data_of(gy)) or is_lazy(self.obj):
            return super().backward(gy)
        return _PutBack(self.obj, self.axis, self.shape).of(gy)


@applying(
    Delete,
    *(Call(_LINE, 1), Call(_LINE, [0, -1]), Call(_LINE, slice(None, None, 2)), Call(_LINE, [])),
    *(Call(_LINE, np.array([True, False, True])), Call(_A, 4), Call(_A, 1, 0)),
    *(Call(_A, [0, 2, 2], axis=1), Call(_B, slice(1, 3), axis=-2), Call(Draw((1,)), 0)),
    Call(Draw((0, 3)), [1], axis=1),
)
def delete(arr: Array, obj: Any, axis: int | None = None) -> Variable:
    """An array without some elements or rows: ``np.delete``.

    obj (int, slice, sequence of int, ndarray of int or bool): the positions left out; copied.
    axis: along which to leave them out; by default `arr` is flattened.
    Returns: dtype of `arr`.
    Derivative: 1 for what is left, 0 for the rest.
    Raises IndexError: if a position is out of range, or no integer.

    >>> delete(Variable(np.array([1.0, 2.0, 3.0])), 1)
    variable([1. 3.])
    """
    return Delete(fixed(obj), axis)(arr)


append = operation(
    Append,
    *(Call(_LINE, _LINE), Call(_A, _LINE), Call(_A, Draw()), Call(_LINE, 1.5), Call(_A, _A, 0)),
    *(Call(_A, Draw((2, 1)), axis=1), Call(_B, Draw((2, 0, 4)), axis=-2), Call(Draw(), Draw())),
    Call(Draw((0,)), _LINE),
)
