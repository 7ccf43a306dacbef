"""Logic, and whether arrays are equal or close: plain answers, without a derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Registrar, Sample, elementwise
from dezero_core.extend import Operand

from .plain import BOOLEANS, NO_BROADCAST, ONE_BOOLEAN, PAIR, X, plain

Plain = Any

TOLERANCES = (
    "rtol, atol : number or array_like\n    How far `a` may be from `b`: ``atol + rtol * abs(b)``."
)
EQUAL_NAN = "equal_nan : bool\n    Take nan for equal to nan."
OF_TWO = {"returns": BOOLEANS, "raises": NO_BROADCAST}


@plain(PAIR.format("x0", "x1"), **OF_TWO)
def logical_and(x0: Operand, x1: Operand) -> Plain:
    """Whether both are not 0, elementwise: ``np.logical_and``.

    >>> logical_and(Variable(np.array([0.0, 2.0])), [True, True])
    array([False,  True])
    """
    return np.logical_and(x0, x1)


@plain(PAIR.format("x0", "x1"), **OF_TWO)
def logical_or(x0: Operand, x1: Operand) -> Plain:
    """Whether one is not 0, or both, elementwise: ``np.logical_or``.

    >>> logical_or(Variable(np.array([0.0, 2.0])), [False, True])
    array([False,  True])
    """
    return np.logical_or(x0, x1)


@plain(PAIR.format("x0", "x1"), **OF_TWO)
def logical_xor(x0: Operand, x1: Operand) -> Plain:
    """Whether one is not 0 and the other is, elementwise: ``np.logical_xor``.

    >>> logical_xor(Variable(np.array([0.0, 2.0])), [True, True])
    array([ True, False])
    """
    return np.logical_xor(x0, x1)


@plain(X, returns=BOOLEANS)
def logical_not(x: Operand) -> Plain:
    """Whether each element is 0: ``np.logical_not``.

    >>> logical_not(Variable(np.array([0.0, 2.0])))
    array([ True, False])
    """
    return np.logical_not(x)


@plain(PAIR.format("a", "b"), TOLERANCES, EQUAL_NAN, **OF_TWO)
def isclose(
    a: Operand, b: Operand, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False
) -> Plain:
    """Whether the two are equal within tolerances, elementwise: ``np.isclose``.

    >>> isclose(Variable(np.array([1.0, 2.0])), [1.0 + 1e-9, 2.1])
    array([ True, False])
    """
    return np.isclose(a, b, rtol, atol, equal_nan)


@plain(PAIR.format("a", "b"), TOLERANCES, EQUAL_NAN, returns=ONE_BOOLEAN, raises=NO_BROADCAST)
def allclose(
    a: Operand, b: Operand, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False
) -> Plain:
    """Whether all elements of the two are equal within tolerances: ``np.allclose``.

    >>> allclose(Variable(np.array([1.0, 2.0])), [1.0 + 1e-9, 2.1])
    False
    """
    return np.allclose(a, b, rtol, atol, equal_nan)


@plain(
    "a1, a2 : Variable, array_like\n    Of any shapes.",
    EQUAL_NAN,
    returns=ONE_BOOLEAN,
    raises="TypeError\n    If the dtypes cannot be compared.",
)
def array_equal(a1: Operand, a2: Operand, equal_nan: bool = False) -> Plain:
    """Whether shapes and elements of the two are equal: ``np.array_equal``.

    >>> array_equal(Variable(np.array([1.0, 2.0])), [1.0, 2.0])
    True
    """
    return np.array_equal(a1, a2, equal_nan)


@plain(
    "a1, a2 : Variable, array_like\n    Of any shapes.",
    returns=ONE_BOOLEAN,
    raises="TypeError\n    If the dtypes cannot be compared.",
)
def array_equiv(a1: Operand, a2: Operand) -> Plain:
    """Whether the two are equal when they are broadcast: ``np.array_equiv``.

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
