"""How many elements are not 0, or whether any or all are: plain answers, without a derivative."""

from __future__ import annotations

import numpy as np

from dezero_core import Registrar, Sample
from dezero_core.extend import Operand

from ..arguments import Axis, refuse_out
from ..plain import Booleans, Integers, plain
from .masks import Mask
from .samples import MASKED, OVER_NOTHING, REDUCTIONS


@plain
def any(
    a: Operand,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: Mask = True,
) -> Booleans:
    """Whether any element is not 0: ``np.any``, ``a.any()``.

    >>> any(Variable(np.array([[0.0, 2.0], [0.0, 0.0]])), axis=1)
    array([ True, False])
    """
    refuse_out("any", out)
    return np.any(a, axis=axis, keepdims=keepdims, where=where)


@plain
def all(
    a: Operand,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: Mask = True,
) -> Booleans:
    """Whether no element is 0: ``np.all``, ``a.all()``.

    >>> all(Variable(np.array([[1.0, 2.0], [0.0, 3.0]])), axis=1)
    array([ True, False])
    """
    refuse_out("all", out)
    return np.all(a, axis=axis, keepdims=keepdims, where=where)


@plain
def count_nonzero(a: Operand, axis: Axis = None, *, keepdims: bool = False) -> Integers:
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
