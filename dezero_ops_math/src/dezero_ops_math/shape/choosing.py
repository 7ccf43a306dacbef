"""Elements chosen from several arrays, by number or by condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import Array, Operand, call_by_type

from ..arguments import data_of, refuse_out
from ..declaring import Call, Draw, LinearMap, applying
from ..gradients import kept_each
from .positions import Picked, fixed, fixed_array

_NUMBERS = np.array([[0, 1, 0], [2, 1, 1]])
_MASK = np.array([[True, False, True], [False, True, True]])
_OTHER = np.array([[True, True, False], [False, False, True]])
_A, _ROW = Draw((2, 3)), Draw((3,))


class Choose(LinearMap):
    """The gradient goes to the array that was chosen."""

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
        rows = x if isinstance(x, np.ndarray) else [x[i] for i in range(len(x))]
        return np.choose(self.a, rows, mode=self.mode)


@applying(
    Choose,
    *(Call(_NUMBERS, [_A, _A, _ROW]), Call(_NUMBERS - 1, [Draw((1,)), _A], mode="wrap")),
    *(Call(_NUMBERS * 5 - 2, (_A, Draw(), _ROW), mode="clip"), Call(1, [_A, _ROW])),
    Call(_NUMBERS[:0], [_ROW, Draw()]),
)
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


class Where(LinearMap):
    """The gradient goes to the operand that was chosen."""

    def __init__(self, condition: Array) -> None:
        self.condition = condition

    def forward(self, *xy: Array) -> Array:
        return np.where(self.condition, *xy)

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        return kept_each(gy, (self.condition, ~self.condition), self.needs_grad)


@applying(
    Where,
    *(Call(_MASK, _A, _A), Call(_MASK[0], _A, _ROW), Call(True, _A, Draw())),
    *(Call(_MASK, Draw(), 0.0), Call(_MASK[:0], _ROW, 0.5), Call(_MASK, Draw((1,)), Draw((2, 1)))),
)
def where(condition: Operand, *xy: Operand) -> Any:
    """`x` where `condition` holds, elsewhere `y`: ``np.where(condition, x, y)``.

    condition (ndarray of bool, Variable or bool): has no derivative; copied.
    xy: `x` and `y`, of shapes that broadcast with each other and with `condition`. Without them,
        the positions where `condition` holds are found.
    Returns (Variable, or a tuple of ndarray without `xy`): shape and dtype as NumPy gives them.
    Derivative: 1 for the operand chosen, 0 for the other, also where the gradient is inf or nan.
    Raises ValueError: if the shapes do not broadcast, or one of `x` and `y` is missing.

    >>> x = Variable(np.array([-1.0, 2.0]))
    >>> where(x > 0, x, 0.1 * x), where(x > 0)
    (variable([-0.1  2. ]), (array([1]),))
    """
    if not xy:
        return call_by_type(np.where, (data_of(condition),), {})
    return Where(fixed_array(condition, bool))(*xy)


class Select(LinearMap):
    """The gradient goes to the first choice whose condition holds, or to the default."""

    def __init__(self, condlist: list[Array]) -> None:
        self.condlist = condlist

    def forward(self, default: Array, *choices: Array) -> Array:
        if type(default) is np.ndarray or np.isscalar(default):
            return np.select(self.condlist, choices, default)
        # np.select does not look whether the default is of another type of array.
        return np.select([*self.condlist, np.True_], [*choices, default], False)

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        chosen = []
        undecided: Any = np.True_
        for condition in self.condlist:
            chosen.append(undecided & condition)
            undecided = undecided & ~condition
        return kept_each(gy, (undecided, *chosen), self.needs_grad)


@applying(
    Select,
    *(Call([_MASK, _OTHER], [_A, _A]), Call([_MASK, _OTHER], [_A, _ROW], default=Draw())),
    Call([_MASK[0]], [_A], Draw((2, 1))),
    Call([_OTHER, _MASK, _OTHER], [_ROW, 1.5, Draw()], _A),
    *(Call([True, False], [Draw(), Draw()]), Call([_MASK[:0]], [_ROW])),
)
def select(
    condlist: Sequence[Operand], choicelist: Sequence[Operand], default: Operand = 0
) -> Variable:
    """The choice of the first condition that holds, elementwise: ``np.select``.

    condlist (sequence of ndarray of bool): have no derivative; copied.
    choicelist (sequence of Variable, ndarray or number): as many, of shapes that broadcast.
    default: where no condition holds.
    Derivative: 1 for what was chosen, else 0.
    Raises ValueError: if choices and conditions are not as many, or none, or shapes do not fit.
    Raises TypeError: if a condition is not boolean.

    >>> x = Variable(np.array([-2.0, 0.5, 3.0]))
    >>> select([x < 0, x > 1], [-x, x * x], default=1.0)
    variable([2. 1. 9.])
    """
    return Select([fixed_array(condition) for condition in condlist])(default, *choicelist)
