"""True derivatives, computed from values of the function alone.

Differences, extrapolated to step 0 (Richardson 1911), give about nine digits for every smooth
function. The complex step ``imag(f(x + ih)) / h`` (Squire and Trapp 1998) is right to the last
digits, but needs an analytic function that NumPy computes in complex numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

STEP = 1e-30
#: The first steps to try, in units of the scale. The next one is tried if the differences have not
#: settled. Each is halved _LEVELS - 1 times.
_FIRST, _LEVELS = (0.02, 1e-3, 5e-5), 4
_SETTLED = 1e-10


def direction(like: Any, *seed: int) -> Any:
    """Return random numbers in the shape and dtype of an array. None is near 0."""
    rng = np.random.default_rng([*seed, like.size])

    def numbers() -> Any:
        return rng.uniform(0.5, 1.0, like.shape) * rng.choice([-1.0, 1.0], like.shape)

    both = numbers() + 1j * numbers() if like.dtype.kind == "c" else numbers()
    return np.asarray(both, dtype=like.dtype)


def directions(arrays: Sequence[Any]) -> list[Any]:
    """Return a direction for each array. Arrays of the same shape get different ones."""
    return [direction(array, 1, index) for index, array in enumerate(arrays)]


def slope(function: Callable[[float], Any], scale: float = 1.0) -> tuple[Any, float]:
    """Return the derivative at 0 of a function that changes on `scale`, and an error bound."""
    best, least, middle = None, np.inf, function(0.0)
    for first in _FIRST:
        value, error = _extrapolated(function, middle, first * scale)
        if best is None or error < least:
            best, least = value, error
        if least <= _SETTLED * np.max(np.abs(best), initial=0.0):
            break
    return best, float(least)


def _extrapolated(function: Callable[[float], Any], middle: Any, first: float) -> tuple[Any, float]:
    steps = [first / 2**level for level in range(_LEVELS)]
    values = [(function(h), function(-h)) for h in steps]
    slopes = [(above - below) / (2.0 * h) for (above, below), h in zip(values, steps, strict=True)]
    rounded = 1e-15 * np.max(np.abs(values), initial=0.0) / first
    # Where the function is smooth, each halving of the step divides the bend by 2 and the changes
    # by 4. At a corner the bend stays, and the slope is only the mean of the slopes on both sides.
    # At a corner of the derivative the changes are divided by 2, and to extrapolate gains nothing.
    bends = [
        np.abs(above + below - 2.0 * middle) / (2.0 * h)
        for (above, below), h in zip(values, steps, strict=True)
    ]
    changes = [np.abs(fine - coarse) for coarse, fine in pairwise(slopes)]
    rough = _unless_below(bends, 0.4) + _unless_below(changes, 0.125)
    for order in range(1, _LEVELS):
        gain, before = 4.0**order, slopes[-1]
        slopes = [(gain * fine - coarse) / (gain - 1.0) for coarse, fine in pairwise(slopes)]
    error = np.max(np.abs(slopes[0] - before) + rough, initial=0.0) + rounded
    return slopes[0], error if np.isfinite(error) else np.inf


def _unless_below(sizes: Sequence[Any], share: float) -> Any:
    """Return the last of some sizes, and 0 for elements where it is below a share of the first."""
    return np.where(sizes[-1] > share * sizes[0], sizes[-1], 0.0)


def by_differences(
    loss: Callable[..., Any], xs: Sequence[Any], scales: Sequence[float]
) -> tuple[list[Any], list[float]]:
    """Return the gradients of the real part of `loss`, and a bound of the error of each.

    The gradient by a complex array is the derivative by the real part plus ``1j`` times the
    derivative by the imaginary part. On the `scales` of its arrays, `loss` changes.
    """
    gradients = [np.zeros(x.shape, x.dtype) for x in xs]
    errors = [0.0] * len(gradients)
    for which, index, moved_by in _elements(xs):
        for unit in (1.0, 1j) if gradients[which].dtype.kind == "c" else (1.0,):

            def along(h: float, moved_by: Any = moved_by, unit: complex = unit) -> Any:
                return np.real(loss(*moved_by(h * unit)))

            value, error = slope(along, scales[which])
            gradients[which][index] += unit * value
            errors[which] = max(errors[which], error)
    return gradients, errors


def by_complex_step(loss: Callable[..., Any], xs: Sequence[Any]) -> list[Any]:
    """Return the gradients of a real `loss` by real arrays. It must take complex arrays as well."""
    gradients = [np.zeros(x.shape) for x in xs]
    for which, index, moved_by in _elements(xs):
        gradients[which][index] = np.imag(loss(*moved_by(STEP * 1j))) / STEP
    return gradients


def _elements(xs: Sequence[Any]) -> Iterator[tuple[int, Any, Callable[[complex], list[Any]]]]:
    """Yield, for each element, the number of its array, its index, and a function that moves it."""
    for which, each in enumerate(xs):
        for index in np.ndindex(each.shape):

            def moved_by(by: complex, which: int = which, index: Any = index) -> list[Any]:
                moved = [np.array(x) for x in xs]
                moved[which] = moved[which].astype(np.result_type(xs[which], by))
                moved[which][index] += by
                return moved

            yield which, index, moved_by
