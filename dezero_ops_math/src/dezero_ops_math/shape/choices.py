"""Choosing elements of several arrays by number."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..arguments import refuse_out
from ..docstrings import documented
from ..masking import kept_each
from .positions import Picked, fixed


class Choose(Function):
    """The gradient goes to the array that was chosen."""

    saves = ()

    def __init__(self, a: Array, mode: Any) -> None:
        self.a, self.mode = a, mode

    def forward(self, *choices: Array) -> Array:
        return np.choose(self.a, choices, mode=self.mode)

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        chosen = np.choose(self.a, range(len(self.needs_grad)), mode=self.mode)
        masks = [chosen == number for number in range(len(self.needs_grad))]
        return kept_each(gy, masks, self.needs_grad)


class ChooseRow(Picked):
    """The same where the choices are the rows of one array."""

    def __init__(self, a: Array, mode: Any) -> None:
        self.a, self.mode = a, mode

    def pick(self, x: Array) -> Array:
        return np.choose(self.a, x, mode=self.mode)


@documented
def choose(a: Operand, choices: Any, out: None = None, mode: str = "raise") -> Variable:
    """From several arrays the one of each number in `a`, elementwise: ``np.choose``.

    a (ndarray of int, or Variable of such): numbers of choices; copied.
    choices (sequence of Variable, ndarray or number; or one Variable or ndarray): of shapes that
        broadcast with each other and with `a`. One array stands for its rows.
    mode ({"raise", "wrap", "clip"}): what becomes of numbers that are no choice's.
    Derivative: 1 for what was chosen, else 0.
    Raises TypeError: if `a` is not of integers.
    Raises ValueError: if a number is no choice's, or shapes do not broadcast.

    >>> x = Variable(np.array([1.0, 2.0, 3.0]))
    >>> choose(np.array([0, 1, 0]), [x, -x])
    variable([ 1. -2.  3.])
    """
    refuse_out("choose", out)
    if isinstance(choices, Variable):
        return ChooseRow(fixed(a), mode)(choices)
    return Choose(fixed(a), mode)(*choices)


def register_ops(register: Registrar) -> None:
    """Register the operation of this file."""
    a, row = Draw((2, 3)), Draw((3,))
    numbers = np.array([[0, 1, 0], [2, 1, 1]])
    calls = (
        Call(numbers, [a, a, row]),
        Call(numbers - 1, [Draw((1,)), a], mode="wrap"),
        Call(numbers * 5 - 2, (a, Draw(), row), mode="clip"),
        Call(1, [a, row]),
        Call(numbers[:0], [row, Draw()]),
    )
    register("choose", choose, Choose, numpy=np.choose, sample=Sample(calls, complex=True))
