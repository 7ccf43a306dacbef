"""Operands of distributions: their types, and what their results are made to be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dezero_core import Variable
from dezero_core.extend import Array, Operand, data_of, kind_of

from ..arguments import require_real


def is_plain(x: Any) -> bool:
    """Return whether operands need not be looked at any closer: a number, or of float64."""
    return x.dtype.char == "d" if isinstance(x, np.ndarray) else isinstance(x, (int, float))


def largest(x: Array) -> float:
    """Return the largest of positive values, also of all examples of a batch."""
    return float(np.max(kind_of(x).to_numpy(x), initial=1.0))


def as_given(result: Any, given: Sequence[Any]) -> Any:
    """Return a Variable if one was given, without a graph if it was of integers."""
    dtypes = [x.dtype for x in given if isinstance(x, Variable)]
    if not dtypes:
        return data_of(result)
    if isinstance(result, Variable) and any(dtype.kind == "f" for dtype in dtypes):
        return result
    return Variable(np.asarray(data_of(result)))


def operands(
    name: str, at: Sequence[Operand], loc: Operand, scale: Operand
) -> tuple[list[Any], Any, Any]:
    """Return operands as SciPy's special functions take them: float64, or float32 if all are.

    Lists become arrays; integers become floats, also those in a Variable, which has no gradient.

    Raises
    ------
    VariableTypeError (TypeError)
        If one is complex, or no number; it names the method.
    """
    given = [
        x if hasattr(x, "dtype") or np.isscalar(x) else np.asarray(x) for x in (*at, loc, scale)
    ]
    require_real(name, *map(data_of, given))
    dtype = dtype_of(given)
    *found, loc, scale = (_floating(x, dtype) for x in given)
    # A number beside arrays of float32 would become float64 in a ufunc of SciPy's.
    found = [dtype.type(x) if isinstance(x, float) else x for x in found]
    return found, loc, scale


def dtype_of(given: Sequence[Any]) -> np.dtype[Any]:
    """Return the dtype of results: that of the floats, at least float32; of integers float64."""
    dtypes = [getattr(x, "dtype", None) for x in given]
    floats = [dtype for dtype in dtypes if dtype is not None and not _is_integer(dtype)]
    return np.result_type(*floats, np.float32) if floats else np.dtype(float)


def _is_integer(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "biu"


def as_floats(name: str, x: Any) -> Any:
    """Return an operand as a Variable or an array of floats.

    Integers become floats, also those in a Variable, which has no gradient.

    Raises
    ------
    VariableTypeError (TypeError)
        If it is complex, or not of numbers.
    """
    x = x if hasattr(x, "dtype") else np.asarray(x)
    require_real(name, data_of(x))
    return _floating(x, np.dtype(float))


def _floating(x: Any, dtype: np.dtype[Any]) -> Any:
    if not hasattr(x, "dtype"):
        return float(x)
    if _is_integer(x.dtype):
        return data_of(x).astype(dtype)
    return x.astype(np.float32) if x.dtype == np.float16 else x


def log(x: Operand) -> Operand:
    """Return the logarithm; of a Python number as one, which leaves float32 as it is."""
    if isinstance(x, (int, float)):
        return math.log(x) if x > 0.0 else math.nan
    return np.log(x)


def is_number(x: Operand, number: float) -> bool:
    """Return whether an operand is a certain Python number, as a default is."""
    return isinstance(x, (int, float)) and x == number
