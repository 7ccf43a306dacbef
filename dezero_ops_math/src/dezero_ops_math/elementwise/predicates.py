"""Questions about each element, and about the dtype: plain answers, without a derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Registrar, Sample, elementwise
from dezero_core.extend import Operand

from ..arguments import refuse_out
from ..plain import Booleans, plain


@plain
def isnan(x: Operand) -> Booleans:
    """Whether each element is nan: ``np.isnan``.

    >>> isnan(Variable(np.array([1.0, np.nan])))
    array([False,  True])
    """
    return np.isnan(x)


@plain
def isinf(x: Operand) -> Booleans:
    """Whether each element is inf or -inf: ``np.isinf``.

    >>> isinf(Variable(np.array([1.0, -np.inf])))
    array([False,  True])
    """
    return np.isinf(x)


@plain
def isfinite(x: Operand) -> Booleans:
    """Whether each element is neither infinite nor nan: ``np.isfinite``.

    >>> isfinite(Variable(np.array([1.0, np.inf, np.nan])))
    array([ True, False, False])
    """
    return np.isfinite(x)


@plain
def isposinf(x: Operand, out: None = None) -> Booleans:
    """Whether each element is inf: ``np.isposinf``.

    Raises TypeError: if NumPy has no such function of that dtype.

    >>> isposinf(Variable(np.array([np.inf, -np.inf])))
    array([ True, False])
    """
    refuse_out("isposinf", out)
    return np.isposinf(x)


@plain
def isneginf(x: Operand, out: None = None) -> Booleans:
    """Whether each element is -inf: ``np.isneginf``.

    Raises TypeError: if NumPy has no such function of that dtype.

    >>> isneginf(Variable(np.array([np.inf, -np.inf])))
    array([False,  True])
    """
    refuse_out("isneginf", out)
    return np.isneginf(x)


@plain
def signbit(x: Operand) -> Booleans:
    """Whether each element has the sign minus, as -0.0 has: ``np.signbit``.

    >>> signbit(Variable(np.array([1.0, -0.0])))
    array([False,  True])
    """
    return np.signbit(x)


@plain
def spacing(x: Operand) -> Any:
    """Distance from each element to the next number: ``np.spacing``.

    Returns (ndarray): dtype of `x`.

    >>> spacing(Variable(np.array([1.0, 4096.0])))
    array([2.22044605e-16, 9.09494702e-13])
    """
    return np.spacing(x)


@plain
def iscomplex(x: Operand) -> Booleans:
    """Whether each element has an imaginary part other than 0: ``np.iscomplex``.

    >>> iscomplex(Variable(np.array([1.0, 1.0j])))
    array([False,  True])
    """
    return np.iscomplex(x)


@plain
def isreal(x: Operand) -> Booleans:
    """Whether each element has the imaginary part 0: ``np.isreal``.

    >>> isreal(Variable(np.array([1.0, 1.0j])))
    array([ True, False])
    """
    return np.isreal(x)


@plain
def iscomplexobj(x: Operand) -> bool:
    """Whether the dtype is complex: ``np.iscomplexobj``.

    >>> iscomplexobj(Variable(np.array([1.0, 1.0j])))
    True
    """
    return np.iscomplexobj(x)


@plain
def isrealobj(x: Operand) -> bool:
    """Whether the dtype is not complex: ``np.isrealobj``.

    >>> isrealobj(Variable(np.array([1.0, 2.0])))
    True
    """
    return np.isrealobj(x)


@plain
def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype that an operation on all of these has: ``np.result_type``.

    arrays_and_dtypes (Variable, ndarray, number or dtype): any number of them.
    Returns (dtype): the dtype that has room for all.
    Raises TypeError: if NumPy has no common dtype with that dtype.

    >>> result_type(Variable(np.zeros(2, np.float32)), 1.0)
    dtype('float32')
    """
    return np.result_type(*arrays_and_dtypes)


@plain
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


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = elementwise((-3.0, 3.0))
    for function, numpy in (
        (isnan, np.isnan),
        (isinf, np.isinf),
        (isfinite, np.isfinite),
        (isposinf, np.isposinf),
        (isneginf, np.isneginf),
        (signbit, np.signbit),
        (spacing, np.spacing),
        (iscomplex, np.iscomplex),
        (isreal, np.isreal),
        (iscomplexobj, np.iscomplexobj),
        (isrealobj, np.isrealobj),
    ):
        register(function.__name__, function, differentiable=False, numpy=numpy, sample=sample)
    x = Draw((2, 3))
    several = Sample((Call(x), Call(x, 1j), Call(x, np.float32, Draw())))
    register("result_type", result_type, differentiable=False, numpy=np.result_type, sample=several)
    casts = Sample((Call(x, np.float32), Call(x, int, "unsafe"), Call(x, float, casting="no")))
    register("can_cast", can_cast, differentiable=False, numpy=np.can_cast, sample=casts)
