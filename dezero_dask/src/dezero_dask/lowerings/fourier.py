"""Fourier transforms, along axes that are in one chunk."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np

from .table import LOWERINGS, Array, whole


def _along_one(name: str) -> Any:
    def transformed(x: Array, n: Any = None, axis: int = -1) -> Array:
        return getattr(da.fft, name)(whole(x, axis, f"np.fft.{name}"), n, axis)

    return transformed


def _along_several(name: str) -> Any:
    def transformed(x: Array, s: Any = None, axes: Any = None) -> Array:
        given = axes if axes is not None else range(x.ndim - (x.ndim if s is None else len(s)), x.ndim)
        for axis in given:
            whole(x, axis, f"np.fft.{name}")
        return getattr(da.fft, name)(x, s, axes)

    return transformed


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    LOWERINGS[getattr(np.fft, _name)] = _along_one(_name)
for _name in ("fftn", "ifftn", "rfftn", "irfftn"):
    LOWERINGS[getattr(np.fft, _name)] = _along_several(_name)
for _name in ("fftshift", "ifftshift"):
    LOWERINGS[getattr(np.fft, _name)] = getattr(da.fft, _name)
