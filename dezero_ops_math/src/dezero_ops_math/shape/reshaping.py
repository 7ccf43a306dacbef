"""The same elements in another shape, and arrays brought to one shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import Array, Operand

from ..arguments import Axis, of_one_type
from ..declaring import Call, Draw, LinearMap, Sample, applying, operation
from ..docstrings import sharing
from .positions import as_one_type

documented = sharing(
    """
    order ({"C", "F"}): whether the last or the first index runs fastest.
    Derivative: 1 for every element.
    """
)

_PAIR = Draw((2, 6))
_ARRAYS = [Draw(shape) for shape in ((2, 3), (2, 3, 4), (), (3,), (0, 2), (1, 1))]
_RAVELLED = *map(Call, _ARRAYS), *(Call(x, order="F") for x in _ARRAYS)


class Reshape(LinearMap):
    """Give the elements another shape: ``np.reshape``, ``a.reshape(2, 3)``.

    shape (int or tuple of int): as many elements as `a` has; one length may be -1.
    copy: True copies the data always, False never, and raises instead; by default, if need be.
    Returns: a view of the data where NumPy gives one.
    Raises ValueError: if the number of elements or `order` is another, or a needed copy forbidden.
    Source: ``numpy.reshape``; DeZero's Reshape.

    >>> reshape(Variable(np.arange(4.0)), (2, 2))
    variable([[0. 1.]
              [2. 3.]])
    """

    def __init__(self, shape: Any, order: Any = "C", *, copy: bool | None = None) -> None:
        self.shape, self.order, self.copy = shape, _fixed(order), copy

    def forward(self, a: Operand, /) -> Array:
        self.from_shape = np.shape(a)
        if self.copy is None:
            return np.reshape(a, self.shape, self.order)
        return np.reshape(a, self.shape, self.order, copy=self.copy)  # since NumPy 2.1

    def backward(self, gy: Array) -> Array:
        return np.reshape(gy, self.from_shape, self.order)


def _fixed(order: Any) -> Any:
    """Return `order` unless its meaning depends on how the data lie in memory."""
    if order not in ("C", "F", "c", "f"):
        raise ValueError(
            f"order must be 'C' or 'F', got {order!r}: 'A' and 'K' depend on how the data lie in "
            "memory, and so would the values."
        )
    return order


def _reshaped(x: Variable, *shape: Any, order: Any = "C", copy: bool | None = None) -> Variable:
    """The method: the lengths may be given one by one; see `reshape`."""
    if not shape:
        raise TypeError("reshape() takes a shape, and none was given")  # as of an ndarray
    return reshape(x, shape[0] if len(shape) == 1 else shape, order, copy=copy)


@applying(Reshape, *_RAVELLED)
def ravel(a: Operand, order: Any = "C") -> Variable:
    """All elements along one axis: ``np.ravel``, ``a.ravel()``.

    Returns: a view of the data where NumPy gives one.
    Raises ValueError: for another `order`.

    >>> ravel(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), order="F")
    variable([1. 3. 2. 4.])
    """
    return Reshape(-1, order)(a)


class Flatten(Reshape):
    """All elements along one axis, copied: ``x.flatten()``.

    Returns: a copy of the data.
    Raises ValueError: for another `order`.
    Source: ``numpy.ndarray.flatten``.

    >>> flatten(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])))
    variable([1. 2. 3. 4.])
    """

    def __init__(self, order: Any = "C") -> None:
        super().__init__(-1, order)

    def forward(self, x: Operand) -> Array:
        self.from_shape = np.shape(x)
        return x.flatten(self.order) if type(x) is np.ndarray else np.copy(np.ravel(x, self.order))


_A, _ROW, _COLUMN, _POINT = Draw((2, 3)), Draw((3,)), Draw((2, 1)), Draw()
_SHAPES = (), (3,), (2, 3), (2, 3, 2), (0,), (1, 1, 1, 2)
_EACH = Sample(
    *(Call(Draw(shape)) for shape in _SHAPES), Call(*map(Draw, _SHAPES)), Call(), complex=True
)


class Squeeze(LinearMap):
    """Take away axes of length 1: ``np.squeeze``, ``a.squeeze()``.

    axis: which of them; all by default.
    Returns: a view of the data.
    Raises ValueError: if an axis that is named is not of length 1.

    >>> squeeze(Variable(np.array([[1.0, 2.0]])))
    variable([1. 2.])
    """

    def __init__(self, axis: Axis = None) -> None:
        self.axis = axis

    def forward(self, a: Operand) -> Array:
        self.from_shape = np.shape(a)
        return np.squeeze(a, self.axis)

    def backward(self, gy: Array) -> Array:
        return gy.reshape(self.from_shape)


class ExpandDims(Squeeze):
    """Put in axes of length 1: ``np.expand_dims``.

    axis (int or tuple of int): the places of the new axes in the result.
    Returns: a view of the data.
    Raises AxisError (ValueError, IndexError): if the result has no such axis.

    >>> expand_dims(Variable(np.array([1.0, 2.0])), 0)
    variable([[1. 2.]])
    """

    def __init__(self, axis: Axis) -> None:
        super().__init__(axis)

    def forward(self, a: Operand) -> Array:
        self.from_shape = np.shape(a)
        return np.expand_dims(a, self.axis)  # type: ignore[arg-type]  # None is NumPy's to refuse


class AtLeast(LinearMap):
    """The gradient is given the input's shape again."""

    def __init__(self, ndim: int) -> None:
        self.ndim = ndim

    def forward(self, x: Array) -> Array:
        self.from_shape = np.shape(x)
        return (np.atleast_1d, np.atleast_2d, np.atleast_3d)[self.ndim - 1](x)

    def backward(self, gy: Array) -> Array:
        return gy.reshape(self.from_shape)


