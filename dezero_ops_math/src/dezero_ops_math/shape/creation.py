"""Arrays in the shape of a Variable, its copy, and grids of coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Variable, VariableTypeError
from dezero_core.extend import Array, Operand, call_by_type

from ..arguments import data_of, of_one_type
from ..declaring import Call, Draw, LinearMap, Sample, applying, operation
from ..docstrings import sharing
from ..gradients import summed_to
from .positions import as_one_type

documented = sharing(
    """
    dtype (data-type, optional): as in NumPy.
    order ({"K", "A", "C", "F"}): as in NumPy.
    subok: as in NumPy.
    shape (int or sequence of int, optional): as in NumPy.
    device ({"cpu"}, optional): as in NumPy.
    """
)


_A, _ROW, _POINT, _EMPTY = Draw((2, 3)), Draw((3,)), Draw(), Draw((0, 2))
_SAMPLE = Sample(
    *(Call(_A), Call(_A, int), Call(_A, dtype=np.float32, order="F"), Call(_POINT), Call(_EMPTY)),
    *(Call(_A, shape=(2, 2)), Call(_A, None, "C", True, 3), Call(_A, device="cpu")),
)


@applying(None, _SAMPLE, differentiable=False)
def zeros_like(
    a: Operand,
    dtype: Any = None,
    order: Any = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Array:
    """Zeros in the shape and dtype of `a`: ``np.zeros_like``.

    Returns (ndarray): it does not depend on the values of `a`.
    Raises TypeError: if NumPy has no such dtype.

    >>> zeros_like(Variable(np.array([1.0, 2.0])))
    array([0., 0.])
    """
    return call_by_type(np.zeros_like, (data_of(a), dtype, order, subok, shape), {"device": device})


@applying(None, _SAMPLE, differentiable=False)
def ones_like(
    a: Operand,
    dtype: Any = None,
    order: Any = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Array:
    """Ones in the shape and dtype of `a`: ``np.ones_like``.

    Returns (ndarray): it does not depend on the values of `a`.
    Raises TypeError: if NumPy has no such dtype.

    >>> ones_like(Variable(np.array([1.0, 2.0])))
    array([1., 1.])
    """
    return call_by_type(np.ones_like, (data_of(a), dtype, order, subok, shape), {"device": device})


@applying(
    None,  # with elements, no two results of np.empty_like need be equal
    *(Call(_EMPTY), Call(_A, shape=0), Call(_A, complex, shape=(2, 0))),
    Call(_EMPTY, device="cpu"),
    differentiable=False,
)
def empty_like(
    prototype: Operand,
    /,
    dtype: Any = None,
    order: Any = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Array:
    """An array in the shape and dtype of `prototype`, not filled: ``np.empty_like``.

    Returns (ndarray): of any values.
    Raises TypeError: if NumPy has no such dtype.

    >>> empty_like(Variable(np.array([1.0, 2.0]))).shape
    (2,)
    """
    return call_by_type(
        np.empty_like, (data_of(prototype), dtype, order, subok, shape), {"device": device}
    )


@applying(
    None,
    *(Call(_A, 2.0), Call(_A, 2, int), Call(_A, [1.0, 2.0, 3.0], order="F")),
    *(Call(_A, fill_value=5, shape=(3, 1)), Call(_A, True, device="cpu"), Call(_POINT, 1j, "c8")),
    Call(_EMPTY, np.nan),
    differentiable=False,
)
def full_like(
    a: Operand,
    fill_value: Any,
    dtype: Any = None,
    order: Any = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Array:
    """An array in the shape and dtype of `a`, filled: ``np.full_like``.

    fill_value (number or array_like): broadcast to the shape.
    Returns (ndarray): it does not depend on the values of `a`.
    Raises TypeError: if NumPy has no such dtype.
    Raises VariableTypeError (TypeError): if `fill_value` is a Variable.

    >>> full_like(Variable(np.array([1.0, 2.0])), 7.0)
    array([7., 7.])
    """
    if isinstance(fill_value, Variable):
        raise VariableTypeError(
            "np.full_like gives an ndarray, and a Variable for 'fill_value' would get no "
            "gradient. Write np.broadcast_to(fill_value, a.shape), or give fill_value.data.",
            got=type(fill_value),
        )
    return call_by_type(
        np.full_like, (data_of(a), fill_value, dtype, order, subok, shape), {"device": device}
    )


class Copy(LinearMap):
    """A Variable of its own with the same values: ``np.copy``, ``x.copy()``.

    order ({"K", "A", "C", "F"}): how the copied data lie in memory.
    subok: without effect: the data of a Variable are plain arrays.
    Returns: part of the graph, as any result; for the values alone, ``x.data.copy()``.
    Derivative: 1 for every element.
    Raises ValueError: for another `order`.

    >>> x = Variable(np.array([1.0, 2.0]))
    >>> copy(x).backward()
    >>> x.grad
    array([1., 1.])
    """

    elementwise = True

    def __init__(self, order: Any = "K", subok: bool = False) -> None:
        self.order = order

    def forward(self, a: Operand) -> Array:
        return np.copy(a, self.order)

    def backward(self, gy: Array) -> Array:
        return gy


def _copied(x: Variable, order: Any = "C") -> Variable:
    """The method, with the order it has of an ndarray; see `copy`."""
    return copy(x, order)


_OTHER, _THIRD = Draw((2,)), Draw((4,))


class GridAxis(LinearMap):
    """One array of a grid; the gradient is summed over the axes of the others."""

    def __init__(
        self, index: int, lengths: tuple[int, ...], copy: bool, sparse: bool, indexing: Any
    ) -> None:
        self.index, self.lengths = index, lengths
        self.copy, self.sparse, self.indexing = copy, sparse, indexing

    def forward(self, x: Array) -> Array:
        self.from_shape = np.shape(x)
        xs = [np.broadcast_to(0, n) for n in self.lengths]
        xs[self.index] = x
        grid = np.meshgrid(*xs, copy=False, sparse=self.sparse, indexing=self.indexing)
        return np.copy(grid[self.index], "C") if self.copy else grid[self.index]

    def backward(self, gy: Array) -> Array:
        axis = self.index
        if self.indexing == "xy" and axis < 2 <= gy.ndim:
            axis = 1 - axis
        alone = tuple(n if other == axis else 1 for other, n in enumerate(gy.shape))
        return summed_to(gy, alone).reshape(self.from_shape)


@applying(
    GridAxis,
    *(Call(_ROW, _OTHER), Call(_ROW), Call(_ROW, _OTHER, _THIRD), Call(), Call(_POINT, _ROW)),
    *(Call(_ROW, _OTHER, indexing="ij"), Call(_ROW, _OTHER, _THIRD, indexing="ij", sparse=True)),
    *(Call(_ROW, _OTHER, sparse=True), Call(_ROW, _OTHER, _THIRD, copy=False), Call(_POINT)),
    *(Call(_ROW, np.arange(2)), Call(_A, _OTHER), Call(_ROW, Draw((0,))), Call(_ROW, 2)),
)
def meshgrid(
    *xi: Operand, copy: bool = True, sparse: bool = False, indexing: Any = "xy"
) -> tuple[Variable, ...]:
    """Coordinates of the points of a grid: ``np.meshgrid``.

    xi: the coordinates along each axis of the grid.
    copy: False gives read-only views of the data.
    sparse: leave the other axes of length 1, which broadcasts to the same.
    indexing ({"xy", "ij"}): whether the first array runs along the second axis, or the first.
    Returns (tuple of Variable): one for each of `xi`.
    Derivative: the gradient is summed over the other axes.
    Raises ValueError: for another `indexing`.

    >>> x, y = meshgrid(Variable(np.array([1.0, 2.0, 3.0])), Variable(np.array([4.0, 5.0])))
    >>> x
    variable([[1. 2. 3.]
              [1. 2. 3.]])
    """
    lengths = tuple([np.size(x) for x in xi])
    axes = (GridAxis(i, lengths, copy, sparse, indexing)(x) for i, x in enumerate(as_one_type(xi)))
    return of_one_type(axes)


copy = operation(
    Copy,
    *(Call(_A), Call(_POINT), Call(_EMPTY), Call(_A, "F"), Call(_A, order="A")),
    methods={"copy": _copied},
)
