"""Descriptive statistics of samples: standard scores and shapes of the distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.stats
from dezero_ops_math.declaring import Call, Draw, Sample
from dezero_ops_math.docstrings import sharing
from numpy.lib.array_utils import normalize_axis_index

from dezero_core import Variable, VariableTypeError
from dezero_core.extend import Operand

from ..arguments import refuse_derivative
from .declaring import declared
from .operands import as_floats

_documented = sharing(
    """
    a (Variable, ndarray or number): any shape, real.
    axis (int or None): along which the sample lies; all elements if it is None.
    bias (bool): whether the moments are those of the sample itself; otherwise they are corrected.
    nan_policy (str): ``"propagate"``, the default; others are refused.
    Raises VariableTypeError (TypeError): if there is another `nan_policy`.
    Raises AxisError (ValueError, IndexError): if `a` has no such axis.
    """
)
_DTYPES = ("float32", "float64")
_ROWS, _LONG = Draw((2, 5)), Draw((6,))


def _calls(**more: Any) -> list[Any]:
    return [Call(_LONG), Call(_ROWS, axis=1), Call(_ROWS, None), Call(_LONG, **more)]


def _counted(
    name: str, a: Operand, axis: int | None, nan_policy: str, bias: Any = True
) -> tuple[Any, int]:
    """Return the sample as an array or a Variable, and the number of its elements."""
    refuse_derivative(f"stats.{name}", bias=bias)
    if nan_policy != "propagate":
        raise VariableTypeError(
            f"scipy.stats.{name} of a Variable takes nan_policy='propagate' alone, got "
            f"{nan_policy!r}: pick the elements that count by an index.",
            got=nan_policy,
        )
    a = as_floats(f"stats.{name}", a)
    return a, a.size if axis is None else a.shape[normalize_axis_index(axis, a.ndim)]


@declared(
    "zscore",
    Sample(*_calls(ddof=1), reference=scipy.stats.zscore, ulps=32.0, dtypes=_DTYPES),
    _documented,
)
def zscore(
    a: Operand, axis: int | None = 0, ddof: int = 0, nan_policy: str = "propagate"
) -> Variable:
    """Standard scores ``(a - mean) / std``: ``scipy.stats.zscore``.

    ddof (int): what is subtracted from the number of elements in the variance.
    Returns: shape of `a`.
    Derivative: ``((i == j) - (1 + z[i] * z[j]) / n) / std`` of element i by ``a[j]``, for
        ``ddof=0``.
    Source: by the chain rule.

    >>> zscore(Variable(np.array([1.0, 2.0, 3.0])))
    variable([-1.22474487  0.          1.22474487])
    """
    a, _ = _counted("zscore", a, axis, nan_policy)
    with np.errstate(invalid="ignore"):
        spread = np.std(a, axis=axis, ddof=ddof, keepdims=True)
        return (a - np.mean(a, axis=axis, keepdims=True)) / spread


@declared(
    "skew",
    Sample(*_calls(bias=False), reference=scipy.stats.skew, ulps=32.0, dtypes=_DTYPES),
    _documented,
)
def skew(
    a: Operand,
    axis: int | None = 0,
    bias: bool = True,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> Variable:
    """Skewness, the third moment of the standard scores: ``scipy.stats.skew``.

    Derivative: ``3 * (z[j]**2 - 1 - skew * z[j]) / (n * std)`` by ``a[j]``, at ``bias=True``.
    Source: Joanes and Gill 1998, equations 1 and 2.

    >>> skew(Variable(np.array([1.0, 2.0, 6.0])))
    variable(0.5951700641394974)
    """
    a, n = _counted("skew", a, axis, nan_policy, bias)
    g = _standardised_moment(a, 3, axis, keepdims)
    return g if bias or n < 3 else g * (math.sqrt(n * (n - 1.0)) / (n - 2.0))


@declared(
    "kurtosis",
    Sample(
        *_calls(bias=False),
        Call(_LONG, fisher=False),
        reference=scipy.stats.kurtosis,
        ulps=32.0,
        dtypes=_DTYPES,
    ),
    _documented,
)
def kurtosis(
    a: Operand,
    axis: int | None = 0,
    fisher: bool = True,
    bias: bool = True,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> Variable:
    """Kurtosis, the fourth moment of the standard scores: ``scipy.stats.kurtosis``.

    fisher (bool): whether 3, that of a normal distribution, is subtracted.
    Derivative: ``4 * (z[j]**3 - skew - moment * z[j]) / (n * std)`` by ``a[j]``, at ``bias=True``.
    Source: Joanes and Gill 1998, equations 3 and 4.

    >>> kurtosis(Variable(np.array([1.0, 1.0, 3.0, 3.0])))
    variable(-2.0)
    """
    a, n = _counted("kurtosis", a, axis, nan_policy, bias)
    g = _standardised_moment(a, 4, axis, keepdims)
    if not bias and n > 3:
        g = ((n * n - 1.0) * g - 3.0 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0)) + 3.0
    return g - 3.0 if fisher else g


def _standardised_moment(a: Operand, order: int, axis: int | None, keepdims: bool) -> Operand:
    z = a - np.mean(a, axis=axis, keepdims=True)
    spread = np.sqrt(np.mean(z * z, axis=axis, keepdims=True))
    with np.errstate(invalid="ignore"):
        return np.mean((z / spread) ** order, axis=axis, keepdims=keepdims)
