"""Quantiles and percentiles of what is not nan."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Registrar, Sample, Variable
from dezero_core.extend import Operand

from ..arguments import Axis, refuse_out
from ..docstrings import sharing
from .order_statistics import NanPercentile, NanQuantile, refuse_overwriting, refuse_weights
from .samples import NAN_PERCENTILES, NAN_QUANTILES, apart

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
def nanquantile(
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
    """What a part `q` of the elements is below that are not nan: ``np.nanquantile``.

    a: real, of any shape, not empty along the axes. Where all is nan, so is the result, with a
        RuntimeWarning, as in NumPy.
    Derivative: of the two neighbours in the sorted elements, the part that each has in the result;
        equal elements share it equally. 0 for nan.
    Source: ``numpy.nanquantile``; Hyndman and Fan 1996.

    >>> nanquantile(Variable(np.array([1.0, np.nan, 2.0])), 0.25)
    variable(1.25)
    """
    refuse_out("nanquantile", out)
    refuse_overwriting("nanquantile", overwrite_input)
    refuse_weights("nanquantile", weights)
    return NanQuantile(q, axis, method, keepdims)(a)


@documented
def nanpercentile(
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
    """What `q` per cent of the elements are below that are not nan: ``np.nanpercentile``.

    a: real, of any shape, not empty along the axes. Where all is nan, so is the result, with a
        RuntimeWarning, as in NumPy.
    q: from 0 to 100; constants.
    Derivative: of the two neighbours in the sorted elements, the part that each has in the result;
        equal elements share it equally. 0 for nan.
    Source: ``numpy.nanpercentile``; Hyndman and Fan 1996.

    >>> nanpercentile(Variable(np.array([1.0, np.nan, 2.0])), 25)
    variable(1.25)
    """
    refuse_out("nanpercentile", out)
    refuse_overwriting("nanpercentile", overwrite_input)
    refuse_weights("nanpercentile", weights)
    return NanPercentile(q, axis, method, keepdims)(a)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = Sample(NAN_QUANTILES, apart=apart)
    register("nanquantile", nanquantile, NanQuantile, numpy=np.nanquantile, sample=sample)
    sample = Sample(NAN_PERCENTILES, apart=apart)
    register("nanpercentile", nanpercentile, NanPercentile, numpy=np.nanpercentile, sample=sample)
