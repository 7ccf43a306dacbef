"""Indexing ``x[...]`` and iteration."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Variable
from dezero_core.extend import NUMPY, Array, call_by_type, kind_of, placed, require_values

from .scattering import scatter_add

Index = Any


class GetItem(Function):
    """Picks elements; the gradient goes back to where they were, added up if repeated."""

    saves = ()
    linear = True

    def __init__(self, index: Index) -> None:
        self.index = index

    def forward(self, x: Array) -> Array:
        self.shape = x.shape
        return x[self.index]

    def backward(self, gy: Array) -> Array:
        return PlacedAt(self.index, self.shape).of(gy)


class GetItemAt(Function):
    """Picks elements at positions that are operands: they differ from example to example."""

    saves = ("other inputs",)
    multilinear = True

    def __init__(self, parts: tuple[Any, ...]) -> None:
        #: The index, with "positions" in place of each operand.
        self.parts = parts

    def forward(self, x: Array, *positions: Array) -> Array:
        self.shape = x.shape
        return call_by_type(operator.getitem, (x, filled(self.parts, positions)), {})

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        positions = [each.data for each in self.inputs[1:]]
        gx = PlacedAtPositions(self.parts, self.shape).of(gy, *positions)
        return gx, *(None for _ in positions)


class PlacedAtPositions(Function):
    """Adds its input to zeros at positions that are operands."""

    saves = ("other inputs",)
    multilinear = True

    def __init__(self, parts: tuple[Any, ...], shape: tuple[int, ...]) -> None:
        self.parts, self.shape = parts, shape

    def forward(self, gy: Array, *positions: Array) -> Array:
        return placed(gy, self.shape, filled(self.parts, positions))

    def backward(self, ggx: Array) -> tuple[Array | None, ...]:
        positions = [each.data for each in self.inputs[1:]]
        return GetItemAt(self.parts).of(ggx, *positions), *(None for _ in positions)


def filled(parts: tuple[Any, ...], positions: Sequence[Array]) -> tuple[Any, ...]:
    """Return an index with its positions, which are operands."""
    given = iter(positions)
    return tuple([next(given) if part == "positions" else part for part in parts])


class PlacedAt(Function):
    """Adds its input to zeros at an index."""

    saves = ()
    linear = True

    def __init__(self, index: Index, shape: tuple[int, ...]) -> None:
        self.index, self.shape = index, shape

    def forward(self, gy: Array) -> Array:
        repeats = has_positions(self.index)
        if repeats and isinstance(gy, (np.ndarray, np.generic)):
            return scatter_add(gy, self.shape, self.index)
        return placed(gy, self.shape, self.index, once=not repeats)

    def backward(self, ggx: Array) -> Array:
        return GetItem(self.index).of(ggx)


def getitem(x: Variable, index: Index) -> Variable:
    """Index as NumPy does: ``x[index]``.

    Parameters
    ----------
    x : Variable or ndarray
    index : int, slice, array_like, Variable, tuple of these, ``...`` or None
        Integers, slices, ``...``, None, boolean and integer arrays or lists, Variables of
        integers or booleans, and tuples of all these. Arrays are copied.

    Returns
    -------
    Variable
        Derivative: 1 for each element picked; one that is picked twice adds up. Such sums
        have the accuracy of their dtype, however many gradients are added.

    Raises
    ------
    IndexError
        If the index is out of range, as in NumPy.

    Notes
    -----
    Source: ``numpy.ndarray.__getitem__``; DeZero's GetItem.

    Examples
    --------
    >>> x = Variable(np.array([1.0, 2.0, 3.0]))
    >>> y = x[[0, 0, 2]]
    >>> y.backward()
    >>> y, x.grad
    (variable([1. 1. 3.]), array([2., 0., 1.]))
    """
    index, positions = fixed_index(index)
    return GetItemAt(index)(x, *positions) if positions else GetItem(index)(x)


def fixed_index(index: Index) -> tuple[Index, list[Array]]:
    """Return an index that nobody can change between forward and backward.

    If it differs from example to example, it has "positions" in place of each array, and the
    arrays, which are operands, are returned as well.
    """
    parts = parts_of(index)
    try:
        fixed = tuple([_fixed_part(part) for part in parts])
    except _OfExamplesError:
        given = [part for part in parts if not _is_plain(part)]
        form = tuple([part if _is_plain(part) else "positions" for part in parts])
        return form, [part.data if isinstance(part, Variable) else part for part in given]
    return fixed if isinstance(index, tuple) else fixed[0], []


def parts_of(index: Index) -> tuple[Any, ...]:
    """Return the parts of an index, one for each axis or several."""
    return index if isinstance(index, tuple) else (index,)


class _OfExamplesError(Exception):
    """An index differs from example to example: it is an operand."""


def iterate(x: Variable) -> Iterator[Variable]:
    """Go through the first axis: ``for row in x``.

    Raises
    ------
    TypeError
        If `x` has no axis, as in NumPy.
    """
    if x.ndim == 0:
        raise TypeError("iteration over a Variable of no dimensions; use x.item()")
    require_values(x.data, "iteration")
    return (getitem(x, index) for index in range(len(x)))


def contains(x: Variable, value: Any) -> bool:
    """Return whether an element equals `value`: ``value in x``, as for an ndarray."""
    require_values(x.data, "`in`")
    return (value.data if isinstance(value, Variable) else value) in x.data


def register_ops(register: Registrar) -> None:
    """Register the operation of this file, with iteration and ``in``, which are not recorded."""
    indices: tuple[Any, ...] = (
        1,
        -1,
        (0, 2),
        slice(None),
        slice(None, None, -2),
        (slice(1, 3), 0),
        Ellipsis,
        (Ellipsis, None, 1),
        None,
        [0, 0, 2],
        ([0, 1, 0], [1, 1, 1]),
        np.array([[True, False, True, True]] * 3),
        np.array([0, -1]),
        (slice(None), [1, 1]),
        (np.array([[0], [1]]), np.array([0, 3])),
        [],
        True,
    )

    def sample(kit: Any) -> Any:
        calls = (kit.Call(kit.Draw((3, 4)), index) for index in indices)
        of_one = kit.Call(kit.Draw(), ())
        return kit.Sample(of_one, *calls, reference=lambda x, index: x[index], complex=True)

    bindings = {"__getitem__": getitem, "__iter__": iterate, "__contains__": contains}
    register("getitem", getitem, GetItem, dunders=bindings, sample=sample)


def has_positions(index: Index) -> bool:
    """Return whether an index may pick an element twice: it has an array of integers."""
    return any(
        part.dtype != bool
        for part in parts_of(index)
        if isinstance(part, np.ndarray) or kind_of(part) is not NUMPY
    )


def _is_plain(part: Index) -> bool:
    return part is None or part is Ellipsis or isinstance(part, slice | int | np.generic)


def _fixed_part(part: Index) -> Index:
    if _is_plain(part):
        return part
    if kind_of(part.data if isinstance(part, Variable) else part).others is not None:
        raise _OfExamplesError
    require_values(part.data if isinstance(part, Variable) else part, "an index")
    if isinstance(part, Variable):
        part = part.to_numpy()
    # A list, an inner tuple, whatever has __array__: to NumPy they are arrays of positions.
    # NumPy goes through positions in the order in which they lie in memory: in rows, the last value
    # of an element that is written twice is the one that stays.
    array = np.copy(part, "C")
    return array if array.size or isinstance(part, np.ndarray) else array.astype(np.intp)
