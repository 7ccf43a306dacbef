"""The largest and the smallest over axes, the distance between them, and where they are.

Where several elements are extreme, each gets an equal share of the gradient: the one choice
that treats them alike and whose shares add up to the whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core.extend import Array, Operand, possible

from ..arguments import Axis, kept_shape, refuse_out
from ..declaring import Integers, LinearMap, Sample, operation, without_derivative
from ..docstrings import sharing
from .masks import Mask, Scattered, divided, fixed
from .samples import BOUNDED, POSITIONS, POSITIONS_OF_NUMBERS, REDUCTIONS, WITH_NAN, apart

documented = sharing(
    """
    initial (number, optional): compared with the elements as if it were one of them; a constant.
    where: which elements are compared, with `initial`. It broadcasts to `a`; a constant, copied.
    Returns: dtype of `a`.
    """
)


class Max(LinearMap):
    """Largest element over axes: ``np.max``, ``a.max()``.

    a: any shape, not empty along the axes if there is no `initial`. nan is the largest.
    Derivative: 1 for the largest element, shared equally over ties; `initial` keeps its share.
    Raises ValueError: if there is nothing to take the maximum of.
    Source: ``numpy.max``. JAX and autograd share over ties too; DeZero's Max gives each all of it.

    >>> a = Variable(np.array([1.0, 3.0, 3.0]))
    >>> y = max(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(3.0), array([0. , 0.5, 0.5]))
    """

    linear = False

    reduce: Any = staticmethod(np.maximum.reduce)
    #: The same for arrays of other types, which may not know ``reduce``.
    function: Any = staticmethod(np.max)
    initial: Any = np._NoValue
    #: Where the extreme is `initial`.
    tied: Any = False

    def __init__(
        self,
        axis: Axis = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = np._NoValue,
        where: Mask = True,
    ) -> None:
        refuse_out(self, out)
        self.axis, self.keepdims, self.where = axis, keepdims, fixed(where)
        if initial is not np._NoValue:
            self.initial = initial

    def forward(self, a: Operand) -> Array:
        reduce = self.reduce if type(a) is np.ndarray else self.function
        y = reduce(a, axis=self.axis, keepdims=True, initial=self.initial, where=self.where)
        # A mask of one byte an element is kept instead of the data.
        self.extreme = self.same(a, y)
        if self.where is not True:
            self.extreme = self.extreme & self.where
        if self.initial is not np._NoValue and self.initial is not None:
            self.tied = self.same(np.asarray(self.initial, y.dtype), y)
        return y if self.keepdims else np.squeeze(y, axis=self.axis)

    def same(self, x: Array, y: Array) -> Array:
        """Return where `x` is the extreme `y`; nan is, if there is one."""
        same = x == y
        nan = y != y
        return same | ((x != x) & nan) if possible(nan.any()) else same

    def backward(self, gy: Array) -> Array:
        share = gy.reshape(kept_shape(self.extreme.shape, self.axis))
        if self.tied is not False or possible(np.count_nonzero(self.extreme) != gy.size):
            ties = np.sum(self.extreme, axis=self.axis, keepdims=True) + self.tied
            share = divided(share, ties)
        return Scattered(self.extreme).of(share)


class Min(Max):
    """Smallest element over axes: ``np.min``, ``a.min()``.

    a: any shape, not empty along the axes if there is no `initial`. nan is the smallest.
    Derivative: 1 for the smallest element, shared equally over ties; `initial` keeps its share.
    Raises ValueError: if there is nothing to take the minimum of.

    >>> min(Variable(np.array([[1.0, 3.0], [2.0, 0.0]])), axis=1)
    variable([1. 0.])
    """

    reduce: Any = staticmethod(np.minimum.reduce)
    function: Any = staticmethod(np.min)


class NanMax(Max):
    """Largest element over axes, without nan: ``np.nanmax``.

    a: any shape, not empty without `initial`. Of nothing but nan it is nan, with a RuntimeWarning.
    Derivative: 1 for the largest, shared equally over ties; `initial` keeps its share. 0 for nan.
    Raises ValueError: if there is nothing to take the maximum of.

    >>> nanmax(Variable(np.array([1.0, np.nan, 3.0])))
    variable(3.0)
    """

    reduce: Any = staticmethod(np.nanmax)
    function: Any = staticmethod(np.nanmax)

    def same(self, x: Array, y: Array) -> Array:
        return x == y


class NanMin(NanMax):
    """Smallest element over axes, without nan: ``np.nanmin``.

    a: any shape, not empty without `initial`. Of nothing but nan it is nan, with a RuntimeWarning.
    Derivative: 1 for the smallest, shared equally over ties; `initial` keeps its share. 0 for nan.
    Raises ValueError: if there is nothing to take the minimum of.

    >>> nanmin(Variable(np.array([1.0, np.nan, 3.0])))
    variable(1.0)
    """

    reduce: Any = staticmethod(np.nanmin)
    function: Any = staticmethod(np.nanmin)


class Ptp(LinearMap):
    """Largest element less the smallest, over axes: ``np.ptp``, "peak to peak".

    a: any shape, not empty along the axes.
    Derivative: 1 for the largest, -1 for the smallest, shared over ties: 0 where all are equal.
    Raises ValueError: if there is nothing to compare.

    >>> a = Variable(np.array([2.0, 5.0, 3.0]))
    >>> y = ptp(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(3.0), array([-1.,  1.,  0.]))
    """

    linear = False

    def __init__(self, axis: Axis = None, out: None = None, keepdims: bool = False) -> None:
        refuse_out(self, out)
        self.axis, self.keepdims = axis, keepdims

    def forward(self, a: Operand) -> Array:
        self.ends = [cls(self.axis, keepdims=self.keepdims) for cls in (Max, Min)]
        largest, smallest = (end.forward(a) for end in self.ends)
        return largest - smallest

    def backward(self, gy: Array) -> Array:
        largest, smallest = (end.backward(gy) for end in self.ends)
        return largest - smallest


_WITH_NAN = Sample(*POSITIONS_OF_NUMBERS, complex=True)


@without_derivative(*POSITIONS, complex=True)
def argmax(
    a: Operand, axis: int | None = None, out: None = None, *, keepdims: Any = False
) -> Integers:
    """Position of the largest element, the first of several: ``np.argmax``, ``a.argmax()``.

    Raises ValueError: if there is nothing to compare.

    >>> argmax(Variable(np.array([[1.0, 3.0], [4.0, 2.0]])), axis=1)
    array([1, 0])
    """
    refuse_out("argmax", out)
    return np.argmax(a, axis=axis, keepdims=keepdims)


@without_derivative(*POSITIONS, complex=True)
def argmin(
    a: Operand, axis: int | None = None, out: None = None, *, keepdims: Any = False
) -> Integers:
    """Position of the smallest element, the first of several: ``np.argmin``, ``a.argmin()``.

    Raises ValueError: if there is nothing to compare.

    >>> argmin(Variable(np.array([[1.0, 3.0], [4.0, 2.0]])), axis=1)
    array([0, 1])
    """
    refuse_out("argmin", out)
    return np.argmin(a, axis=axis, keepdims=keepdims)


@without_derivative(_WITH_NAN)
def nanargmax(
    a: Operand, axis: int | None = None, out: None = None, *, keepdims: Any = False
) -> Integers:
    """Position of the largest element that is not nan: ``np.nanargmax``.

    a: any shape. nan does not count.
    Raises ValueError: if there is nothing to compare, or nothing but nan.

    >>> int(nanargmax(Variable(np.array([1.0, np.nan, 3.0]))))
    2
    """
    refuse_out("nanargmax", out)
    return np.nanargmax(a, axis=axis, keepdims=keepdims)


@without_derivative(_WITH_NAN)
def nanargmin(
    a: Operand, axis: int | None = None, out: None = None, *, keepdims: Any = False
) -> Integers:
    """Position of the smallest element that is not nan: ``np.nanargmin``.

    a: any shape. nan does not count.
    Raises ValueError: if there is nothing to compare, or nothing but nan.

    >>> int(nanargmin(Variable(np.array([np.nan, 2.0, 1.0]))))
    2
    """
    refuse_out("nanargmin", out)
    return np.nanargmin(a, axis=axis, keepdims=keepdims)


_MAX_SAMPLE = Sample(*REDUCTIONS, *BOUNDED, apart=apart, complex=True)
_NANMAX_SAMPLE = Sample(*REDUCTIONS, *BOUNDED, *WITH_NAN, apart=apart, complex=True)

max = operation(Max, _MAX_SAMPLE)
min = operation(Min, _MAX_SAMPLE)
nanmax = operation(NanMax, _NANMAX_SAMPLE)
nanmin = operation(NanMin, _NANMAX_SAMPLE)
ptp = operation(Ptp, *REDUCTIONS, apart=apart)
