"""Fourier transforms, along axes that are in one chunk."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .table import LAZY_FUNCTIONS, Array, in_one_chunk


def _along(
    function: Any, x: Array, axes: Sequence[int], lengths: Sequence[Any], norm: Any
) -> Array:
    """Return the result of a transform along some axes, chunk by chunk; each must be in one chunk.

    `lengths` say how much of each axis is transformed, None for all.
    """
    name = function.__name__
    axes = [normalize_axis_index(axis, x.ndim) for axis in axes]
    for axis in axes:
        in_one_chunk(x, axis, f"np.fft.{name}")
    # Of small lengths: a trial of the whole would take as long as a line of the array.
    shape = [min(n, 2) if axis in axes else 1 for axis, n in enumerate(x.shape)]
    few = [n if n is None else min(n, 2) for n in lengths]
    trial = _of_chunk(np.ones(shape, x.dtype), function, axes, few, norm)
    chunks = list(x.chunks)
    numbers = range(len(axes))
    # The order in which NumPy goes through the axes; one of them may be there twice.
    for number in numbers if name == "irfftn" else numbers[::-1]:
        axis, n = axes[number], lengths[number]
        is_default = n is None or n == -1
        used = x.shape[axis] if is_default else n
        chunks[axis] = (_length(name, used, is_default) if number == numbers[-1] else used,)
    return x.map_blocks(
        *(_of_chunk, function, axes, lengths, norm),
        dtype=trial.dtype,
        chunks=tuple(chunks),
        meta=np.empty((0,) * x.ndim, trial.dtype),
    )


def _length(name: str, n: int, is_default: bool) -> int:
    """Return the length of the last axis of the result."""
    if name in ("rfft", "rfftn", "ihfft"):
        return n // 2 + 1
    return 2 * (n - 1) if name in ("irfft", "irfftn", "hfft") and is_default else n


def _of_chunk(x: Any, function: Any, axes: Any, lengths: Any, norm: Any) -> Any:
    if function in _OF_ONE_AXIS:
        return function(x, *lengths, *axes, norm)
    return function(x, None if None in lengths else lengths, axes, norm)


def _of_one_axis(function: Any, x: Array, n: Any = None, axis: int = -1, norm: Any = None) -> Array:
    return _along(function, x, [axis], [n], norm)


def _of_several_axes(
    function: Any, x: Array, s: Any = None, axes: Any = None, norm: Any = None
) -> Array:
    if axes is None:
        axes = range(-(x.ndim if s is None else len(s)), 0)
    return _along(function, x, axes, [None] * len(axes) if s is None else list(s), norm)


_OF_ONE_AXIS = (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.hfft, np.fft.ihfft)
_OF_SEVERAL_AXES = (np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn)
LAZY_FUNCTIONS |= {function: partial(_of_one_axis, function) for function in _OF_ONE_AXIS}
LAZY_FUNCTIONS |= {function: partial(_of_several_axes, function) for function in _OF_SEVERAL_AXES}


def _shifted(direction: int, x: Array, axes: Any = None) -> Array:
    axes = range(x.ndim) if axes is None else np.atleast_1d(axes).tolist()
    shifts = [x.shape[axis] // 2 * direction for axis in axes]
    return LAZY_FUNCTIONS[np.roll](x, shifts, list(axes))


LAZY_FUNCTIONS[np.fft.fftshift] = partial(_shifted, 1)
LAZY_FUNCTIONS[np.fft.ifftshift] = partial(_shifted, -1)
