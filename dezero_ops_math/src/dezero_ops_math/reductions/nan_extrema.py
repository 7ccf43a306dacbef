"""The largest and the smallest over axes of what is not nan."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import Axis, refuse_out
from ..docstrings import documented
from .extrema import Max
from .masks import Mask
from .samples import BOUNDED, REDUCTIONS, WITH_NAN, apart


class NanMax(Max):
    """The gradient goes to the largest element; what is nan gets none."""

    reduce: Any = staticmethod(np.nanmax)

    def same(self, x: Array, y: Array) -> Array:
        return x == y


class NanMin(NanMax):
    """The gradient goes to the smallest element; what is nan gets none."""

    reduce: Any = staticmethod(np.nanmin)


@documented
def nanmax(
    a: Operand,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: Any = np._NoValue,
    where: Mask = True,
) -> Variable:
    """Largest element over axes of what is not nan: ``np.nanmax``.

    a: any shape, not empty along the axes if there is no `initial`. Where all is nan, so is the
        largest, with a RuntimeWarning, as in NumPy.
    initial (number, optional): compared with the elements as if it were one of them; a constant.
    where: which elements are compared, with `initial`. It broadcasts to `a`; a constant, copied.
    Returns: dtype of `a`.
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
    """Smallest element over axes of what is not nan: ``np.nanmin``.

    a: any shape, not empty along the axes if there is no `initial`. Where all is nan, so is the
        smallest, with a RuntimeWarning, as in NumPy.
    initial (number, optional): compared with the elements as if it were one of them; a constant.
    where: which elements are compared, with `initial`. It broadcasts to `a`; a constant, copied.
    Returns: dtype of `a`.
    Derivative: 1 for the smallest element, shared equally over ties; `initial` keeps the share of
        one. 0 for nan.
    Raises ValueError: if there is nothing to take the minimum of.

    >>> nanmin(Variable(np.array([1.0, np.nan, 3.0])))
    variable(1.0)
    """
    refuse_out("nanmin", out)
    return NanMin(axis, keepdims, initial, where)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = Sample(REDUCTIONS + BOUNDED + WITH_NAN, apart=apart, complex=True)
    register("nanmax", nanmax, NanMax, numpy=np.nanmax, sample=sample)
    register("nanmin", nanmin, NanMin, numpy=np.nanmin, sample=sample)
