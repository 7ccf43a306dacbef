"""The largest and the smallest over axes, and the distance between them.

Where several elements are extreme, each gets an equal share of the gradient: the one choice
that treats them alike and whose shares add up to the whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand, possible

from ..arguments import Axis, kept_shape, refuse_out
from ..docstrings import sharing
from .masks import Mask, Scattered, divided, fixed
from .samples import BOUNDED, REDUCTIONS, WITH_NAN, apart

documented = sharing(
    """
    initial (number, optional): compared with the elements as if it were one of them; a constant.
    where: which elements are compared, with `initial`. It broadcasts to `a`; a constant, copied.
    Returns: dtype of `a`.
    """
)


class Max(Function):
    """The gradient goes to the largest element, in equal shares if there are several."""

    saves = ()
    reduce: Any = staticmethod(np.maximum.reduce)
    #: The same for arrays of other types, which may not know ``reduce``.
    function: Any = staticmethod(np.max)
    initial: Any = np._NoValue
    #: Where the extreme is `initial`.
    tied: Any = False

    def __init__(
        self,
        axis: Axis = None,
        keepdims: bool = False,
        initial: Any = np._NoValue,
        where: Mask = True,
    ) -> None:
        self.axis, self.keepdims, self.where = axis, keepdims, fixed(where)
        if initial is not np._NoValue:
            self.initial = initial

    def forward(self, x: Array) -> Array:
        reduce = self.reduce if type(x) is np.ndarray else self.function
        y = reduce(x, axis=self.axis, keepdims=True, initial=self.initial, where=self.where)
        # A mask of one byte an element is kept instead of the data.
        self.extreme = self.same(x, y)
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
    """The gradient goes to the smallest element, in equal shares if there are several."""

    reduce: Any = staticmethod(np.minimum.reduce)
    function: Any = staticmethod(np.min)


@documented
def max(
    a: Operand,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Mask = True,
) -> Variable:
    """Largest element over axes: ``np.max``, ``a.max()``.

    a: any shape, not empty along the axes if there is no `initial`. nan is the largest.
    Derivative: 1 for the largest element, shared equally over ties; `initial` keeps the share of
        one.
    Raises ValueError: if there is nothing to take the maximum of.
    Source: ``numpy.max``. JAX and autograd share over ties too; DeZero's Max gives each of them the
        whole gradient.

    >>> a = Variable(np.array([1.0, 3.0, 3.0]))
    >>> y = max(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(3.0), array([0. , 0.5, 0.5]))
    """
    refuse_out("max", out)
    return Max(axis, keepdims, initial, where)(a)


@documented
def min(
    a: Operand,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Mask = True,
) -> Variable:
    """Smallest element over axes: ``np.min``, ``a.min()``.

    a: any shape, not empty along the axes if there is no `initial`. nan is the smallest.
    Derivative: 1 for the smallest element, shared equally over ties; `initial` keeps the share of
        one.
    Raises ValueError: if there is nothing to take the minimum of.

    >>> min(Variable(np.array([[1.0, 3.0], [2.0, 0.0]])), axis=1)
    variable([1. 0.])
    """
    refuse_out("min", out)
    return Min(axis, keepdims, initial, where)(a)


class NanMax(Max):
    """The gradient goes to the largest element; those that are nan get none."""

    reduce: Any = staticmethod(np.nanmax)
    function: Any = staticmethod(np.nanmax)

    def same(self, x: Array, y: Array) -> Array:
        return x == y


class NanMin(NanMax):
    """The gradient goes to the smallest element; those that are nan get none."""

    reduce: Any = staticmethod(np.nanmin)
    function: Any = staticmethod(np.nanmin)


@documented
def nanmax(
    a: Operand,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Mask = True,
) -> Variable:
    """Largest element over axes, without nan: ``np.nanmax``.

    a: any shape, not empty along the axes if there is no `initial`. Where all is nan, so is the
        largest, with a RuntimeWarning, as in NumPy.
    Derivative: 1 for the largest element, shared equally over ties; `initial` keeps the share of
        one. 0 for nan.
    Raises ValueError: if there is nothing to take the maximum of.

    >>> nanmax(Variable(np.array([1.0, np.nan, 3.0])))
    variable(3.0)
    """
    refuse_out("nanmax", out)
    return NanMax(axis, keepdims, initial, where)(a)


@documented
def nanmin(
    a: Operand,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Mask = True,
) -> Variable:
    """Smallest element over axes, without nan: ``np.nanmin``.

    a: any shape, not empty along the axes if there is no `initial`. Where all is nan, so is the
        smallest, with a RuntimeWarning, as in NumPy.
    Derivative: 1 for the smallest element, shared equally over ties; `initial` keeps the share of
        one. 0 for nan.
    Raises ValueError: if there is nothing to take the minimum of.

    >>> nanmin(Variable(np.array([1.0, np.nan, 3.0])))
    variable(1.0)
    """
    refuse_out("nanmin", out)
    return NanMin(axis, keepdims, initial, where)(a)


class Ptp(Function):
    """d ptp(x) = d max(x) - d min(x)."""

    saves = ()

    def __init__(self, axis: Axis, keepdims: bool) -> None:
        self.axis, self.keepdims = axis, keepdims

    def forward(self, x: Array) -> Array:
        self.ends = Max(self.axis, self.keepdims), Min(self.axis, self.keepdims)
        largest, smallest = (end.forward(x) for end in self.ends)
        return largest - smallest

    def backward(self, gy: Array) -> Array:
        largest, smallest = (end.backward(gy) for end in self.ends)
        return largest - smallest


@documented
def ptp(a: Operand, axis: Axis = None, out: None = None, keepdims: bool = False) -> Variable:
    """Largest element less the smallest, over axes: ``np.ptp``, "peak to peak".

    a: any shape, not empty along the axes.
    Derivative: 1 for the largest element and -1 for the smallest, each shared equally over ties: 0
        where all are equal.
    Raises ValueError: if there is nothing to compare.

    >>> a = Variable(np.array([2.0, 5.0, 3.0]))
    >>> y = ptp(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(3.0), array([-1.,  1.,  0.]))
    """
    refuse_out("ptp", out)
    return Ptp(axis, keepdims)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = Sample(REDUCTIONS + BOUNDED, apart=apart, complex=True)
    register("max", max, Max, methods="max", numpy=(np.max, np.amax), sample=sample)
    register("min", min, Min, methods="min", numpy=(np.min, np.amin), sample=sample)

    sample = Sample(REDUCTIONS + BOUNDED + WITH_NAN, apart=apart, complex=True)
    register("nanmax", nanmax, NanMax, numpy=np.nanmax, sample=sample)
    register("nanmin", nanmin, NanMin, numpy=np.nanmin, sample=sample)

    sample = Sample(REDUCTIONS, apart=apart, complex=True)
    register("ptp", ptp, Ptp, numpy=np.ptp, sample=sample)
