"""Axes of length 1, put in and taken away; and arrays brought to one shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import Axis, of_one_type
from ..docstrings import documented
from .positions import alike


class Squeeze(Function):
    """The gradient is given the input's shape again."""

    saves = ()

    def __init__(self, axis: Axis) -> None:
        self.axis = axis

    def forward(self, x: Array) -> Array:
        self.from_shape = np.shape(x)
        return np.squeeze(x, self.axis)

    def backward(self, gy: Array) -> Array:
        return gy.reshape(self.from_shape)


@documented
def squeeze(a: Operand, axis: Axis = None) -> Variable:
    """Take away axes of length 1: ``np.squeeze``, ``a.squeeze()``.

    axis: which of them; all by default.
    Returns: a view of the data.
    Derivative: 1 for every element.
    Raises ValueError: if an axis that is named is not of length 1.

    >>> squeeze(Variable(np.array([[1.0, 2.0]])))
    variable([1. 2.])
    """
    return Squeeze(axis)(a)


class ExpandDims(Squeeze):
    """The gradient is given the input's shape again."""

    def forward(self, x: Array) -> Array:
        self.from_shape = np.shape(x)
        return np.expand_dims(x, self.axis)  # type: ignore[arg-type]  # None is NumPy's to refuse


@documented
def expand_dims(a: Operand, axis: Axis) -> Variable:
    """Put in axes of length 1: ``np.expand_dims``.

    axis (int or tuple of int): the places of the new axes in the result.
    Returns: a view of the data.
    Derivative: 1 for every element.
    Raises AxisError (ValueError, IndexError): if the result has no such axis.

    >>> expand_dims(Variable(np.array([1.0, 2.0])), 0)
    variable([[1. 2.]])
    """
    return ExpandDims(axis)(a)


class AtLeast(Function):
    """The gradient is given the input's shape again."""

    saves = ()

    def __init__(self, ndim: int) -> None:
        self.ndim = ndim

    def forward(self, x: Array) -> Array:
        self.from_shape = np.shape(x)
        return (np.atleast_1d, np.atleast_2d, np.atleast_3d)[self.ndim - 1](x)

    def backward(self, gy: Array) -> Array:
        return gy.reshape(self.from_shape)


@documented
def atleast_1d(*arys: Operand) -> Any:
    """Make a number an array of one element: ``np.atleast_1d``.

    Returns (Variable, or tuple of Variable): a tuple unless there is one argument.
    Derivative: 1 for every element.
    Raises VariableTypeError (TypeError): if an argument is no array of numbers.

    >>> atleast_1d(Variable(np.array(2.0)), Variable(np.array([3.0, 4.0])))
    (variable([2.]), variable([3. 4.]))
    """
    return _each(1, arys)


@documented
def atleast_2d(*arys: Operand) -> Any:
    """Put axes of length 1 in front, up to two axes: ``np.atleast_2d``.

    Returns (Variable, or tuple of Variable): a tuple unless there is one argument.
    Derivative: 1 for every element.
    Raises VariableTypeError (TypeError): if an argument is no array of numbers.

    >>> atleast_2d(Variable(np.array([3.0, 4.0])))
    variable([[3. 4.]])
    """
    return _each(2, arys)


@documented
def atleast_3d(*arys: Operand) -> Any:
    """Put in axes of length 1, up to three axes: ``np.atleast_3d``.

    Returns (Variable, or tuple of Variable): a tuple unless there is one argument. Of shapes
        ``(n,)`` and ``(m, n)`` it makes ``(1, n, 1)`` and ``(m, n, 1)``.
    Derivative: 1 for every element.
    Raises VariableTypeError (TypeError): if an argument is no array of numbers.

    >>> atleast_3d(Variable(np.array([3.0, 4.0]))).shape
    (1, 2, 1)
    """
    return _each(3, arys)


def _each(ndim: int, arrays: tuple[Operand, ...]) -> Any:
    found = of_one_type(AtLeast(ndim)(x) for x in alike(arrays))
    return found[0] if len(found) == 1 else found


class BroadcastTogether(Function):
    """One array in the shape of all; its gradient is summed by the engine."""

    saves = ()

    def __init__(self, shapes: tuple[tuple[int, ...], ...]) -> None:
        self.shapes = shapes

    def forward(self, x: Array) -> Array:
        return np.broadcast_to(x, np.broadcast_shapes(*self.shapes))

    def backward(self, gy: Array) -> Array:
        return gy


@documented
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
    return of_one_type(BroadcastTogether(shapes)(x) for x in alike(args))


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a = Draw((1, 3, 1))
    calls: tuple[Call, ...] = Call(a), Call(a, 0), Call(a, axis=-1), Call(a, axis=(0, 2))
    calls += Call(Draw((1,))), Call(Draw()), Call(Draw((2, 3))), Call(a, None)
    calls += Call(a, ()), Call(Draw((0, 1)), 1)
    sample = Sample(calls, complex=True)
    register("squeeze", squeeze, Squeeze, methods="squeeze", numpy=np.squeeze, sample=sample)
    a = Draw((2, 3))
    calls = Call(a, 0), Call(a, -1), Call(a, axis=1), Call(a, axis=(0, -1)), Call(a, (1, 3))
    calls += Call(Draw(), 0), Call(Draw((0, 2)), 1), Call(a, ())
    sample = Sample(calls, complex=True)
    register("expand_dims", expand_dims, ExpandDims, numpy=np.expand_dims, sample=sample)

    shapes = Draw(), Draw((3,)), Draw((2, 3)), Draw((2, 3, 2)), Draw((0,)), Draw((1, 1, 1, 2))
    sample = Sample((*map(Call, shapes), Call(*shapes), Call()), complex=True)
    for function, of_numpy in (
        (atleast_1d, np.atleast_1d),
        (atleast_2d, np.atleast_2d),
        (atleast_3d, np.atleast_3d),
    ):
        register(function.__name__, function, AtLeast, numpy=of_numpy, sample=sample)

    row, column, point = Draw((3,)), Draw((2, 1)), Draw()
    calls = Call(a, row), Call(column, row, point), Call(a), Call(point, point)
    calls += Call(Draw((1, 3)), Draw((0, 3))), Call(a, a), Call()
    calls += Call(a, 2), Call(row, np.ones((2, 1), int))
    register(
        "broadcast_arrays",
        broadcast_arrays,
        BroadcastTogether,
        numpy=np.broadcast_arrays,
        sample=Sample(calls, complex=True),
    )
