"""The steps that calls become: maps, reductions and products, over arrays in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from dezero_replay.tape.instructions import Value

from .functions import ELEMENTS


class NotNative(Exception):  # noqa: N818 - no error: NumPy makes the call
    """Why a call stays with NumPy."""


class Array(NamedTuple):
    """An array, or number, in memory: where it begins, and how it is addressed."""

    #: The array in whose memory it is.
    root: Value
    #: Bytes from the beginning of the root.
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]

    def is_whole(self) -> bool:
        """Return whether it is the root itself, element by element."""
        return self == whole(self.root)

    def broadcast(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the strides of this array, broadcast to a shape."""
        lead = len(shape) - len(self.shape)
        own = zip(self.shape, shape[lead:], self.strides, strict=True)
        return (*[0] * lead, *[0 if n == 1 and m != 1 else stride for n, m, stride in own])


@dataclass(eq=False)
class Step:
    """The work of a call on arrays in memory."""

    #: A key of `FUNCTIONS`, of which None is a conversion; or the function of a reduction.
    function: Any
    #: Each is an `Array`, or a scalar of NumPy's.
    operands: list[Any]
    #: The dtype to which each operand is converted.
    dtypes: tuple[Any, ...]
    #: The result: a whole root, or a part of one.
    out: Array

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the loop."""
        return self.out.shape


class Map(Step):
    """One elementwise function."""


@dataclass(eq=False)
class Reduction(Step):
    """A ufunc that joins the elements along some axes: in the result, these have length 1."""

    axes: tuple[int, ...]
    initial: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the operand."""
        return tuple(self.operands[0].shape)


class Product(Step):
    """A product of two matrices."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The rows and columns of the result, and the length that is summed."""
        return (*self.out.shape, self.operands[0].shape[1])


def dtype_of_value(x: Value) -> np.dtype[Any]:
    """Return the dtype of a Value, if there is machine code for it; that of a float is float64."""
    dtype = np.dtype(float) if x.kind is float else x.dtype
    if dtype is None or dtype not in ELEMENTS or not dtype.isnative:
        raise NotNative(f"it has values of {dtype or x.kind.__name__}")
    return dtype


def whole(x: Value) -> Array:
    """Return a Value as the root of an Array."""
    return Array(x, 0, x.shape or (), x.strides or (), dtype_of_value(x))
