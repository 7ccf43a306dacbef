"""Questions about each element, and about the dtype: plain answers, without a derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Call, Draw, Registrar, Sample, elementwise
from dezero_core.extend import Operand

from ..arguments import refuse_out
from .plain import BOOLEANS, NO_NUMBER, ONE_BOOLEAN, OUT, X, plain

Plain = Any


@plain(X, returns=BOOLEANS)
def isnan(x: Operand) -> Plain:
    """Whether each element is nan: ``np.isnan``.

    >>> isnan(Variable(np.array([1.0, np.nan])))
    array([False,  True])
    """
    return np.isnan(x)


@plain(X, returns=BOOLEANS)
def isinf(x: Operand) -> Plain:
    """Whether each element is inf or -inf: ``np.isinf``.

    >>> isinf(Variable(np.array([1.0, -np.inf])))
    array([False,  True])
    """
    return np.isinf(x)


@plain(X, returns=BOOLEANS)
def isfinite(x: Operand) -> Plain:
    """Whether each element is neither infinite nor nan: ``np.isfinite``.

    >>> isfinite(Variable(np.array([1.0, np.inf, np.nan])))
    array([ True, False, False])
    """
    return np.isfinite(x)


@plain(X, OUT, returns=BOOLEANS)
def isposinf(x: Operand, out: None = None) -> Plain:
    """Whether each element is inf: ``np.isposinf``.

    >>> isposinf(Variable(np.array([np.inf, -np.inf])))
    array([ True, False])
    """
    refuse_out("isposinf", out)
    return np.isposinf(x)


@plain(X, OUT, returns=BOOLEANS)
def isneginf(x: Operand, out: None = None) -> Plain:
    """Whether each element is -inf: ``np.isneginf``.

    >>> isneginf(Variable(np.array([np.inf, -np.inf])))
    array([False,  True])
    """
    refuse_out("isneginf", out)
    return np.isneginf(x)


@plain(X, returns=BOOLEANS)
def signbit(x: Operand) -> Plain:
    """Whether each element has the sign minus, as -0.0 has: ``np.signbit``.

    >>> signbit(Variable(np.array([1.0, -0.0])))
    array([False,  True])
    """
    return np.signbit(x)


@plain(X, returns="ndarray of the dtype of `x`")
def spacing(x: Operand) -> Plain:
    """Distance from each element to the next number: ``np.spacing``.

    >>> spacing(Variable(np.array([1.0, 4096.0])))
    array([2.22044605e-16, 9.09494702e-13])
    """
    return np.spacing(x)


@plain(X, returns=BOOLEANS)
def iscomplex(x: Operand) -> Plain:
    """Whether each element has an imaginary part other than 0: ``np.iscomplex``.

    >>> iscomplex(Variable(np.array([1.0, 1.0j])))
    array([False,  True])
    """
    return np.iscomplex(x)


@plain(X, returns=BOOLEANS)
def isreal(x: Operand) -> Plain:
    """Whether each element has the imaginary part 0: ``np.isreal``.

    >>> isreal(Variable(np.array([1.0, 1.0j])))
    array([ True, False])
    """
    return np.isreal(x)


@plain(X, returns=ONE_BOOLEAN)
def iscomplexobj(x: Operand) -> Plain:
    """Whether the dtype is complex: ``np.iscomplexobj``.

    >>> iscomplexobj(Variable(np.array([1.0, 1.0j])))
    True
    """
    return np.iscomplexobj(x)


@plain(X, returns=ONE_BOOLEAN)
def isrealobj(x: Operand) -> Plain:
    """Whether the dtype is not complex: ``np.isrealobj``.

    >>> isrealobj(Variable(np.array([1.0, 2.0])))
    True
    """
    return np.isrealobj(x)


@plain(
    "*arrays_and_dtypes : Variable, ndarray, number or dtype",
    returns="dtype",
    raises=NO_NUMBER.replace("such function of", "common dtype with"),
)
def result_type(*arrays_and_dtypes: Any) -> Plain:
    """The dtype that an operation on all of these has: ``np.result_type``.

    >>> result_type(Variable(np.zeros(2, np.float32)), 1.0)
    dtype('float32')
    """
    return np.result_type(*arrays_and_dtypes)


@plain(
    "from_ : Variable, ndarray, NumPy scalar or dtype",
    "to : dtype",
    "casting : 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'",
    returns=ONE_BOOLEAN,
    raises="TypeError\n    If `from_` is a Python number, as in NumPy.",
)
def can_cast(from_: Any, to: Any, casting: Any = "safe") -> Plain:
    """Whether a cast is allowed by a rule: ``np.can_cast``.

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
