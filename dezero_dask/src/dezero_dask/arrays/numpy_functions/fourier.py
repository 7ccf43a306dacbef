"""Fourier transforms, along axes that are in one chunk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .table import LAZY_FUNCTIONS, Array, implements, in_one_chunk


def _along(
    function: Callable[..., Any], x: Array, axes: Sequence[int], lengths: Sequence[Any], what: str
) -> Array:
    """Return the result of a transform along some axes, chunk by chunk; each must be in one chunk.

    `function` takes an array and `lengths`: how much of each axis is transformed, None for all.
    """
    axes = [normalize_axis_index(axis, x.ndim) for axis in axes]
    for axis in axes:
        in_one_chunk(x, axis, what)
    # Of small lengths: a trial of the whole would take as long as a line of the array.
    shape = [min(n, 2) if axis in axes else 1 for axis, n in enumerate(x.shape)]
    few = [n if n is None else min(n, 2) for n in lengths]
    trial = function(np.ones(shape, x.dtype), few)
    chunks = list(x.chunks)
    numbers = range(len(axes))
    # The order in which NumPy goes through the axes; one of them may be there twice.
    for number in numbers if what.endswith("irfftn") else numbers[::-1]:
        axis, n = axes[number], lengths[number]
        used = x.shape[axis] if n is None or n == -1 else n
        is_last = number == numbers[-1]
        chunks[axis] = (_length(what, used, n is None or n == -1) if is_last else used,)
    meta = np.empty((0,) * x.ndim, trial.dtype)
    by = partial(function, lengths=lengths)
    return x.map_blocks(by, dtype=trial.dtype, chunks=tuple(chunks), meta=meta)


def _length(what: str, n: int, is_default: bool) -> int:
    """Return the length of the last axis of the result."""
    name = what.rpartition(".")[2]
    if name in ("rfft", "rfftn", "ihfft"):
        return n // 2 + 1
    return 2 * (n - 1) if name in ("irfft", "irfftn", "hfft") and is_default else n


def _of_one_axis(function: Any) -> Any:
    def transformed(x: Array, n: Any = None, axis: int = -1, norm: Any = None) -> Array:
        by = partial(_transform_axis, function, axis=axis, norm=norm)
        return _along(by, x, [axis], [n], f"np.fft.{function.__name__}")

    return transformed


def _transform_axis(function: Any, x: Any, lengths: Any, axis: int, norm: Any) -> Any:
    return function(x, lengths[0], axis, norm)


def _of_several_axes(function: Any) -> Any:
    def transformed(x: Array, s: Any = None, axes: Any = None, norm: Any = None) -> Array:
        if axes is None:
            axes = range(-(x.ndim if s is None else len(s)), 0)
        lengths = [None] * len(axes) if s is None else list(s)
        by = partial(_transform_axes, function, axes=tuple(axes), norm=norm)
        return _along(by, x, axes, lengths, f"np.fft.{function.__name__}")

    return transformed


def _transform_axes(function: Any, x: Any, lengths: Any, axes: Any, norm: Any) -> Any:
    s = None if None in lengths else lengths
    return function(x, s, axes, norm)


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    LAZY_FUNCTIONS[getattr(np.fft, _name)] = _of_one_axis(getattr(np.fft, _name))
for _name in ("fftn", "ifftn", "rfftn", "irfftn"):
    LAZY_FUNCTIONS[getattr(np.fft, _name)] = _of_several_axes(getattr(np.fft, _name))


@implements(np.fft.fftshift)
def _fftshift(x: Array, axes: Any = None) -> Array:
    return _shifted(x, axes, lambda n: n // 2)


@implements(np.fft.ifftshift)
def _ifftshift(x: Array, axes: Any = None) -> Array:
    return _shifted(x, axes, lambda n: -(n // 2))


def _shifted(x: Array, axes: Any, by: Callable[[int], int]) -> Array:
    axes = range(x.ndim) if axes is None else np.atleast_1d(axes).tolist()
    return LAZY_FUNCTIONS[np.roll](x, [by(x.shape[axis]) for axis in axes], list(axes))
