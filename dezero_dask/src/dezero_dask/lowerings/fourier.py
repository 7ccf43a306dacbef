"""Fourier transforms, along axes that are in one chunk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .table import LOWERINGS, Array, lowers, whole


def along(function: Callable[..., Any], x: Array, axes: Sequence[int], what: str) -> Array:
    """Return the result of a function that computes along some axes, chunk by chunk.

    Parameters
    ----------
    function : callable
        Its result has the same other axes.
    x : dask.array.Array
    axes : sequence of int
    what : str
        As of `refused`.

    Raises
    ------
    LazyArrayError (TypeError)
        If one of the axes has several chunks.
    """
    axes = [axis % x.ndim for axis in axes]
    for axis in axes:
        whole(x, axis, what)
    trial = function(np.ones([n if axis in axes else 1 for axis, n in enumerate(x.shape)], x.dtype))
    chunks = [
        (trial.shape[axis],) if axis in axes else lengths for axis, lengths in enumerate(x.chunks)
    ]
    meta = np.empty((0,) * x.ndim, trial.dtype)
    return x.map_blocks(function, dtype=trial.dtype, chunks=tuple(chunks), meta=meta)


def _of_one_axis(function: Any) -> Any:
    def transformed(x: Array, n: Any = None, axis: int = -1, norm: Any = None) -> Array:
        by = partial(function, n=n, axis=axis, norm=norm)
        return along(by, x, [axis], f"np.fft.{function.__name__}")

    return transformed


def _of_several_axes(function: Any) -> Any:
    def transformed(x: Array, s: Any = None, axes: Any = None, norm: Any = None) -> Array:
        if axes is None:
            axes = range(-(x.ndim if s is None else len(s)), 0)
        by = partial(function, s=s, axes=tuple(axes), norm=norm)
        return along(by, x, axes, f"np.fft.{function.__name__}")

    return transformed


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    LOWERINGS[getattr(np.fft, _name)] = _of_one_axis(getattr(np.fft, _name))
for _name in ("fftn", "ifftn", "rfftn", "irfftn"):
    LOWERINGS[getattr(np.fft, _name)] = _of_several_axes(getattr(np.fft, _name))


@lowers(np.fft.fftshift)
def _fftshift(x: Array, axes: Any = None) -> Array:
    return _shifted(x, axes, lambda n: n // 2)


@lowers(np.fft.ifftshift)
def _ifftshift(x: Array, axes: Any = None) -> Array:
    return _shifted(x, axes, lambda n: -(n // 2))


def _shifted(x: Array, axes: Any, by: Callable[[int], int]) -> Array:
    axes = range(x.ndim) if axes is None else np.atleast_1d(axes).tolist()
    return LOWERINGS[np.roll](x, [by(x.shape[axis]) for axis in axes], list(axes))
