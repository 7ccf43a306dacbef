"""What is true of derivatives, from the function alone.

Differences, extrapolated to step 0, hold for every smooth function to nine digits or so; the
complex step ``imag(f(x + ih)) / h`` subtracts nothing and so is right to the last ones, where
the function is analytic and NumPy computes it in complex numbers.

Source: Richardson 1911; Squire and Trapp 1998.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

STEP = 1e-30
_FIRST, _LEVELS = 0.02, 4


def direction(like: Any, *seed: int) -> Any:
    """Return numbers in the shape and dtype of an array: all different, none near 0."""
    rng = np.random.default_rng([*seed, like.size])

    def numbers() -> Any:
        return rng.uniform(0.5, 1.0, like.shape) * rng.choice([-1.0, 1.0], like.shape)

    both = numbers() + 1j * numbers() if like.dtype.kind == "c" else numbers()
    return np.asarray(both, dtype=like.dtype)


def directions(arrays: Sequence[Any]) -> list[Any]:
    """Return one for each array, different ones for arrays of one shape, too."""
    return [direction(array, 1, index) for index, array in enumerate(arrays)]


def slope(function: Callable[[float], Any]) -> Any:
    """Return the derivative at 0 of a function of one number, by extrapolated differences."""
    steps = [_FIRST / 2**level for level in range(_LEVELS)]
    slopes = [(function(h) - function(-h)) / (2.0 * h) for h in steps]
    for order in range(1, _LEVELS):
        gain = 4.0**order
        slopes = [(gain * fine - coarse) / (gain - 1.0) for coarse, fine in pairwise(slopes)]
    return slopes[0]


def by_differences(loss: Callable[..., Any], xs: Sequence[Any]) -> list[Any]:
    """Return the gradients of the real part of `loss`, element by element.

    Of a complex array, the derivative by the real part plus ``1j`` times that by the imaginary
    part.
    """
    gradients = [np.zeros(x.shape, x.dtype) for x in xs]
    for gradient, index, moved_by in _elements(xs, gradients):
        for unit in (1.0, 1j) if gradient.dtype.kind == "c" else (1.0,):

            def along(h: float, moved_by: Any = moved_by, unit: complex = unit) -> Any:
                return np.real(loss(*moved_by(h * unit)))

            gradient[index] += unit * slope(along)
    return gradients


def by_complex_step(loss: Callable[..., Any], xs: Sequence[Any]) -> list[Any]:
    """Return the gradients of a real `loss` of real arrays that takes complex ones."""
    gradients = [np.zeros(x.shape) for x in xs]
    for gradient, index, moved_by in _elements(xs, gradients):
        gradient[index] = np.imag(loss(*moved_by(STEP * 1j))) / STEP
    return gradients


def _elements(xs: Sequence[Any], gradients: Sequence[Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Yield each gradient and index, and a function that moves that element of `xs`."""
    for which, gradient in enumerate(gradients):
        for index in np.ndindex(gradient.shape):

            def moved_by(by: complex, which: int = which, index: Any = index) -> list[Any]:
                moved = [np.array(x, dtype=np.result_type(x, by)) for x in xs]
                moved[which][index] += by
                return moved

            yield gradient, index, moved_by
