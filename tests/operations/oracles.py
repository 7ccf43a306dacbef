"""What is true of derivatives, from the function alone.

First order: the complex-step derivative, ``imag(f(x + ih)) / h``, which subtracts nothing
and so is right to the last digits (Squire and Trapp 1998). Second order: differences of
first-order gradients, extrapolated to step 0 (Richardson 1911).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

STEP = 1e-30


def direction(like: Any, seed: int = 0) -> Any:
    """Return numbers in the shape and dtype of an array: all different, none near 0."""
    rng = np.random.default_rng([seed, like.size])
    sizes = rng.uniform(0.5, 1.0, like.shape)
    return np.asarray(sizes * rng.choice([-1.0, 1.0], like.shape), dtype=like.dtype)


def complex_step(function: Callable[..., Any], xs: Sequence[Any], gy: Any) -> list[Any]:
    """Return the gradients of ``sum(gy * function(*xs))``, one element after the other."""
    gradients = [np.zeros(x.shape) for x in xs]
    for which, gradient in enumerate(gradients):
        for index in np.ndindex(gradient.shape):
            moved = [x.astype(complex) for x in xs]
            moved[which][index] += 1j * STEP
            gradient[index] = np.sum(gy * np.imag(function(*moved))) / STEP
    return gradients


def richardson(function: Callable[[float], Any], step: float = 0.01, levels: int = 3) -> Any:
    """Return the derivative at 0 of a function of one number, which may return an array."""
    steps = [step / 2**level for level in range(levels)]
    slopes = [(function(h) - function(-h)) / (2.0 * h) for h in steps]
    for order in range(1, levels):
        gain = 4.0**order
        slopes = [(gain * fine - coarse) / (gain - 1.0) for coarse, fine in pairwise(slopes)]
    return slopes[0]
