"""Functions that pick, bound and reshape, with the arguments that they have in the book."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from dezero_ops_math.docstrings import documented

import dezero_ops_basic as basic
import dezero_ops_math as ops
from dezero_core import Variable
from dezero_core.extend import Operand


@documented
def clip(x: Operand, x_min: Operand, x_max: Operand) -> Variable:
    """Keep elements within bounds.

    x (Variable or ndarray):
    Derivative: 1 for `x` where it is in the closed interval, else 0, and 1 for the bound.
    Raises ValueError: if the shapes do not broadcast.
    Source: DeZero's function of that name.

    >>> clip(Variable(np.array([-1.0, 0.5, 7.0])), 0.0, 1.0)
    variable([0.  0.5 1. ])
    """
    return ops.clip(x, x_min, x_max)


@documented
def get_item(x: Operand, slices: Any) -> Variable:
    """Index as NumPy does: ``x[slices]``.

    x (Variable or ndarray):
    slices (int, slice, array_like, tuple of these, ``...`` or None):
    Derivative: 1 for each element picked; of one that is picked twice it adds up.
    Raises IndexError: if the index is out of range.
    Source: DeZero's function of that name; the book's step 47.

    >>> get_item(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), (slice(None), 1))
    variable([2. 4.])
    """
    return basic.getitem(x, slices)


@documented
def flatten(x: Operand) -> Variable:
    """All elements of each row along one axis: a matrix with the rows of `x`.

    x (Variable or ndarray): of shape ``(n, ...)``.
    Returns: of shape ``(n, elements of a row)``; of a vector it is ``(n, 1)``.
    Derivative: 1 for every element.
    Raises ValueError: if `x` has no axis.
    Note: ``dezero_ops_math.flatten``, which is ``x.flatten()``, has one axis for all, as in NumPy.
    Source: DeZero's function of that name.

    >>> flatten(Variable(np.zeros((2, 3, 4)))).shape
    (2, 12)
    """
    shape = np.shape(x)
    if not shape:
        raise ValueError("flatten: x must have at least one axis, of the rows, and has none.")
    return ops.reshape(x, (shape[0], math.prod(shape[1:])))
