"""Rounding to integers, or to decimals: constant between its jumps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dezero_core import Call, Draw, Function, Registrar, Sample, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..arguments import refuse_out


class _Rounding(Function):
    """Constant between its jumps: the derivative is 0."""

    saves = ()

    def backward(self, gy: Array) -> Array:
        return np.zeros(gy.shape, gy.dtype)


class Floor(_Rounding):
    """d floor(x) = 0."""

    def forward(self, x: Array) -> Array:
        return np.floor(x)


class Ceil(_Rounding):
    """d ceil(x) = 0."""

    def forward(self, x: Array) -> Array:
        return np.ceil(x)


class Trunc(_Rounding):
    """d trunc(x) = 0."""

    def forward(self, x: Array) -> Array:
        return np.trunc(x)


class Rint(_Rounding):
    """d rint(x) = 0."""

    def forward(self, x: Array) -> Array:
        return np.rint(x)


class Fix(_Rounding):
    """d fix(x) = 0."""

    def forward(self, x: Array) -> Array:
        return np.fix(x)


class Round(_Rounding):
    """d round(x) = 0."""

    def __init__(self, decimals: int) -> None:
        self.decimals = decimals

    def forward(self, x: Array) -> Array:
        return np.round(x, self.decimals)


def _rounding(
    function_class: type[Function], ufunc: Callable[..., Any], to: str
) -> Callable[[Operand], Variable]:
    name = ufunc.__name__

    def function(x: Operand) -> Variable:
        return function_class()(x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Round each element {to}: ``np.{name}``.

    Parameters
    ----------
    x : Variable, ndarray or number

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative: 0, also at the jumps.

    Raises
    ------
    TypeError
        If NumPy does not round numbers of that dtype.

    Notes
    -----
    Source: ``numpy.{name}``.

    Examples
    --------
    >>> {name}(Variable(np.array([-1.5, 0.5, 1.7])))
    variable({ufunc(np.array([-1.5, 0.5, 1.7]))})
    """
    return function


floor = _rounding(Floor, np.floor, "down")
ceil = _rounding(Ceil, np.ceil, "up")
trunc = _rounding(Trunc, np.trunc, "towards 0")
rint = _rounding(Rint, np.rint, "to the nearest integer, halves to the even one")


def fix(x: Operand, out: None = None) -> Variable:
    """Round each element towards 0: ``np.fix``.

    Parameters
    ----------
    x : Variable, ndarray or number
    out : None
        Refused.

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative: 0, also at the jumps.

    Raises
    ------
    TypeError
        If `x` is complex, as in NumPy.

    Notes
    -----
    Source: ``numpy.fix``.

    Examples
    --------
    >>> fix(Variable(np.array([-1.5, 0.5, 1.7])))
    variable([-1.  0.  1.])
    """
    refuse_out("fix", out)
    return Fix()(x)


def round(a: Operand, decimals: int = 0, out: None = None) -> Variable:
    """Round each element to decimals: ``np.round``, ``np.around``, ``a.round()``.

    Parameters
    ----------
    a : Variable, ndarray or number
        Any shape; of complex numbers both parts are rounded.
    decimals : int
        How many; negative ones count to the left of the point. Halves go to the even digit.
    out : None
        Refused.

    Returns
    -------
    Variable
        Shape and dtype as NumPy gives them. Derivative: 0, also at the jumps.

    Raises
    ------
    VariableTypeError (TypeError)
        If `a` is no number, or `decimals` is a Variable.

    Notes
    -----
    Source: ``numpy.round``.

    Examples
    --------
    >>> round(Variable(np.array([0.5, 2.345])), 1)
    variable([0.5 2.3])
    """
    refuse_out("round", out)
    return Round(decimals)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""

    def from_integers(x: Array) -> Array:
        return np.abs(x - np.rint(x))

    sample = elementwise((-3.0, 3.0), apart=from_integers)
    register("floor", floor, Floor, numpy=np.floor, sample=sample)
    register("ceil", ceil, Ceil, numpy=np.ceil, sample=sample)
    register("trunc", trunc, Trunc, numpy=np.trunc, sample=sample)
    register("fix", fix, Fix, numpy=np.fix, sample=sample)
    # Between the jumps, in the imaginary part too.
    steps = (-2.4, -1.6), (-0.4, 0.4), (0.6, 1.4)
    calls = tuple(call for step in steps for call in elementwise(step).calls)
    register("rint", rint, Rint, numpy=np.rint, sample=Sample(calls, complex=True))
    calls += Call(Draw((2, 3), (0.275, 0.325)), 1), Call(Draw((3,), (6.0, 14.0)), decimals=-1)
    sample = Sample(calls, complex=True)
    register("round", round, Round, methods="round", numpy=(np.round, np.around), sample=sample)
