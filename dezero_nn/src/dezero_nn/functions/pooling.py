"""The largest pixel of each window of an image, and the mean of each window."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
from dezero_ops_math.declaring import Call, Draw, applying

from dezero_core import Function, Variable
from dezero_core.extend import Array

from .columns import im2col
from .windows import Pair, Windows, over_windows, require_images, size_text, windows_of
from .windows import documented as documented


class _OfWindows(Function):
    """A function of the windows of images, which have a shape."""

    saves: tuple[str, ...] = ()
    arrays = "numpy: windows are gone through in parts of arrays, which are written into"
    batch_axes = (0, 0), (0,)

    def __init__(self, windows: Windows, size: Pair = (0, 0)) -> None:
        #: The size is that of the images in the result, if there are images in it.
        self.windows, self.size = windows, size


class Pooling(_OfWindows):
    """The gradient of a window goes to its largest pixel, the first of them, or the first nan."""

    saves = ("inputs", "outputs")

    def forward(self, x: Array) -> Array:
        require_order("pooling", x, self.windows)
        return over_windows(np.maximum, x, self.windows, lowest(x.dtype))

    def backward(self, gy: Array) -> Array:
        x = self.inputs[0].data
        at = _FirstLargest(self.windows).of(x, self.outputs[0]().data)
        return _ToPixels(self.windows, x.shape[2:]).of(gy, at)


class _FirstLargest(_OfWindows):
    """The number of the first pixel of each window that is equal to the largest one."""

    def forward(self, x: Array, y: Array) -> Array:
        pixels = _pixels(self.windows, x.shape, y.shape)
        at = np.zeros(y.shape, np.min_scalar_type(len(pixels)))
        has_nan = bool(np.isnan(y).any())
        is_before = np.ones(y.shape, np.bool_)
        # To count the pixels before it takes a fraction of the time of a choice for each window.
        for where, pixel in pixels:
            is_other = x[pixel] != y[where]
            if has_nan:
                is_other &= ~np.isnan(x[pixel])
            is_before[where] &= is_other
            at += is_before
        return at


class _ToPixels(_OfWindows):
    """Adds a number for each window to that of its pixels which is numbered `at`."""

    saves = ("other inputs",)

    def forward(self, x: Array, at: Array) -> Array:
        y = np.zeros((*x.shape[:2], *self.size), x.dtype)
        is_finite = bool(np.isfinite(x).all())
        for number, (where, pixel) in enumerate(_pixels(self.windows, y.shape, at.shape)):
            y[pixel] += _masked(x[where], at[where] == number, is_finite)
        return y

    def backward(self, gy: Array) -> tuple[Array, None]:
        return _FromPixels(self.windows).of(gy, self.inputs[1].data), None


class _FromPixels(_OfWindows):
    """The pixel numbered `at` of each window."""

    saves = ("other inputs",)

    def forward(self, x: Array, at: Array) -> Array:
        y, is_finite = np.zeros(at.shape, x.dtype), bool(np.isfinite(x).all())
        for number, (where, pixel) in enumerate(_pixels(self.windows, x.shape, at.shape)):
            y[where] += _masked(x[pixel], at[where] == number, is_finite)
        return y

    def backward(self, gy: Array) -> tuple[Array, None]:
        x, at = self.inputs
        return _ToPixels(self.windows, x.shape[2:]).of(gy, at.data), None


class AveragePooling(_OfWindows):
    """The gradient of a window goes to all its pixels, in equal shares."""

    def forward(self, x: Array) -> Array:
        require_images("average_pooling", x)
        x, dtype = _in_long(x)
        y = over_windows(np.add, x, self.windows, x.dtype.type(0))
        return (y / math.prod(self.windows.kernel)).astype(dtype, copy=False)

    def backward(self, gy: Array) -> Array:
        return _ToAllPixels(self.windows, self.inputs[0].shape[2:]).of(gy)


class _ToAllPixels(_OfWindows):
    """Adds a number for each window to all its pixels, in equal shares."""

    def forward(self, x: Array) -> Array:
        x, dtype = _in_long(x)
        y = x / math.prod(self.windows.kernel)
        for axis in (2, 3):
            shares = np.moveaxis(y, axis, 0)
            length = self.size[axis - 2]
            y = np.zeros((*y.shape[:axis], length, *y.shape[axis + 1 :]), x.dtype)
            sums = np.moveaxis(y, axis, 0)
            for where, pixel in self.windows.on_image(axis - 2, length, range(len(shares))):
                sums[pixel] += shares[where]
        return y.astype(dtype, copy=False)

    def backward(self, gy: Array) -> Array:
        return AveragePooling(self.windows).of(gy)


def _in_long(x: Array) -> tuple[Array, Any]:
    """Return `x` in a dtype to add in, and the dtype of a mean, as `np.mean` has them."""
    dtype = np.result_type(x, 0.0) if x.dtype.kind in "fc" else np.dtype(float)
    return x.astype(np.float32 if dtype == np.float16 else dtype, copy=False), dtype


def lowest(dtype: Any) -> Any:
    """Return the number of a dtype that no other is below."""
    if dtype.kind == "f":
        return dtype.type(-np.inf)
    return dtype.type(False) if dtype.kind == "b" else np.iinfo(dtype).min


def require_order(name: str, x: Array, windows: Windows) -> None:
    """Raise an error unless each window of images has a largest pixel."""
    require_images(name, x)
    if x.dtype.kind == "c":
        raise TypeError(f"{name}() takes real numbers, which have an order, got {x.dtype}.")
    if 0 in x.shape[2:] or any(p >= k for p, k in zip(windows.pad, windows.kernel, strict=True)):
        raise ValueError(
            f"{name}() takes images with pixels, and a pad smaller than the kernel, so that each "
            f"window has a pixel, got a kernel of {size_text(windows.kernel)} with a pad of "
            f"{size_text(windows.pad)} on images of {size_text(x.shape[2:])}."
        )


def _masked(x: Array, mask: Array, is_finite: bool) -> Array:
    """Return `x` where the mask holds, elsewhere 0."""
    # A product is faster on masks that are random; but 0 times inf is nan.
    return x * mask if is_finite else np.where(mask, x, x.dtype.type(0))


def _pixels(
    windows: Windows, shape: tuple[int, ...], counts: tuple[int, ...]
) -> list[tuple[Any, Any]]:
    """Return, for each pixel of a window, the indices of the windows that have it, and of it."""
    rows = windows.on_image(0, shape[2], range(counts[2]))
    columns = windows.on_image(1, shape[3], range(counts[3]))
    return [
        ((..., down, along), (..., of_rows, of_columns))
        for (down, of_rows), (along, of_columns) in product(rows, columns)
    ]


def _largest(x: Array, kernel: Any, stride: Any = 1, pad: Any = 0) -> Array:
    p, q = pad if isinstance(pad, tuple) else (pad, pad)
    x = np.pad(x, ((0, 0), (0, 0), (p, p), (q, q)), constant_values=lowest(x.dtype))
    return im2col(x, kernel, stride, to_matrix=False).max(axis=(2, 3))


def _mean(x: Array, kernel: Any, stride: Any = 1, pad: Any = 0) -> Array:
    return im2col(x, kernel, stride, pad, to_matrix=False).mean(axis=(2, 3))


def apart(x: Array) -> Array:
    """Return how far the numbers of an array are from each other, in their order."""
    return np.diff(np.sort(x, axis=None), prepend=-99.0)


_FAR = -50.0, 50.0
_X = Draw((1, 2, 3, 4), _FAR)


@applying(
    Pooling,
    *(Call(_X, 2), Call(_X, 2, 2), Call(_X, (2, 3), (2, 1), 1), Call(_X, (3, 2), pad=(2, 1))),
    *(Call(_X, (1, 3), (1, 2), (0, 1)), Call(_X, (3, 4)), Call(_X, 1, 2)),
    *(Call(Draw((2, 1, 2, 2), _FAR), 2, 3), Call(Draw((0, 2, 3, 3)), 2)),
    Call(Draw((2, 0, 3, 3)), 2),
    reference=_largest,
    complex=False,
    apart=apart,
)
def pooling(
    x: Array, kernel_size: int | Pair, stride: int | Pair = 1, pad: int | Pair = 0
) -> Variable:
    """Largest pixel of each window: max pooling.

    x: images of shape ``(N, C, H, W)``, of real numbers.
    stride: how far it is from one window to the next; 1 by default, as in the book.
    pad: how far windows reach over each edge. There is nothing there: no pixel is below it.
    Returns: of shape ``(N, C, OH, OW)``, where ``OH = (H + 2 pad - KH) // stride + 1``, and of the
        dtype of `x`; nan if one pixel of the window is.
    Derivative: 1 for the largest pixel of a window, the first of several, by rows; 0 for the
        others.
    Raises ValueError: if `x` has not four axes, a window is larger than an image with its pad or
        has no pixel, or a number is too small.
    Raises TypeError: if a number is no integer, or `x` is complex.
    Note: the book's function pads with zeros, which are larger than negative pixels; this one does
        as PyTorch, and differs only there.
    Source: the book's function of that name; Ranzato et al. 2007.

    >>> x = Variable(np.array([[[[1.0, 5.0, 2.0, 2.0]]]]))
    >>> y = pooling(x, (1, 2), stride=2)
    >>> y.backward()
    >>> y, x.grad
    (variable([[[[5. 2.]]]]), array([[[[0., 1., 1., 0.]]]]))
    """
    return Pooling(windows_of("pooling", kernel_size, stride, pad))(x)


_Y = Draw((1, 2, 3, 4))


@applying(
    AveragePooling,
    *(Call(_Y, 2), Call(_Y, 2, 2), Call(_Y, (2, 3), (2, 1), 1), Call(_Y, (3, 2), pad=(2, 3))),
    *(Call(_Y, (1, 3), (1, 2), (0, 1)), Call(_Y, (3, 4)), Call(_Y, 1, 2)),
    *(Call(Draw((2, 1, 2, 2)), 2, 3), Call(Draw((0, 2, 3, 3)), 2), Call(Draw((2, 0, 3, 3)), 2)),
    reference=_mean,
    ulps=16.0,
)
def average_pooling(
    x: Array, kernel_size: int | Pair, stride: int | Pair = 1, pad: int | Pair = 0
) -> Variable:
    """Mean of each window, in which the zeros of the pad count.

    stride: how far it is from one window to the next; 1 by default, as in the book.
    Returns: of shape ``(N, C, OH, OW)``, where ``OH = (H + 2 pad - KH) // stride + 1``, and of the
        dtype of `x`, or float64 if that is of integers.
    Derivative: ``1 / (KH * KW)`` for each pixel of a window.
    Source: the book's function of that name; LeCun et al. 1998.

    >>> x = Variable(np.array([[[[1.0, 5.0, 2.0, 2.0]]]]))
    >>> y = average_pooling(x, (1, 2), stride=2)
    >>> y.backward()
    >>> y, x.grad
    (variable([[[[3. 2.]]]]), array([[[[0.5, 0.5, 0.5, 0.5]]]]))
    """
    return AveragePooling(windows_of("average_pooling", kernel_size, stride, pad))(x)
