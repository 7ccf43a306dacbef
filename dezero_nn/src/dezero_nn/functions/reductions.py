"""The functions of dezero-ops-math over axes, with the arguments and defaults of the book."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from dezero_ops_math.docstrings import sharing

import dezero_ops_math as ops
from dezero_core import Variable
from dezero_core.extend import Operand

Axis = int | tuple[int, ...] | None
F = TypeVar("F", bound=Callable[..., Variable])

documented = sharing(
    "Source: DeZero's function of that name; steps 39 (`sum`) and 47 (`softmax`) of the book."
)

_ANY = "x (Variable or ndarray):"


class OverAxes(Protocol):
    """Of all axes by default."""

    def __call__(self, x: Operand, axis: Axis = None, keepdims: bool = False) -> Variable: ...


class OverColumns(Protocol):
    """Of the second axis by default."""

    def __call__(self, x: Operand, axis: Axis = 1) -> Variable: ...


def over_axes(operation: Any, result: str, fields: str = _ANY) -> OverAxes:
    """Return an operation with `keepdims` behind `axis`."""

    def function(x: Operand, axis: Axis = None, keepdims: bool = False) -> Variable:
        return operation(x, axis, keepdims=keepdims)

    return _renamed(function, operation, f"[[1.0, 2.0], [3.0, 4.0]])), 0, True)\n{result}", fields)


def over_columns(operation: Any, result: str) -> OverColumns:
    """Return an operation that is along the second axis by default, and not along the last."""

    def function(x: Operand, axis: Axis = 1) -> Variable:
        return operation(x, axis)

    return _renamed(function, operation, f"[[1000.0, 1000.0]])))\n{result}", _OF_COLUMNS)


def _renamed(function: F, operation: Any, example: str, fields: str) -> F:
    """Let a function have the name of an operation, its summary and, if need be, derivative."""
    name = function.__name__ = function.__qualname__ = operation.__name__
    if operation.__doc__ is not None:  # as it is under python -OO
        summary = re.sub(": ``np.*", ".", operation.__doc__.partition("\n")[0])
        (derivative,) = re.findall(r"^    (Derivative.*(?:\n.+)*)", operation.__doc__, re.MULTILINE)
        if "Derivative" not in fields:
            fields = f"{fields}\n{derivative}"
        function.__doc__ = f"{summary}\n\n{fields}\n\n>>> {name}(Variable(np.array({example}"
    return documented(function)


_OF_COLUMNS = """x (Variable or ndarray): real; with the default of `axis`, of at least two axes.
axis: the axes over which the probabilities add up to 1; the second by default.
Returns: of the shape and floating dtype of `x`.
Raises TypeError: if `x` is complex.
Note: in dezero-ops-math it is the same over the last axis by default."""

_OF_TIES = """x (Variable or ndarray): not empty along the axes.
Derivative: 1 for that element. Equal ones share it; in the book each of them has 1.
Raises ValueError: if there is no element."""

sum = over_axes(ops.sum, "variable([[4. 6.]])")
mean = average = over_axes(
    ops.mean, "variable([[2. 3.]])", f"{_ANY}\nNote: `mean` and `average` are one function."
)
max = over_axes(ops.max, "variable([[3. 4.]])", _OF_TIES)
min = over_axes(ops.min, "variable([[1. 2.]])", _OF_TIES)
softmax = over_columns(ops.softmax, "variable([[0.5 0.5]])")
log_softmax = over_columns(ops.log_softmax, "variable([[-0.69314718 -0.69314718]])")


@documented
def logsumexp(x: Operand, axis: Axis = 1, keepdims: bool = True) -> Variable:
    """``log(sum(exp(x)))`` over axes, without overflow; over columns by default, which stay.

    x (Variable or ndarray): real; with the default of `axis`, of at least two axes.
    axis: the axes over which it is taken; the second by default.
    Returns: of the floating dtype of `x`.
    Derivative: ``softmax(x)`` over those axes.
    Raises TypeError: if `x` is complex.
    Source: the function of that name in DeZero's ``utils``, which is of arrays.

    >>> logsumexp(Variable(np.array([[1000.0, 1000.0]])))
    variable([[1000.69314718]])
    """
    return ops.logsumexp(x, axis, keepdims=keepdims)
