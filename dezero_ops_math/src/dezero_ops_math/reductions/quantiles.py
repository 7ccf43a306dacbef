"""Quantiles and percentiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Registrar, Sample, Variable
from dezero_core.extend import Operand

from ..arguments import Axis, refuse_out
from ..docstrings import sharing
from .order_statistics import Percentile, Quantile, refuse_overwriting, refuse_weights
from .samples import PERCENTILES, QUANTILES, apart

documented = sharing(
    """
    q (number, or array or list of numbers): from 0 to 1; constants.
    method: how to choose between two neighbours: any of NumPy's.
    weights: refused: weighted quantiles have no gradient here.
    Returns: shape of `q`, then the other axes of `a`.
    Raises ValueError: if `q` is out of range, or there is no such method.
    """
)


@documented
def quantile(
    a: Operand,
    q: Any,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: None = None,
) -> Variable:
    """What a part `q` of the elements is below, over axes: ``np.quantile``.

    a: real, of any shape, not empty along the axes. Where it contains nan the result is nan, and
        its gradient goes there.
    Derivative: of the two neighbours in the sorted elements, the part that each has in the result;
        equal elements share it equally.
    Source: ``numpy.quantile``; Hyndman and Fan 1996.

    >>> a = Variable(np.array([1.0, 3.0, 2.0]))
    >>> y = quantile(a, 0.25)
    >>> y.backward()
    >>> y, a.grad
    (variable(1.5), array([0.5, 0. , 0.5]))
    """
    refuse_out("quantile", out)
    refuse_overwriting("quantile", overwrite_input)
    refuse_weights("quantile", weights)
    return Quantile(q, axis, method, keepdims)(a)


@documented
def percentile(
    a: Operand,
    q: Any,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: None = None,
) -> Variable:
    """What `q` per cent of the elements are below, over axes: ``np.percentile``.

    a: real, of any shape, not empty along the axes. Where it contains nan the result is nan, and
        its gradient goes there.
    q: from 0 to 100; constants.
    Derivative: of the two neighbours in the sorted elements, the part that each has in the result;
        equal elements share it equally.
    Source: ``numpy.percentile``; Hyndman and Fan 1996.

    >>> percentile(Variable(np.array([1.0, 3.0, 2.0])), [25, 50])
    variable([1.5 2. ])
    """
    refuse_out("percentile", out)
    refuse_overwriting("percentile", overwrite_input)
    refuse_weights("percentile", weights)
    return Percentile(q, axis, method, keepdims)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = Sample(QUANTILES, apart=apart)
    register("quantile", quantile, Quantile, numpy=np.quantile, sample=sample)
    sample = Sample(PERCENTILES, apart=apart)
    register("percentile", percentile, Percentile, numpy=np.percentile, sample=sample)
