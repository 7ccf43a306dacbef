"""Trials of the body of an elementwise Function, on operands of one element or a few.

They tell the dtype of its results and what its ``forward`` keeps for ``backward``. What it keeps
must be there for each chunk: an array of the shape of the results, or something that is the same
for all operands. All else would have the value of a trial, and the gradient would be wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import LazyArrayError
from .refusals import refused

#: A body may refuse some values: one of these will do.
VALUES = (1, 0, -1, 2, 0.5)


def first_result(run: Callable[[Any], Any]) -> Any:
    """Return the result of `run`, for the first of the `VALUES` for which it does not raise.

    If it raises for all of them, the error is that for the first value.
    """
    first: Exception | None = None
    for value in VALUES:
        try:
            with np.errstate(all="ignore"):
                return run(value)
        except LazyArrayError:
            raise
        except Exception as error:
            first = first or error
    assert first is not None
    raise first


def unshared(x: Any) -> Any:
    """Return a copy of an attribute, or a read-only view: a trial must not change the user's."""
    if type(x) is list:
        return list(map(unshared, x))
    if type(x) is dict:
        return {key: unshared(value) for key, value in x.items()}
    if type(x) is set:
        return set(x)
    if isinstance(x, np.ndarray):
        x = x.view()
        x.flags.writeable = False
    return x


def same(x: Any, y: Any) -> bool:
    """Return whether two attributes are certain to be the same."""
    if x is y:
        return True
    if type(x) is not type(y):
        return False
    if isinstance(x, (list, tuple)):
        return len(x) == len(y) and all(map(same, x, y))
    if isinstance(x, dict):
        return x.keys() == y.keys() and all(same(x[key], y[key]) for key in x)
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype == y.dtype and np.array_equal(x, y, equal_nan=x.dtype.kind in "fc")
    return bool(x == y or (isinstance(x, float) and x != x and y != y))


def require_known(what: str, attributes: dict[str, Any]) -> None:
    """Raise if an attribute draws random numbers: each task would draw others."""
    for name, value in attributes.items():
        if isinstance(value, (np.random.Generator, np.random.RandomState)):
            raise refused(
                what,
                f"its attribute {name!r} draws random numbers, and each task would draw others",
                "Draw them outside, as with dask.array.random, and give them to it as an operand.",
            )


def require_same(what: str, name: str, value: Any, others: list[dict[str, Any]]) -> None:
    """Raise if ``forward`` keeps an attribute that other operands would change.

    `others` are the attributes after trials on such operands.
    """
    if not all(name in other and same(value, other[name]) for other in others):
        raise refused(
            what,
            f"it keeps {name!r}, which depends on its operands and is no array of the shape of its "
            "results",
            "Keep arrays of that shape in attributes of their own; or compute it in backward.",
        )
