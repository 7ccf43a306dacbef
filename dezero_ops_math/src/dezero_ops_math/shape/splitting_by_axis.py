"""One array taken apart along its first, second or third axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand

from ..docstrings import sharing
from .axes import fixed
from .splitting import ArraySplit
from .unstacking import several

documented = sharing(
    """
    indices_or_sections (int or sequence of int): the number of equal parts, or the positions before
        which it is cut.
    """
)


class VSplit(ArraySplit):
    """As `ArraySplit`, along the first axis."""

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        return tuple(np.vsplit(x, self.indices_or_sections))


@documented
def vsplit(ary: Array, indices_or_sections: Any) -> list[Variable]:
    """Take apart along the first axis: ``np.vsplit``.

    Returns (list of Variable): views of the data.
    Derivative: 1 for every element.
    Raises ValueError: if there are fewer than two axes, or that many parts would not be equal.

    >>> vsplit(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), 2)
    [variable([[1. 2.]]), variable([[3. 4.]])]
    """
    return _parts(VSplit, indices_or_sections, ary)


class HSplit(ArraySplit):
    """As `ArraySplit`, along the second axis, or the only one."""

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        self.axis = 0 if len(self.shape) == 1 else 1
        return tuple(np.hsplit(x, self.indices_or_sections))


@documented
def hsplit(ary: Array, indices_or_sections: Any) -> list[Variable]:
    """Take apart along the second axis, or the only one: ``np.hsplit``.

    Returns (list of Variable): views of the data.
    Derivative: 1 for every element.
    Raises ValueError: if there is no axis, or that many parts would not be equal.

    >>> hsplit(Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), 2)[1]
    variable([[2.]
              [4.]])
    """
    return _parts(HSplit, indices_or_sections, ary)


class DSplit(ArraySplit):
    """As `ArraySplit`, along the third axis."""

    def forward(self, x: Array) -> Array:
        self.shape = np.shape(x)
        self.axis = 2
        return tuple(np.dsplit(x, self.indices_or_sections))


@documented
def dsplit(ary: Array, indices_or_sections: Any) -> list[Variable]:
    """Take apart along the third axis: ``np.dsplit``.

    Returns (list of Variable): views of the data.
    Derivative: 1 for every element.
    Raises ValueError: if there are fewer than three axes, or that many parts would not be equal.

    >>> [part.shape for part in dsplit(Variable(np.zeros((2, 3, 4))), [1])]
    [(2, 3, 1), (2, 3, 3)]
    """
    return _parts(DSplit, indices_or_sections, ary)


def _parts(function: type[ArraySplit], indices_or_sections: Any, ary: Operand) -> list[Variable]:
    return list(several(function(fixed(indices_or_sections))(ary)))


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    a = Draw((4, 2, 6))
    of_any = Call(a, 2), Call(a, [1]), Call(a, ()), Call(Draw((2, 0, 2)), 1), Call(a, [1, -2])
    flat, row = Call(Draw((2, 4)), 2), Call(Draw((6,)), 3)
    functions: tuple[tuple[Any, type[Function], Any, tuple[Call, ...]], ...] = (
        (vsplit, VSplit, np.vsplit, (*of_any, flat)),
        (hsplit, HSplit, np.hsplit, (*of_any, flat, row, Call(Draw((4,)), [3, 1]))),
        (dsplit, DSplit, np.dsplit, (*of_any, Call(a, [4, 1]))),
    )
    for function, function_class, of_numpy, calls in functions:
        sample = Sample(calls, complex=True)
        register(function.__name__, function, function_class, numpy=of_numpy, sample=sample)
