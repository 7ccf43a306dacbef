"""The windows of a convolution or pooling: where they lie on an image, and how many there are."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from dezero_ops_math.docstrings import sharing

from dezero_core.extend import Array

Pair = tuple[int, int]

documented = sharing(
    """
    Variable (Variable or ndarray):
    int | Pair (int or (int, int)):
    x: images of shape ``(N, C, H, W)``.
    b (Variable or ndarray, optional): added to each channel of the result, of shape ``(OC,)``.
    kernel_size: height and width of a window.
    stride: how far it is from one window to the next.
    pad: how many zeros there are at each edge.
    Raises ValueError: if `x` has not four axes, a window is larger than an image with its pad, or
        a number is too small.
    Raises TypeError: if a number is no integer.
    """
)
"""Completes docstrings of functions of windows: `applying` finds it in a module that imports it."""


class Windows(NamedTuple):
    """Size, distance and margin of windows, each along the rows and along the columns.

    pad: how far windows reach over each edge. It may be negative inside of this package.
    """

    kernel: Pair
    stride: Pair
    pad: Pair

    def counts(self, size: Pair) -> Pair:
        """Return how many windows lie on an image, or raise a ValueError if it is too small."""
        padded = [n + 2 * p for n, p in zip(size, self.pad, strict=True)]
        if padded[0] < self.kernel[0] or padded[1] < self.kernel[1]:
            raise ValueError(
                f"the kernel of {size_text(self.kernel)} is larger than the image of "
                f"{size_text(size)} with a pad of {size_text(self.pad)}. Take a smaller kernel or "
                "a larger pad."
            )
        rows, columns = (
            (n - k) // s + 1 for n, k, s in zip(padded, self.kernel, self.stride, strict=True)
        )
        return rows, columns

    def size_of(self, counts: Pair, outsize: Pair | None = None) -> Pair:
        """Return the size of images that have so many windows, by default the smallest one.

        Raises ValueError: if `outsize` has other windows, or nothing is left of an image.
        """
        least = tuple(
            (n - 1) * s + k - 2 * p
            for n, k, s, p in zip(counts, self.kernel, self.stride, self.pad, strict=True)
        )
        most = tuple(n + s - 1 for n, s in zip(least, self.stride, strict=True))
        size = least if outsize is None else outsize
        if not all(a <= n <= b for a, n, b in zip(least, size, most, strict=True)):
            raise ValueError(
                f"deconv2d() makes images of {size_text(least)} to {size_text(most)} here, got "
                f"outsize={size_text(size)}: a convolution of these would not give images of "
                f"{size_text(counts)}."
            )
        if min(size) < 1:
            raise ValueError(
                f"deconv2d() makes images of {size_text(size)} of images of {size_text(counts)} "
                f"with a pad of {size_text(self.pad)}: nothing is left. Take a smaller pad."
            )
        return size[0], size[1]

    def on_image(self, axis: int, size: int, positions: range) -> list[tuple[slice, slice]]:
        """Find, for each pixel of a window along one axis, the windows where it is on the image.

        axis: 0 for rows, 1 for columns.
        size: of the image along the axis.
        positions: the windows to look at.
        Returns: for each pixel: these windows, counted from the first of `positions`; and where on
            the image it is in them.
        """
        stride, found = self.stride[axis], []
        for start in range(-self.pad[axis], self.kernel[axis] - self.pad[axis]):
            first = max(positions.start, -(start // stride))
            stop = max(first, min(positions.stop, (size - 1 - start) // stride + 1))
            pixels = slice(first * stride + start, stop * stride + start, stride)
            windows = slice(first - positions.start, stop - positions.start)
            found.append((windows, pixels) if first < stop else (slice(0, 0), slice(0, 0)))
        return found


def count(name: str, parameter: str, value: Any, least: int = 1) -> int:
    """Return an integer that a user gives, or raise a TypeError or a ValueError."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}() takes for {parameter} integers, got {value!r}.") from None
    if number < least:
        raise ValueError(f"{name}() takes for {parameter} {least} or more, got {value!r}.")
    return number


def pair(name: str, parameter: str, value: Any, least: int = 1) -> Pair:
    """Return the two integers, for rows and columns, that a user gives as one or as a pair."""
    both = tuple(value) if np.iterable(value) else (value, value)
    if len(both) != 2:
        raise ValueError(f"{name}() takes for {parameter} one or two integers, got {value!r}.")
    return count(name, parameter, both[0], least), count(name, parameter, both[1], least)


def windows_of(name: str, kernel_size: Any, stride: Any, pad: Any) -> Windows:
    """Return the windows that a user asks for."""
    return Windows(
        pair(name, "kernel_size", kernel_size),
        pair(name, "stride", stride),
        pair(name, "pad", pad, 0),
    )


def require_images(name: str, x: Array, channels: int | None = None) -> None:
    """Raise a ValueError if an operand holds no images, or of another number of channels."""
    shape = np.shape(x)
    if len(shape) != 4:
        raise ValueError(
            f"{name}() takes images of shape (N, C, H, W), got an array of shape {shape}. For one "
            "image write x[np.newaxis]."
        )
    if channels is not None and shape[1] != channels:
        raise ValueError(
            f"{name}() has weights for images of {channels} channels, got images of {shape[1]}, "
            f"of shape {shape}. Give it weights for so many."
        )


def over_windows(ufunc: Any, x: Array, windows: Windows, start: Any) -> Array:
    """Return `ufunc` over the pixels of each window: first along columns, then along rows.

    ufunc: of two operands, associative.
    x: images of shape ``(N, C, H, W)``.
    start: the value that it begins with, and takes for the pad.
    Returns: of shape ``(N, C, OH, OW)``.
    """
    counts = windows.counts(x.shape[2:])
    for axis in (2, 3):
        pixels = np.moveaxis(x, axis, 0)
        x = np.full((*x.shape[:axis], counts[axis - 2], *x.shape[axis + 1 :]), start, x.dtype)
        found = np.moveaxis(x, axis, 0)
        for where, pixel in windows.on_image(axis - 2, len(pixels), range(len(found))):
            ufunc(found[where], pixels[pixel], out=found[where])
    return x


def size_text(size: Sequence[int]) -> str:
    """Return how messages write a size: ``3 x 3``."""
    return f"{size[0]} x {size[1]}"
