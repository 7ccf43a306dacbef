"""Axes of length 1, put in up to a number of axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample
from dezero_core.extend import Array, Operand

from ..docstrings import documented


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
    found = tuple([AtLeast(ndim)(x) for x in arrays])
    return found[0] if len(found) == 1 else found


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    shapes = Draw(), Draw((3,)), Draw((2, 3)), Draw((2, 3, 2)), Draw((0,)), Draw((1, 1, 1, 2))
    sample = Sample((*map(Call, shapes), Call(*shapes), Call()), complex=True)
    for function, of_numpy in (
        (atleast_1d, np.atleast_1d),
        (atleast_2d, np.atleast_2d),
        (atleast_3d, np.atleast_3d),
    ):
        register(function.__name__, function, AtLeast, numpy=of_numpy, sample=sample)
