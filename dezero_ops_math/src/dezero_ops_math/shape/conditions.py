"""Picking the elements for which a condition holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import refuse_out
from ..docstrings import documented
from .positions import Picked, fixed


class Compress(Picked):
    """Picks where a condition holds."""

    def __init__(self, condition: Any, axis: int | None) -> None:
        self.condition, self.axis = condition, axis

    def pick(self, x: Array) -> Array:
        return np.compress(self.condition, x, axis=self.axis)


@documented
def compress(condition: Any, a: Operand, axis: int | None = None, out: None = None) -> Variable:
    """Elements or rows where a condition holds: ``np.compress``, ``x.compress(condition)``.

    condition (sequence of bool, ndarray of bool, or Variable): one axis; where it is shorter than
        that of `a`, the rest is left out. Copied.
    axis: along which to pick; of the flattened array by default.
    Derivative: 1 for each element picked, 0 for the rest.
    Raises AxisError (ValueError, IndexError): if `a` has no such axis.
    Raises ValueError: if `condition` has not one axis.
    Raises IndexError: if it holds beyond the end of `a`.

    >>> compress([True, False, True], Variable(np.array([1.0, 2.0, 3.0])))
    variable([1. 3.])
    """
    refuse_out("compress", out)
    return Compress(fixed(condition), axis)(a)


def _compressed(a: Operand, condition: Any, axis: int | None = None, out: None = None) -> Variable:
    """Elements or rows where a condition holds; see `compress`."""
    return compress(condition, a, axis, out)


class Extract(Picked):
    """Picks where a condition of the same size holds."""

    def __init__(self, condition: Any) -> None:
        self.condition = condition

    def pick(self, x: Array) -> Array:
        return np.extract(self.condition, x)


@documented
def extract(condition: Any, arr: Operand) -> Variable:
    """Elements where a condition holds, in one line: ``np.extract``.

    condition (ndarray of bool, or Variable): usually of the shape of `arr`; copied.
    Returns: one axis.
    Derivative: 1 for each element picked, 0 for the rest.
    Raises IndexError: if `condition` holds beyond the end of `arr`.

    >>> x = Variable(np.array([[-1.0, 2.0], [3.0, -4.0]]))
    >>> extract(x > 0, x)
    variable([2. 3.])
    """
    return Extract(fixed(condition))(arr)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a, line = Draw((2, 3)), Draw((5,))
    yes_no = [True, False, True]
    mask = np.array([[True, False, True], [False, True, True]])
    calls: tuple[Call, ...] = (
        Call(yes_no, line),
        Call(np.array(yes_no), a, axis=1),
        Call(yes_no[:2], a, -2),
        Call(yes_no, a),
        Call([0, 2, -1], a, axis=-1),
        Call([False], line),
        Call([], line),
        Call([True], Draw()),
        Call([True, True], Draw((0, 2)), axis=1),
    )
    sample = Sample(calls, complex=True)
    methods = {"compress": _compressed}
    register("compress", compress, Compress, methods=methods, numpy=np.compress, sample=sample)
    calls = (
        Call(mask, a),
        Call(mask[0], line),
        Call(mask, Draw((3, 4))),
        Call(True, Draw()),
        Call(mask[:0], Draw((0, 3))),
        Call(~mask & mask, a),
    )
    register("extract", extract, Extract, numpy=np.extract, sample=Sample(calls, complex=True))
