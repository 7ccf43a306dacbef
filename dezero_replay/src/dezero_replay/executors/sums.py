"""The order in which NumPy adds up a few numbers, found out by trying."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

import numpy as np

MOST = 8
"""NumPy adds more numbers in an order that depends on the processor."""

_TRIALS = 64

_SUM: Any = np.add.reduce


@cache
def text_of_sum(
    shape: tuple[int, ...], strides: tuple[int, ...], axes: tuple[int, ...], keepdims: bool
) -> str | None:
    """Return how Python adds up the numbers of a sum over axes, with their places in braces.

    The numbers are in the order of `along`. None if no such text has NumPy's bits.
    """
    n = prod(shape[axis] for axis in axes)
    if n > MOST:
        return None
    numbers = [f"{{{place}}}" for place in range(n)]
    rest = " + ".join(numbers[1:])
    for text in (" + ".join(numbers), f"{numbers[0]} + ({rest})" if n > 2 else ""):
        if text and _is_of_numpy(text, shape, strides, axes, keepdims):
            zeros = _laid_out(np.full(shape, -0.0), strides)
            total = _SUM(zeros, axes, None, None, keepdims)
            # Some sums of NumPy begin with 0.0, and then the sum of -0.0 is 0.0.
            return text if np.signbit(total).all() else f"0.0 + ({text})"
    return None


def along(array: Any, axes: tuple[int, ...]) -> Any:
    """Return an array with one last axis in place of some axes: the numbers of each sum."""
    ndim = array.ndim
    others = tuple(axis for axis in range(ndim) if axis not in axes)
    turned = np.transpose(array, (*others, *axes))
    return turned.reshape((*[array.shape[axis] for axis in others], -1))


def _is_of_numpy(text: str, shape: Any, strides: Any, axes: Any, keepdims: bool) -> bool:
    generator = np.random.default_rng(0)
    names = [f"a{place}" for place in range(prod(shape[axis] for axis in axes))]
    add = eval(f"lambda {', '.join(names)}: {text.format(*names)}")
    for _ in range(_TRIALS):
        numbers = generator.normal(size=shape) * 10.0 ** generator.integers(-9, 9, shape)
        total = _SUM(_laid_out(numbers, strides), axes, None, None, keepdims)
        rows = along(numbers, axes)
        sums = [add(*row.tolist()) for row in rows.reshape(-1, rows.shape[-1])]
        if np.ravel(total).tolist() != sums:
            return False
    return True


def _laid_out(numbers: Any, strides: tuple[int, ...]) -> Any:
    """Return numbers in an array with certain strides, none of which is below 0."""
    size = 2 + sum((n - 1) * s for n, s in zip(numbers.shape, strides, strict=True)) // 8
    array: Any = np.ndarray(numbers.shape, float, np.empty(size), 0, strides)
    array[...] = numbers
    return array
