"""Logic, comparisons, and questions about elements and dtypes: answers without a derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core.extend import Operand

from ..arguments import refuse_out
from ..declaring import Booleans, Call, Draw, Sample, elementwise, without_derivative

_A, _ROW, _ARRAYS = Draw((2, 3)), Draw((3,)), elementwise((-3.0, 3.0))
_PAIRS = elementwise((-3.0, 3.0), (-3.0, 3.0))
_CLOSE = Sample(
    _PAIRS,
    *(Call(_A, _A, 0.5, 0.5), Call(_A, _ROW, rtol=1.0, equal_nan=True), Call(_A, 1.0, atol=_ROW)),
)


@without_derivative(_PAIRS)
def logical_and(x0: Operand, x1: Operand) -> Booleans:
    """Whether both are not 0, elementwise: ``np.logical_and``.

    >>> logical_and(Variable(np.array([0.0, 2.0])), [True, True])
    array([False,  True])
    """
    return np.logical_and(x0, x1)


@without_derivative(_PAIRS)
def logical_or(x0: Operand, x1: Operand) -> Booleans:
    """Whether one is not 0, or both, elementwise: ``np.logical_or``.

    >>> logical_or(Variable(np.array([0.0, 2.0])), [False, True])
    array([False,  True])
    """
    return np.logical_or(x0, x1)


@without_derivative(_PAIRS)
def logical_xor(x0: Operand, x1: Operand) -> Booleans:
    """Whether one is not 0 and the other is, elementwise: ``np.logical_xor``.

    >>> logical_xor(Variable(np.array([0.0, 2.0])), [True, True])
    array([ True, False])
    """
    return np.logical_xor(x0, x1)


@without_derivative(_ARRAYS)
def logical_not(x: Operand) -> Booleans:
    """Whether each element is 0: ``np.logical_not``.

    >>> logical_not(Variable(np.array([0.0, 2.0])))
    array([ True, False])
    """
    return np.logical_not(x)


@without_derivative(_CLOSE)
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


@without_derivative(_CLOSE)
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


@without_derivative(Call(_A, _A), Call(_A, _ROW), Call(np.zeros(3), _ROW, equal_nan=True))
def array_equal(a1: Operand, a2: Operand, equal_nan: bool = False) -> bool:
    """Whether shapes and elements of the two are equal: ``np.array_equal``.

    a1, a2 (Variable, array_like): of any shapes.
    equal_nan: take nan for equal to nan.
    Raises TypeError: if the dtypes cannot be compared.

    >>> array_equal(Variable(np.array([1.0, 2.0])), [1.0, 2.0])
    True
    """
    return np.array_equal(a1, a2, equal_nan)


@without_derivative(_PAIRS)
def array_equiv(a1: Operand, a2: Operand) -> bool:
    """Whether the two are equal when they are broadcast: ``np.array_equiv``.

    a1, a2 (Variable, array_like): of any shapes.
    Raises TypeError: if the dtypes cannot be compared.

    >>> array_equiv(Variable(np.array([[2.0, 2.0], [2.0, 2.0]])), 2.0)
    True
    """
    return np.array_equiv(a1, a2)


@without_derivative(_ARRAYS)
def isnan(x: Operand) -> Booleans:
    """Whether each element is nan: ``np.isnan``.

    >>> isnan(Variable(np.array([1.0, np.nan])))
    array([False,  True])
    """
    return np.isnan(x)


@without_derivative(_ARRAYS)
def isinf(x: Operand) -> Booleans:
    """Whether each element is inf or -inf: ``np.isinf``.

    >>> isinf(Variable(np.array([1.0, -np.inf])))
    array([False,  True])
    """
    return np.isinf(x)


@without_derivative(_ARRAYS)
def isfinite(x: Operand) -> Booleans:
    """Whether each element is neither infinite nor nan: ``np.isfinite``.

    >>> isfinite(Variable(np.array([1.0, np.inf, np.nan])))
    array([ True, False, False])
    """
    return np.isfinite(x)


@without_derivative(_ARRAYS)
def isposinf(x: Operand, out: None = None) -> Booleans:
    """Whether each element is inf: ``np.isposinf``.

    Raises TypeError: if NumPy has no such function of that dtype.

    >>> isposinf(Variable(np.array([np.inf, -np.inf])))
    array([ True, False])
    """
    refuse_out("isposinf", out)
    return np.isposinf(x)


@without_derivative(_ARRAYS)
def isneginf(x: Operand, out: None = None) -> Booleans:
    """Whether each element is -inf: ``np.isneginf``.

    Raises TypeError: if NumPy has no such function of that dtype.

    >>> isneginf(Variable(np.array([np.inf, -np.inf])))
    array([False,  True])
    """
    refuse_out("isneginf", out)
    return np.isneginf(x)


@without_derivative(_ARRAYS)
def signbit(x: Operand) -> Booleans:
    """Whether each element has the sign minus, as -0.0 has: ``np.signbit``.

    >>> signbit(Variable(np.array([1.0, -0.0])))
    array([False,  True])
    """
    return np.signbit(x)


@without_derivative(_ARRAYS)
def spacing(x: Operand) -> Any:
    """Distance from each element to the next number: ``np.spacing``.

    Returns (ndarray): dtype of `x`.

    >>> spacing(Variable(np.array([1.0, 4096.0])))
    array([2.22044605e-16, 9.09494702e-13])
    """
    return np.spacing(x)


@without_derivative(_ARRAYS)
def iscomplex(x: Operand) -> Booleans:
    """Whether each element has an imaginary part other than 0: ``np.iscomplex``.

    >>> iscomplex(Variable(np.array([1.0, 1.0j])))
    array([False,  True])
    """
    return np.iscomplex(x)


@without_derivative(_ARRAYS)
def isreal(x: Operand) -> Booleans:
    """Whether each element has the imaginary part 0: ``np.isreal``.

    >>> isreal(Variable(np.array([1.0, 1.0j])))
    array([ True, False])
    """
    return np.isreal(x)


@without_derivative(_ARRAYS)
def iscomplexobj(x: Operand) -> bool:
    """Whether the dtype is complex: ``np.iscomplexobj``.

    >>> iscomplexobj(Variable(np.array([1.0, 1.0j])))
    True
    """
    return np.iscomplexobj(x)


@without_derivative(_ARRAYS)
def isrealobj(x: Operand) -> bool:
    """Whether the dtype is not complex: ``np.isrealobj``.

    >>> isrealobj(Variable(np.array([1.0, 2.0])))
    True
    """
    return np.isrealobj(x)


@without_derivative(Call(_A), Call(_A, 1j), Call(_A, np.float32, Draw()))
def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype that an operation on all of these has: ``np.result_type``.

    arrays_and_dtypes (Variable, ndarray, number or dtype): any number of them.
    Returns (dtype): the dtype that has room for all.
    Raises TypeError: if NumPy has no common dtype with that dtype.

    >>> result_type(Variable(np.zeros(2, np.float32)), 1.0)
    dtype('float32')
    """
    return np.result_type(*arrays_and_dtypes)


@without_derivative(Call(_A, np.float32), Call(_A, int, "unsafe"), Call(_A, float, casting="no"))
def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    """Whether a cast is allowed by a rule: ``np.can_cast``.

    from_ (Variable, ndarray, NumPy scalar or dtype): the dtype, or something that has one.
    to (dtype): the other dtype.
    casting ('no', 'equiv', 'safe', 'same_kind' or 'unsafe'): the rule.
    Raises TypeError: if `from_` is a Python number, as in NumPy.

    >>> can_cast(Variable(np.zeros(2)), np.float32)
    False
    """
    return np.can_cast(from_, to, casting)
