"""How reductions are called in tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..sampling import Call, Draw

A, B = Draw((2, 3)), Draw((2, 3, 2))

REDUCTIONS = (
    *(Call(A), Call(A, keepdims=True), Call(A, axis=0), Call(A, 1)),
    *(Call(A, axis=-1, keepdims=True), Call(A, axis=None), Call(B, axis=(0, -1))),
    *(Call(B, axis=(-2, 0), keepdims=True), Call(B, axis=1), Call(A, axis=())),
    *(Call(Draw((1, 1)), axis=1), Call(Draw()), Call(Draw((0, 3)), axis=1)),
)

OVER_NOTHING = (Call(Draw((0, 3)), axis=0), Call(Draw((0,))))

TYPED = (Call(A, dtype=complex), Call(A, axis=1, dtype=np.dtype("complex128"), keepdims=True))

STARTED = (Call(A, initial=2.0), Call(A, axis=0, initial=-0.5, keepdims=True))

MASK = np.array([[True, False, True], [False, True, True]])

MASKED = (
    *(Call(A, where=MASK), Call(A, axis=1, where=MASK, keepdims=True)),
    *(Call(A, axis=1, where=MASK[0]), Call(B, axis=(0, -1), where=MASK[:, :, None])),
    Call(A, where=[[True], [False]]),
)

NAN = np.array([[0.0, np.nan, 0.0], [0.0, 0.0, 0.0]])

WITH_NAN = (
    *(Call(Draw((2, 3), plus=NAN)), Call(Draw((2, 3), plus=NAN), axis=0, keepdims=True)),
    Call(Draw((2, 3), plus=NAN), 1),
)

BOUNDED = (
    *(Call(A, initial=1.5), Call(A, axis=0, initial=0.0, keepdims=True)),
    *(Call(A, where=MASK, initial=0.5), Call(A, axis=1, where=MASK, initial=-9.0)),
    Call(A, axis=1, where=MASK, initial=9.0),
    Call(B, axis=(0, -1), where=MASK[:, :, None], initial=0.5),
)

_ZEROS = np.array([[0.0, 2.0, 3.0, 1.5], [2.0, 0.0, 0.0, 3.0], [0.0, 0.0, 0.0, 2.0]])

SUMMED = *REDUCTIONS, *OVER_NOTHING, *TYPED, *STARTED, *MASKED

#: One, two and three zeros in a row.
WITH_ZEROS = (
    Call(Draw((3, 4), (0.0, 0.0), plus=_ZEROS), axis=1),
    Call(Draw((3, 4), (0.0, 0.0), plus=_ZEROS), axis=0),
    Call(Draw((4,), (0.0, 0.0), plus=_ZEROS[1])),
)


def apart(x: Any) -> Any:
    """Return the distances of elements from each other, and from numbers they are compared with."""
    x = x[~np.isnan(x)]
    return np.diff(np.sort(np.append(x, (0.0, 0.5, 1.5))))


ALONG = (
    *(Call(A), Call(A, axis=0), Call(A, 1), Call(B, axis=-2), Call(B, axis=None)),
    *(Call(A, axis=-1, dtype=complex), Call(Draw((30, 2)), axis=1), Call(Draw((1, 1)), axis=1)),
    *(Call(Draw()), Call(Draw(), axis=0), Call(Draw((0, 3)), axis=1), Call(Draw((0, 3)), axis=0)),
    Call(Draw((2, 0))),
)

ALONG_WITH_NAN = (
    *(Call(Draw((2, 3), plus=NAN)), Call(Draw((2, 3), plus=NAN), axis=0)),
    Call(Draw((2, 3), plus=NAN), axis=1),
)

FREE = (
    *(Call(A, ddof=1), Call(A, axis=1, ddof=0.5, keepdims=True), Call(A, axis=0, correction=1)),
    Call(A, axis=1, where=MASK, ddof=1),
)

WITH_MEAN = (
    *(Call(A, mean=Draw((1, 1))), Call(A, axis=1, mean=Draw((2, 1)), ddof=1)),
    Call(A, axis=0, mean=Draw((3,)), keepdims=True),
    *(Call(A, axis=1, mean=Draw((2, 1)), where=MASK), Call(Draw((2,)), mean=Draw())),
)


def _quantiles(unit: float) -> tuple[Any, ...]:
    methods = ("hazen", "lower", "higher", "midpoint", "nearest", "inverted_cdf", "weibull")
    return (
        *(Call(A, 0.3 * unit), Call(A, 0), Call(A, unit, axis=0)),
        *(Call(A, 0.5 * unit, axis=0, keepdims=True), Call(A, [0.2 * unit, 0.7 * unit], axis=1)),
        Call(A, np.array([[0.2, 0.7, 0.2]]) * unit, axis=(0, 1), keepdims=True),
        *(Call(A, np.array([0.1, 0.9]) * unit, axis=()), Call(A, [])),
        Call(B, 0.9 * unit, axis=(0, -1)),
        *(Call(Draw((5,)), 0.35 * unit, method=method) for method in methods),
        *(Call(Draw((1, 1)), 0.5 * unit, axis=1), Call(Draw(), [0.1 * unit, unit])),
        Call(Draw((0, 3)), 0.5 * unit, axis=1),
    )


def _with_nan(unit: float) -> tuple[Any, ...]:
    sparse = Draw((2, 3), plus=NAN)
    return (
        *(Call(sparse, 0.3 * unit), Call(sparse, [0.2 * unit, 0.7 * unit], axis=1)),
        Call(sparse, 0.6 * unit, axis=1, method="hazen", keepdims=True),
    )


QUANTILES, PERCENTILES = _quantiles(1.0), _quantiles(100.0)
NAN_QUANTILES, NAN_PERCENTILES = QUANTILES + _with_nan(1.0), PERCENTILES + _with_nan(100.0)

POSITIONS = (
    *(Call(A), Call(A, keepdims=True), Call(A, axis=0), Call(A, 1)),
    *(Call(A, axis=-1, keepdims=True), Call(B, axis=1), Call(Draw()), Call(Draw((0, 3)), axis=1)),
)
POSITIONS_OF_NUMBERS = (*POSITIONS, *WITH_NAN)
