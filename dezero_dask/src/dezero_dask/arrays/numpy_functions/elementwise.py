"""Elementwise functions that are no ufuncs."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from ...errors import refused
from .table import LAZY_FUNCTIONS, Array, elementwise, implements, known

for _function in (
    *(np.angle, np.fix, np.imag, np.iscomplex, np.isneginf, np.isposinf, np.isreal, np.real),
    *(np.sinc,),
):
    LAZY_FUNCTIONS[_function] = partial(elementwise, _function)


@implements(np.where)
def _where(condition: Array, x: Any = None, y: Any = None) -> Array:
    if x is None:
        raise refused("np.where of a condition alone", "its shape depends on values")
    return elementwise(np.where, condition, x, y)


@implements(np.clip)
def _clip(
    x: Array,
    a_min: Any = None,
    a_max: Any = None,
    *,
    min: Any = None,  # noqa: A002
    max: Any = None,  # noqa: A002
) -> Array:
    low, high = (a_min, a_max) if min is max is None else (min, max)
    if not (min is max is None or a_min is a_max is None):
        raise ValueError("np.clip takes min= and max=, or a_min and a_max, and not both.")
    x = x if low is None else elementwise(np.maximum, x, low)
    return x if high is None else elementwise(np.minimum, x, high)


@implements(np.round)
def _round(x: Array, decimals: int = 0) -> Array:
    return elementwise(partial(np.round, decimals=decimals), x)


@implements(np.isclose)
def _isclose(
    x: Array, y: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Array:
    return elementwise(partial(np.isclose, equal_nan=equal_nan), x, y, rtol, atol)


@implements(np.allclose)
def _allclose(
    x: Array, y: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Array:
    return da.all(_isclose(x, y, rtol, atol, equal_nan))


@implements(np.nan_to_num)
def _nan_to_num(
    x: Array, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None
) -> Array:
    return elementwise(_filled, x, nan, posinf, neginf)


def _filled(x: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


@implements(np.digitize)
def _digitize(x: Array, bins: Any, right: bool = False) -> Array:
    return elementwise(partial(np.digitize, bins=known(bins, "bins"), right=right), x)


@implements(np.isin)
def _isin(x: Array, values: Any, assume_unique: bool = False, invert: bool = False) -> Array:
    return elementwise(partial(np.isin, test_elements=known(values, "values"), invert=invert), x)


@implements(np.choose)
def _choose(x: Array, choices: Any, mode: Any = "raise") -> Array:
    return elementwise(partial(_chosen, mode=mode), x, *choices)


def _chosen(x: Any, *choices: Any, mode: Any) -> Any:
    return np.choose(x, choices, mode=mode)


@implements(np.select)
def _select(conditions: Any, choices: Any, default: Any = 0) -> Array:
    return elementwise(partial(_selected, len(conditions)), *conditions, *choices, default)


def _selected(count: int, *arrays: Any) -> Any:
    return np.select(list(arrays[:count]), list(arrays[count:-1]), arrays[-1])
