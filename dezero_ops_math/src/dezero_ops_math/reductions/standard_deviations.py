"""Standard deviations over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Registrar, Sample, Variable
from dezero_core.extend import Operand

from ..arguments import Axis, refuse_out
from ..docstrings import sharing
from .deviations import NanStd, Std
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
def std(
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
    """Standard deviation over axes, the root of `var`: ``np.std``, ``a.std()``.

    a: any shape. NumPy warns where ``n - ddof`` is not positive.
    Returns: real, dtype as NumPy gives it.
    Derivative: ``(a - mean) / ((n - ddof) std)``, by `mean` the sum of that, negative; nan where
        ``n - ddof`` is not positive. Where all elements are equal it is 0, and the second
        derivative is nan, with a RuntimeWarning.
    Source: ``numpy.std``. Where all elements are equal torch takes 0, too, and JAX nan; autograd
        divides 0 by 0.

    >>> a = Variable(np.array([1.0, 3.0]))
    >>> y = std(a)
    >>> y.backward()
    >>> y, a.grad
    (variable(1.0), array([-0.5,  0.5]))
    """
    refuse_out("std", out)
    inputs = (a,) if mean is np._NoValue or mean is None else (a, mean)
    return Std(axis, dtype, ddof, keepdims, where, correction)(*inputs)


@documented
def nanstd(
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
    """Standard deviation over axes of what is not nan: ``np.nanstd``.

    a: any shape. Where ``n - ddof`` is not positive the result is nan, with a RuntimeWarning, as in
        NumPy.
    Returns: real, dtype as NumPy gives it.
    Derivative: ``(a - mean) / ((n - ddof) std)``, 0 for nan, by `mean` the sum of that, negative;
        nan where ``n - ddof`` is not positive. Where all elements are equal it is 0, and the second
        derivative is nan, with a RuntimeWarning.

    >>> nanstd(Variable(np.array([1.0, np.nan, 3.0])))
    variable(1.0)
    """
    refuse_out("nanstd", out)
    inputs = (a,) if mean is np._NoValue or mean is None else (a, mean)
    return NanStd(axis, dtype, ddof, keepdims, where, correction)(*inputs)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    calls = REDUCTIONS + MASKED + FREE + WITH_MEAN
    sample = Sample(calls, complex=True)
    register("std", std, Std, methods="std", numpy=np.std, sample=sample)
    sample = Sample(calls + WITH_NAN, complex=True)
    register("nanstd", nanstd, NanStd, numpy=np.nanstd, sample=sample)
