"""Whether a loss is a sum over rows: its value is compared with those of two halves of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from dezero_tools.functional.tracing import data_of
from dezero_tools.functional.trees import Tree, leaves_of, tree_map

from dezero_core import Variable, using_config

_MOST = 0.25
"""A difference of more than this part of the value is not rounding, for any number of rows and any
dtype. (The mean of all rows is half of the sum of the means of two halves.)"""

_ROUNDINGS = 16
"""Parameters are moved by so many roundings, to see how much of the value is rounding."""

_LEAST = float(np.finfo(np.float32).eps)
"""The least rounding for these moves: a loss may compute in float32 inside."""

_compared: WeakKeyDictionary[Any, set[tuple[bool, bool]]] = WeakKeyDictionary()


def comparisons_of(loss: Callable[..., Any]) -> set[tuple[bool, bool]]:
    """Return the set of the comparisons that this process has made with a loss: add new ones to it.

    Each is ``(mean, moved)``: whether the loss was to be a mean, and whether a parameter was not
    zero.
    """
    try:
        # ``obj.loss`` is a new object each time, so its function is the key.
        return _compared.setdefault(getattr(loss, "__func__", loss), set())
    except TypeError:  # it cannot be hashed, or be referred to weakly
        return set()


def differing(
    loss: Callable[..., Any], params: Tree, data: Sequence[Any], mean: bool
) -> tuple[float, float] | None:
    """Return the value of all rows and the sum of the values of two halves, if these differ.

    There are two rows or more. The loss is to be the sum over them, or their mean. None also if it
    cannot be told: the loss raises for fewer rows, writes into its arguments, has an infinite
    value, or is another one at each call.
    """
    rows = data[0].shape[0]
    params = tree_map(_read_only, params)
    dtypes = {leaf.dtype for leaf in leaves_of(params)}
    dtypes |= {x.dtype for x in data if hasattr(x, "dtype")}  # a table has one for each column

    def value(params: Tree, start: int, stop: int) -> float:
        try:
            some = [_read_only(x[start:stop]) for x in data]
            y = data_of(loss(tree_map(Variable, params), *some))
        except Exception as error:  # the step itself has raised none
            raise _NoValueError from error
        dtypes.add(np.asarray(y).dtype)
        return float(y) * ((stop - start) / rows if mean else 1)

    try:
        with np.errstate(all="ignore"), using_config("enable_backprop", True):
            whole = value(params, 0, rows)
            halves = value(params, 0, rows // 2), value(params, rows // 2, rows)
            together, scale = sum(halves), sum(map(abs, halves))
            rounding = float(max(np.finfo(dtype).eps for dtype in dtypes if dtype.kind in "fc"))
            # A sum of n numbers may be off by n roundings, and terms that cancel by half of the
            # digits.
            expected = min(max(rounding**0.5, rows * rounding), _MOST) * scale
            if not abs(whole - together) > expected:
                return None
            # If residuals are zero but for rounding, no digit of the value is right. Then a tiny
            # move of the parameters changes the value as much. So does any call, if the value
            # depends on the time.
            moved = tree_map(lambda leaf: _perturbed(leaf, max(rounding, _LEAST)), params)
            expected += 10 * abs(value(moved, 0, rows) - whole)
    except _NoValueError:
        return None
    return (whole, together) if abs(whole - together) > expected else None


class _NoValueError(Exception):
    """A loss has no value for some rows."""


def _perturbed(leaf: Any, rounding: float) -> Any:
    """Return a parameter whose numbers are larger and smaller, in turn, by some roundings."""
    moves = _ROUNDINGS * rounding * np.resize([1.0, -1.0], leaf.shape)
    return np.asarray(leaf + np.where(leaf == 0, 1.0, leaf) * moves, leaf.dtype)


def _read_only(array: Any) -> Any:
    """Return an array that the loss cannot write into: it would change the data of later steps."""
    if isinstance(array, np.ndarray):
        array = array.view()
        array.flags.writeable = False
    return array
