"""One array taken apart along an axis, which remains."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array

from ..docstrings import sharing
from .axes import fixed
from .unstacking import several

documented = sharing(
    """
    indices_or_sections (int or sequence of int): the number of equal parts, or the positions before
        which it is cut.
    """
)


class ArraySplit(Function):
    """The gradients of the parts are joined; where parts overlap, they add up."""

    saves = ()

    def __init__(self, indices_or_sections: Any, axis: int = 0) -> None:
        self.indices_or_sections, self.axis = indices_or_sections, axis

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        return tuple(np.array_split(x, self.indices_or_sections, self.axis))

    def backward(self, *gys: Array) -> Array:
        if sum([gy.shape[self.axis] for gy in gys]) == self.shape[self.axis]:
            return np.concatenate(gys, self.axis)
        return _AddParts(self.indices_or_sections, self.axis, self.shape).of(*gys)


class _AddParts(Function):
    """Adds parts where a split at these positions would take them from."""

    saves = ()

    def __init__(self, positions: Any, axis: int, shape: tuple[int, ...]) -> None:
        self.positions, self.axis, self.shape = positions, axis, shape

    def forward(self, *parts: Array) -> Array:
        whole = np.zeros(self.shape, parts[0].dtype)
        places = np.array_split(whole, self.positions, self.axis)
        for place, part in zip(places, parts, strict=True):
            place += part
        return whole

    def backward(self, gy: Array) -> Any:
        return several(ArraySplit(self.positions, self.axis).of(gy))


@documented
def array_split(ary: Array, indices_or_sections: Any, axis: int = 0) -> list[Variable]:
    """Take apart into parts that need not be equal: ``np.array_split``.

    indices_or_sections: the number of parts, the first ones longer by one if need be; or the
        positions before which it is cut.
    Returns (list of Variable): views of the data.
    Derivative: 1 for every element, for each part it is in.
    Raises IndexError: if `ary` has no such axis.
    Raises ValueError: if the number of parts is not positive.

    >>> array_split(Variable(np.arange(5.0)), 2)
    [variable([0. 1. 2.]), variable([3. 4.])]
    """
    return list(several(ArraySplit(fixed(indices_or_sections), axis)(ary)))


class Split(ArraySplit):
    """As `ArraySplit`, in parts that are equal if their number is given."""

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        return tuple(np.split(x, self.indices_or_sections, self.axis))


@documented
def split(ary: Array, indices_or_sections: Any, axis: int = 0) -> list[Variable]:
    """Take apart into equal parts, or at positions: ``np.split``.

    Returns (list of Variable): views of the data.
    Derivative: 1 for every element, for each part it is in.
    Raises IndexError: if `ary` has no such axis.
    Raises ValueError: if that many parts would not be equal.

    >>> split(Variable(np.arange(5.0)), [2, 4])
    [variable([0. 1.]), variable([2. 3.]), variable([4.])]
    """
    return list(several(Split(fixed(indices_or_sections), axis)(ary)))


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a, row, empty = Draw((4, 3)), Draw((5,)), Draw((0, 2))
    calls: tuple[Call, ...] = Call(a, 2), Call(a, 3, 1), Call(a, [1, 3]), Call(row, (2,))
    calls += Call(a, [1], axis=-1), Call(row, 1), Call(row, [])
    calls += Call(row, np.array([0, 2, 2, 9])), Call(empty, 2)
    # Parts that overlap.
    calls += Call(row, [3, 1]), Call(a, [2, -3, 1], -1), Call(row, (9, -2))
    sample = Sample(calls, complex=True)
    register("split", split, Split, numpy=np.split, sample=sample)
    sample = Sample((*calls, Call(row, 2), Call(row, 7), Call(a, 2, -1)), complex=True)
    register("array_split", array_split, ArraySplit, numpy=np.array_split, sample=sample)