@applying(AtLeast, _EACH)
def atleast_1d(*arys: Operand) -> Any:
    """Make a number an array of one element: ``np.atleast_1d``.

    Returns (Variable, or tuple of Variable): a tuple unless there is one argument.
    Raises VariableTypeError (TypeError): if an argument is no array of numbers.

    >>> atleast_1d(Variable(np.array(2.0)), Variable(np.array([3.0, 4.0])))
    (variable([2.]), variable([3. 4.]))
    """
    return _each(1, arys)


@applying(AtLeast, _EACH)
def atleast_2d(*arys: Operand) -> Any:
    """Put axes of length 1 in front, up to two axes: ``np.atleast_2d``.

    Returns (Variable, or tuple of Variable): a tuple unless there is one argument.
    Raises VariableTypeError (TypeError): if an argument is no array of numbers.

    >>> atleast_2d(Variable(np.array([3.0, 4.0])))
    variable([[3. 4.]])
    """
    return _each(2, arys)


@applying(AtLeast, _EACH)
def atleast_3d(*arys: Operand) -> Any:
    """Put in axes of length 1, up to three axes: ``np.atleast_3d``.

    Returns (Variable, or tuple of Variable): a tuple unless there is one argument. Of shapes
        ``(n,)`` and ``(m, n)`` it makes ``(1, n, 1)`` and ``(m, n, 1)``.
    Raises VariableTypeError (TypeError): if an argument is no array of numbers.

    >>> atleast_3d(Variable(np.array([3.0, 4.0]))).shape
    (1, 2, 1)
    """
    return _each(3, arys)


def _each(ndim: int, arrays: tuple[Operand, ...]) -> Any:
    found = of_one_type(AtLeast(ndim)(x) for x in as_one_type(arrays))
    return found[0] if len(found) == 1 else found


class BroadcastTogether(LinearMap):
    """One array in the shape of all; its gradient is summed by the engine."""

    def __init__(self, shapes: tuple[tuple[int, ...], ...]) -> None:
        self.shapes = shapes

    def forward(self, x: Array) -> Array:
        return np.broadcast_to(x, np.broadcast_shapes(*self.shapes))

    def backward(self, gy: Array) -> Array:
        return gy


@applying(
    BroadcastTogether,
    *(Call(_A, _ROW), Call(_COLUMN, _ROW, _POINT), Call(_A), Call(_POINT, _POINT)),
    *(Call(Draw((1, 3)), Draw((0, 3))), Call(_A, _A), Call(), Call(_A, 2)),
    Call(_ROW, np.ones((2, 1), int)),
)
def broadcast_arrays(*args: Operand, subok: bool = False) -> tuple[Variable, ...]:
    """Repeat each array to the shape that all broadcast to: ``np.broadcast_arrays``.

    subok: without effect: the data of a Variable are plain arrays.
    Returns (tuple of Variable): read-only views of the data.
    Derivative: the gradient is summed back.
    Raises ValueError: if the shapes do not broadcast.

    >>> broadcast_arrays(Variable(np.array([1.0, 2.0])), 3.0)
    (variable([1. 2.]), variable([3. 3.]))
    """
    shapes = tuple([np.shape(x) for x in args])
    return of_one_type(BroadcastTogether(shapes)(x) for x in as_one_type(args))


_ONES = Draw((1, 3, 1))

squeeze = operation(
    Squeeze,
    *(Call(_ONES), Call(_ONES, 0), Call(_ONES, axis=-1), Call(_ONES, axis=(0, 2))),
    *(Call(Draw((1,))), Call(_POINT), Call(_A), Call(_ONES, None), Call(_ONES, ())),
    Call(Draw((0, 1)), 1),
)
expand_dims = operation(
    ExpandDims,
    *(Call(_A, 0), Call(_A, -1), Call(_A, axis=1), Call(_A, axis=(0, -1)), Call(_A, (1, 3))),
    *(Call(_POINT, 0), Call(Draw((0, 2)), 1), Call(_A, ())),
    name="expand_dims",
)
reshape = operation(
    Reshape,
    *(Call(_PAIR, (3, 4)), Call(_PAIR, -1), Call(_PAIR, [2, -1, 3])),
    *(Call(_PAIR, (4, 3), order="F"), Call(_PAIR, (4, 3), copy=True)),
    *(Call(_PAIR, (2, 6), copy=False), Call(Draw(), (1, 1)), Call(Draw((1,)), ())),
    Call(Draw((0, 3)), (3, 0)),
    methods={"reshape": _reshaped},
)
flatten = operation(Flatten, *_RAVELLED, reference=lambda x, order="C": x.flatten(order))
