"""An array taken apart along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import Array, Operand, new_zeros, placed

from ..declaring import Call, Draw, LinearMap, applying
from ..docstrings import sharing
from .axes import fixed

documented = sharing(
    """
    indices_or_sections (int or sequence of int): how many equal parts, or the positions to cut at.
    Returns (list of Variable): views of the data.
    Derivative: 1 for every element.
    """
)

_A, _ROW, _EMPTY, _DEEP = Draw((4, 3)), Draw((5,)), Draw((0, 2)), Draw((4, 2, 6))
_PARTS = (
    *(Call(_A, 2), Call(_A, 3, 1), Call(_A, [1, 3]), Call(_ROW, (2,)), Call(_A, [1], axis=-1)),
    *(Call(_ROW, 1), Call(_ROW, []), Call(_ROW, np.array([0, 2, 2, 9])), Call(_EMPTY, 2)),
    # Parts that overlap.
    *(Call(_ROW, [3, 1]), Call(_A, [2, -3, 1], -1), Call(_ROW, (9, -2))),
)
_OF_ANY = (
    *(Call(_DEEP, 2), Call(_DEEP, [1]), Call(_DEEP, ()), Call(Draw((2, 0, 2)), 1)),
    Call(_DEEP, [1, -2]),
)
_FLAT = Call(Draw((2, 4)), 2)


class ArraySplit(LinearMap):
    """The gradients of the parts are joined; where parts overlap, they add up."""

    function: Any = staticmethod(np.array_split)

    def __init__(self, indices_or_sections: Any, axis: int = 0) -> None:
        self.indices_or_sections, self.axis = indices_or_sections, axis

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        return tuple(self.function(x, self.indices_or_sections, self.axis))

    def backward(self, *gys: Array) -> Array:
        if sum([gy.shape[self.axis] for gy in gys]) == self.shape[self.axis]:
            return np.concatenate(gys, self.axis)
        return _AddParts(self.indices_or_sections, self.axis, self.shape).of(*gys)


class _AddParts(LinearMap):
    """Adds parts where a split at these positions would take them from."""

    def __init__(self, positions: Any, axis: int, shape: tuple[int, ...]) -> None:
        self.positions, self.axis, self.shape = positions, axis, shape

    def forward(self, *parts: Array) -> Array:
        before = (slice(None),) * (self.axis % len(self.shape))
        ends = [*self.positions, None]
        slices = [slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
        pairs = zip(slices, parts, strict=True)
        if not isinstance(parts[0], np.ndarray):  # nobody can write into the others
            return sum([placed(part, self.shape, (*before, at), once=True) for at, part in pairs])
        whole = new_zeros(parts[0], self.shape)
        for at, part in pairs:
            whole[(*before, at)] += part
        return whole

    def backward(self, gy: Array) -> Any:
        return several(ArraySplit(self.positions, self.axis).of(gy))


@applying(ArraySplit, *_PARTS, Call(_ROW, 2), Call(_ROW, 7), Call(_A, 2, -1))
def array_split(ary: Array, indices_or_sections: Any, axis: int = 0) -> list[Variable]:
    """Take apart into parts that need not be equal: ``np.array_split``.

    indices_or_sections: how many parts, the first ones longer if need be, or positions to cut at.
    Derivative: 1 for every element, for each part it is in.
    Raises IndexError: if `ary` has no such axis.
    Raises ValueError: if the number of parts is not positive.

    >>> array_split(Variable(np.arange(5.0)), 2)
    [variable([0. 1. 2.]), variable([3. 4.])]
    """
    return list(several(ArraySplit(fixed(indices_or_sections), axis)(ary)))


class Split(ArraySplit):
    """As `ArraySplit`, in parts that are equal if their number is given."""

    function: Any = staticmethod(np.split)


@applying(Split, *_PARTS)
def split(ary: Array, indices_or_sections: Any, axis: int = 0) -> list[Variable]:
    """Take apart into equal parts, or at positions: ``np.split``.

    Derivative: 1 for every element, for each part it is in.
    Raises IndexError: if `ary` has no such axis.
    Raises ValueError: if that many parts would not be equal.

    >>> split(Variable(np.arange(5.0)), [2, 4])
    [variable([0. 1.]), variable([2. 3.]), variable([4.])]
    """
    return list(several(Split(fixed(indices_or_sections), axis)(ary)))


class VSplit(ArraySplit):
    """As `ArraySplit`, along the first axis."""

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        return tuple(np.vsplit(x, self.indices_or_sections))


@applying(VSplit, *_OF_ANY, _FLAT)
def vsplit(ary: Array, indices_or_sections: Any) -> list[Variable]:
    """Take apart along the first axis: ``np.vsplit``.

    Raises ValueError: if there are fewer than two axes, or that many parts would not be equal.

    >>> vsplit(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), 2)
    [variable([[1. 2.]]), variable([[3. 4.]])]
    """
    return _parts(VSplit, indices_or_sections, ary)


class HSplit(ArraySplit):
    """As `ArraySplit`, along the second axis, or the only one."""

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        self.axis = 0 if len(self.shape) == 1 else 1
        return tuple(np.hsplit(x, self.indices_or_sections))


@applying(HSplit, *_OF_ANY, _FLAT, Call(Draw((6,)), 3), Call(Draw((4,)), [3, 1]))
def hsplit(ary: Array, indices_or_sections: Any) -> list[Variable]:
    """Take apart along the second axis, or the only one: ``np.hsplit``.

    Raises ValueError: if there is no axis, or that many parts would not be equal.

    >>> hsplit(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), 2)[1]
    variable([[2.]
              [4.]])
    """
    return _parts(HSplit, indices_or_sections, ary)


class DSplit(ArraySplit):
    """As `ArraySplit`, along the third axis."""

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        self.axis = 2
        return tuple(np.dsplit(x, self.indices_or_sections))


@applying(DSplit, *_OF_ANY, Call(_DEEP, [4, 1]))
def dsplit(ary: Array, indices_or_sections: Any) -> list[Variable]:
    """Take apart along the third axis: ``np.dsplit``.

    Raises ValueError: if there are fewer than three axes, or that many parts would not be equal.

    >>> [part.shape for part in dsplit(Variable(np.zeros((2, 3, 4))), [1])]
    [(2, 3, 1), (2, 3, 3)]
    """
    return _parts(DSplit, indices_or_sections, ary)


def _parts(function: type[ArraySplit], indices_or_sections: Any, ary: Operand) -> list[Variable]:
    return list(several(function(fixed(indices_or_sections))(ary)))


class Unstack(LinearMap):
    """The gradients are stacked."""

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def forward(self, x: Array) -> Array:
        if np.ndim(x) == 0:
            raise ValueError("Input array must be at least 1-d.")  # as np.unstack, since NumPy 2.1
        rows = np.moveaxis(x, self.axis, 0)
        return tuple(rows if isinstance(x, np.ndarray) else [rows[i] for i in range(len(rows))])

    def backward(self, *gys: Array) -> Array:
        return np.stack(gys, self.axis)


@applying(
    Unstack,
    *(Call(_A), Call(_A, axis=1), Call(Draw((2, 3, 2)), axis=-2), Call(_ROW), Call(_EMPTY)),
    *(Call(_EMPTY, axis=1), Call(Draw((1, 2))), Call(Draw((1,)))),
)
def unstack(x: Array, /, *, axis: int = 0) -> tuple[Variable, ...]:
    """Take apart along an axis that goes away: ``np.unstack``.

    Returns (tuple of Variable): views of the data; of a single axis, its numbers.

    >>> unstack(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), axis=1)
    (variable([1. 3.]), variable([2. 4.]))
    """
    shape = np.shape(x)
    if 0 in shape and 0 in np.moveaxis(np.empty(shape), axis, 0).shape[:1]:
        return ()  # which a Function cannot return
    return several(Unstack(axis)(x))


def several(found: Any) -> tuple[Any, ...]:
    """Return the outputs of a Function, one or several, as a tuple."""
    return tuple(found) if isinstance(found, list | tuple) else (found,)
