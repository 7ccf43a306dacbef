"""Logic, and whether arrays are equal or close: plain answers, without a derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Registrar, Sample, elementwise
from dezero_core.extend import Operand

from ..plain import Booleans, plain


@plain
def logical_and(x0: Operand, x1: Operand) -> Booleans:
    """Whether both are not 0, elementwise: ``np.logical_and``.

    >>> logical_and(Variable(np.array([0.0, 2.0])), [True, True])
    array([False,  True])
    """
    return np.logical_and(x0, x1)


@plain
def logical_or(x0: Operand, x1: Operand) -> Booleans:
    """Whether one is not 0, or both, elementwise: ``np.logical_or``.

    >>> logical_or(Variable(np.array([0.0, 2.0])), [False, True])
    array([False,  True])
    """
    return np.logical_or(x0, x1)


@plain
def logical_xor(x0: Operand, x1: Operand) -> Booleans:
    """Whether one is not 0 and the other is, elementwise: ``np.logical_xor``.

    >>> logical_xor(Variable(np.array([0.0, 2.0])), [True, True])
    array([ True, False])
    """
    return np.logical_xor(x0, x1)


@plain
def logical_not(x: Operand) -> Booleans:
    """Whether each element is 0: ``np.logical_not``.

    >>> logical_not(Variable(np.array([0.0, 2.0])))
    array([ True, False])
    """
    return np.logical_not(x)


@plain
def isclose(
    a: Operand, b: Operand, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False
) -> Booleans:
    """Whether the two are equal within tolerances, elementwise: ``np.isclose``.

    rtol, atol (number or array_like): how far `a` may be from `b`: ``atol + rtol * abs(b)``.
    equal_nan: take nan for equal to nan.

    >>> isclose(Variable(np.array([1.0, 2.0])), [1.0 + 1e-9, 2.1])
    array([ True, False])
    """
    return np.isclose(a, b, rtol, atol, equal_nan)


@plain
def allclose(
    a: Operand, b: Operand, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether all elements of the two are equal within tolerances: ``np.allclose``.

    rtol, atol (number or array_like): how far `a` may be from `b`: ``atol + rtol * abs(b)``.
    equal_nan: take nan for equal to nan.

    >>> allclose(Variable(np.array([1.0, 2.0])), [1.0 + 1e-9, 2.1])
    False
    """
    return np.allclose(a, b, rtol, atol, equal_nan)


@plain
def array_equal(a1: Operand, a2: Operand, equal_nan: bool = False) -> bool:
    """Whether shapes and elements of the two are equal: ``np.array_equal``.

    a1, a2 (Variable, array_like): of any shapes.
    equal_nan: take nan for equal to nan.
    Raises TypeError: if the dtypes cannot be compared.

    >>> array_equal(Variable(np.array([1.0, 2.0])), [1.0, 2.0])
    True
    """
    return np.array_equal(a1, a2, equal_nan)


@plain
def array_equiv(a1: Operand, a2: Operand) -> bool:
    """Whether the two are equal when they are broadcast: ``np.array_equiv``.

    a1, a2 (Variable, array_like): of any shapes.
    Raises TypeError: if the dtypes cannot be compared.

    >>> array_equiv(Variable(np.array([[2.0, 2.0], [2.0, 2.0]])), 2.0)
    True
    """
    return np.array_equiv(a1, a2)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    pairs = elementwise((-3.0, 3.0), (-3.0, 3.0))
    a, row = Draw((2, 3)), Draw((3,))
    close = Sample(
        (
            *pairs.calls,
            Call(a, a, 0.5, 0.5),
            Call(a, row, rtol=1.0, equal_nan=True),
            Call(a, 1.0, atol=row),
        )
    )
    equal = Sample((Call(a, a), Call(a, row), Call(np.zeros(3), row, equal_nan=True)))
    for function, numpy, sample in (
        (logical_and, np.logical_and, pairs),
        (logical_or, np.logical_or, pairs),
        (logical_xor, np.logical_xor, pairs),
        (logical_not, np.logical_not, elementwise((-3.0, 3.0))),
        (isclose, np.isclose, close),
        (allclose, np.allclose, close),
        (array_equal, np.array_equal, equal),
        (array_equiv, np.array_equiv, pairs),
    ):
        register(function.__name__, function, differentiable=False, numpy=numpy, sample=sample)
