"""How many elements are not 0, or whether any or all are: plain answers, without a derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from dezero_core import Registrar, Sample
from dezero_core.extend import Operand

from ..arguments import Axis, refuse_out
from ..elementwise.plain import OUT, A, plain
from .masks import Mask
from .samples import MASKED, OVER_NOTHING, REDUCTIONS

Plain = Any

_AXIS = "axis : int, tuple of int, or None\n    The axes over which to look; all by default."
_KEEPDIMS = "keepdims : bool\n    Leave the axes in the shape, of length 1."
_WHERE = "where : ndarray of bool\n    Which elements to look at. It broadcasts to `a`."
_BOOLEANS = "bool, or ndarray of bool"
_NO_AXIS = "AxisError (ValueError, IndexError)\n    If `a` has no such axis."


@plain(A, _AXIS, OUT, _KEEPDIMS, _WHERE, returns=_BOOLEANS, raises=_NO_AXIS)
def any(
    a: Operand,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: Mask = True,
) -> Plain:
    """Whether any element is not 0: ``np.any``, ``a.any()``.

    >>> any(Variable(np.array([[0.0, 2.0], [0.0, 0.0]])), axis=1)
    array([ True, False])
    """
    refuse_out("any", out)
    return np.any(a, axis=axis, keepdims=keepdims, where=where)


@plain(A, _AXIS, OUT, _KEEPDIMS, _WHERE, returns=_BOOLEANS, raises=_NO_AXIS)
def all(
    a: Operand,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: Mask = True,
) -> Plain:
    """Whether no element is 0: ``np.all``, ``a.all()``.

    >>> all(Variable(np.array([[1.0, 2.0], [0.0, 3.0]])), axis=1)
    array([ True, False])
    """
    refuse_out("all", out)
    return np.all(a, axis=axis, keepdims=keepdims, where=where)


@plain(A, _AXIS, _KEEPDIMS, returns="int, or ndarray of int", raises=_NO_AXIS)
def count_nonzero(a: Operand, axis: Axis = None, *, keepdims: bool = False) -> Plain:
    """How many elements are not 0: ``np.count_nonzero``.

    >>> int(count_nonzero(Variable(np.array([0.0, 2.0, 3.0]))))
    2
    """
    return np.count_nonzero(a, axis=axis, keepdims=keepdims)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = Sample(REDUCTIONS + OVER_NOTHING, complex=True)
    register(
        "count_nonzero",
        count_nonzero,
        differentiable=False,
        numpy=np.count_nonzero,
        sample=sample,
    )
    sample = Sample(REDUCTIONS + OVER_NOTHING + MASKED, complex=True)
    register("any", any, differentiable=False, methods="any", numpy=np.any, sample=sample)
    register("all", all, differentiable=False, methods="all", numpy=np.all, sample=sample)
