"""Variances over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Registrar, Sample, Variable
from dezero_core.extend import Operand

from ..arguments import Axis, refuse_out
from ..docstrings import sharing
from .deviations import NanVar, Var
from .masks import Mask
from .samples import FREE, MASKED, REDUCTIONS, WITH_MEAN, WITH_NAN

documented = sharing(
    """
    ddof: the squares of n elements are added up and divided by ``n - ddof``.
    mean (Variable, ndarray or number, optional): the mean, if it is known: of the shape that
        ``keepdims=True`` gives.
    correction (number, optional): another name of `ddof`.
    Raises ValueError: if both `ddof` and `correction` are given.
    """
)


@documented
def var(
    a: Operand,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Mask = True,
    mean: Any = np._NoValue,
    correction: Any = np._NoValue,
) -> Variable:
    """Variance over axes, the mean of ``abs(a - mean)**2``: ``np.var``, ``a.var()``.

    a: any shape. NumPy warns where ``n - ddof`` is not positive.
    Returns: real, dtype as NumPy gives it.
    Derivative: ``2 (a - mean) / (n - ddof)``, by `mean` the sum of that, negative; nan where
        ``n - ddof`` is not positive.

    >>> a = Variable(np.array([1.0, 2.0, 6.0]))
    >>> y = var(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(4.666666666666667), array([-1.33333333, -0.66666667,  2.        ]))
    """
    refuse_out("var", out)
    inputs = (a,) if mean is np._NoValue or mean is None else (a, mean)
    return Var(axis, dtype, ddof, keepdims, where, correction)(*inputs)


@documented
def nanvar(
    a: Operand,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Mask = True,
    mean: Any = np._NoValue,
    correction: Any = np._NoValue,
) -> Variable:
    """Variance over axes of what is not nan: ``np.nanvar``.

    a: any shape. Where ``n - ddof`` is not positive the result is nan, with a RuntimeWarning, as in
        NumPy.
    Returns: real, dtype as NumPy gives it.
    Derivative: ``2 (a - mean) / (n - ddof)``, 0 for nan, by `mean` the sum of that, negative; nan
        where ``n - ddof`` is not positive.

    >>> nanvar(Variable(np.array([1.0, np.nan, 3.0])))
    variable(1.0)
    """
    refuse_out("nanvar", out)
    inputs = (a,) if mean is np._NoValue or mean is None else (a, mean)
    return NanVar(axis, dtype, ddof, keepdims, where, correction)(*inputs)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    calls = REDUCTIONS + MASKED + FREE + WITH_MEAN
    sample = Sample(calls, complex=True)
    register("var", var, Var, methods="var", numpy=np.var, sample=sample)
    sample = Sample(calls + WITH_NAN, complex=True)
    register("nanvar", nanvar, NanVar, numpy=np.nanvar, sample=sample)
