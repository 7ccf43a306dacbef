"""Choosing elements of several arrays by a condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..docstrings import documented
from ..masking import kept_each
from .positions import plain


class Where(Function):
    """The gradient goes to the operand that was chosen."""

    saves = ()

    def __init__(self, condition: Array) -> None:
        self.condition = condition

    def forward(self, *xy: Array) -> Array:
        return np.where(self.condition, *xy)

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        return kept_each(gy, (self.condition, ~self.condition), self.needs_grad)


@documented
def where(condition: Operand, *xy: Operand) -> Any:
    """`x` where `condition` holds, elsewhere `y`: ``np.where(condition, x, y)``.

    condition (ndarray of bool, Variable or bool): has no derivative; copied.
    xy: `x` and `y`, of shapes that broadcast with each other and with `condition`. Without them,
        the positions where `condition` holds are found.
    Returns (Variable, or a tuple of ndarray if `xy` is not given): shape and dtype as NumPy gives
        them.
    Derivative: 1 for the operand chosen, 0 for the other: an inf or nan that was not chosen does
        not reach the gradient from here.
    Raises ValueError: if the shapes do not broadcast, or one of `x` and `y` is missing.

    >>> x = Variable(np.array([-1.0, 2.0]))
    >>> where(x > 0, x, 0.1 * x), where(x > 0)
    (variable([-0.1  2. ]), (array([1]),))
    """
    if not xy:
        return np.where(plain(condition))
    return Where(np.array(plain(condition), dtype=bool))(*xy)


class Select(Function):
    """The gradient goes to the first choice whose condition holds, or to the default."""

    saves = ()

    def __init__(self, condlist: list[Array]) -> None:
        self.condlist = condlist

    def forward(self, default: Array, *choices: Array) -> Array:
        return np.select(self.condlist, choices, default)

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        chosen = []
        undecided: Any = np.True_
        for condition in self.condlist:
            chosen.append(undecided & condition)
            undecided = undecided & ~condition
        return kept_each(gy, (undecided, *chosen), self.needs_grad)


@documented
def select(
    condlist: Sequence[Operand], choicelist: Sequence[Operand], default: Operand = 0
) -> Variable:
    """The choice of the first condition that holds, elementwise: ``np.select``.

    condlist (sequence of ndarray of bool): have no derivative; copied.
    choicelist (sequence of Variable, ndarray or number): as many, of shapes that broadcast.
    default: where no condition holds.
    Derivative: 1 for what was chosen, else 0.
    Raises ValueError: if there are not as many choices as conditions, or none, or shapes do not
        broadcast.
    Raises TypeError: if a condition is not boolean.

    >>> x = Variable(np.array([-2.0, 0.5, 3.0]))
    >>> select([x < 0, x > 1], [-x, x * x], default=1.0)
    variable([2. 1. 9.])
    """
    conditions = [np.array(plain(condition)) for condition in condlist]
    return Select(conditions)(default, *choicelist)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    mask, a, row = np.array([[True, False, True], [False, True, True]]), Draw((2, 3)), Draw((3,))
    calls: tuple[Call, ...] = (
        Call(mask, a, a),
        Call(mask[0], a, row),
        Call(True, a, Draw()),
        Call(mask, Draw(), 0.0),
    )
    calls += Call(mask[:0], row, 0.5), Call(mask, Draw((1,)), Draw((2, 1)))
    register("where", where, Where, numpy=np.where, sample=Sample(calls, complex=True))
    other = np.array([[True, True, False], [False, False, True]])
    calls = (
        Call([mask, other], [a, a]),
        Call([mask, other], [a, row], default=Draw()),
        Call([mask[0]], [a], Draw((2, 1))),
        Call([other, mask, other], [row, 1.5, Draw()], a),
        Call([True, False], [Draw(), Draw()]),
        Call([mask[:0]], [row]),
    )
    register("select", select, Select, numpy=np.select, sample=Sample(calls, complex=True))
