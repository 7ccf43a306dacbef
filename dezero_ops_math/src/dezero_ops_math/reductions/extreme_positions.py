"""Where the largest and the smallest are: plain integers, without a derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Registrar, Sample
from dezero_core.extend import Operand

from ..arguments import refuse_out
from ..plain import Integers, plain
from .samples import POSITIONS, POSITIONS_OF_NUMBERS


@plain
def argmax(
    a: Operand, axis: int | None = None, out: None = None, *, keepdims: Any = False
) -> Integers:
    """Position of the largest element, the first of several: ``np.argmax``, ``a.argmax()``.

    axis: the axis to look along; by default the elements in a row.
    keepdims (bool): leave the axis in the shape, of length 1.
    Raises ValueError: if there is nothing to compare.

    >>> argmax(Variable(np.array([[1.0, 3.0], [4.0, 2.0]])), axis=1)
    array([1, 0])
    """
    refuse_out("argmax", out)
    return np.argmax(a, axis=axis, keepdims=keepdims)


@plain
def argmin(
    a: Operand, axis: int | None = None, out: None = None, *, keepdims: Any = False
) -> Integers:
    """Position of the smallest element, the first of several: ``np.argmin``, ``a.argmin()``.

    axis: the axis to look along; by default the elements in a row.
    keepdims (bool): leave the axis in the shape, of length 1.
    Raises ValueError: if there is nothing to compare.

    >>> argmin(Variable(np.array([[1.0, 3.0], [4.0, 2.0]])), axis=1)
    array([0, 1])
    """
    refuse_out("argmin", out)
    return np.argmin(a, axis=axis, keepdims=keepdims)


@plain
def nanargmax(
    a: Operand, axis: int | None = None, out: None = None, *, keepdims: Any = False
) -> Integers:
    """Position of the largest element that is not nan: ``np.nanargmax``.

    a: any shape. nan does not count.
    axis: the axis to look along; by default the elements in a row.
    keepdims (bool): leave the axis in the shape, of length 1.
    Raises ValueError: if there is nothing to compare, or nothing but nan.

    >>> int(nanargmax(Variable(np.array([1.0, np.nan, 3.0]))))
    2
    """
    refuse_out("nanargmax", out)
    return np.nanargmax(a, axis=axis, keepdims=keepdims)


@plain
def nanargmin(
    a: Operand, axis: int | None = None, out: None = None, *, keepdims: Any = False
) -> Integers:
    """Position of the smallest element that is not nan: ``np.nanargmin``.

    a: any shape. nan does not count.
    axis: the axis to look along; by default the elements in a row.
    keepdims (bool): leave the axis in the shape, of length 1.
    Raises ValueError: if there is nothing to compare, or nothing but nan.

    >>> int(nanargmin(Variable(np.array([np.nan, 2.0, 1.0]))))
    2
    """
    refuse_out("nanargmin", out)
    return np.nanargmin(a, axis=axis, keepdims=keepdims)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    for function, of_numpy in ((argmax, np.argmax), (argmin, np.argmin)):
        name = function.__name__
        register(
            name,
            function,
            differentiable=False,
            methods=name,
            numpy=of_numpy,
            sample=Sample(POSITIONS, complex=True),
        )
    for function, of_numpy in ((nanargmax, np.nanargmax), (nanargmin, np.nanargmin)):
        register(
            function.__name__,
            function,
            differentiable=False,
            numpy=of_numpy,
            sample=Sample(POSITIONS_OF_NUMBERS, complex=True),
        )
