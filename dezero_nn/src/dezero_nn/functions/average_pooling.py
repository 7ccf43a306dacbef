"""The mean of each window of an image."""

from __future__ import annotations

from typing import Any

import numpy as np
from dezero_ops_math.declaring import Call, Draw, applying

from dezero_core import Function, Variable
from dezero_core.extend import Array

from .columns import im2col
from .windows import Pair, Windows, over_windows, require_images, windows_of
from .windows import documented as documented

_NUMPY_ALONE = "numpy: windows are gone through in parts of arrays, which are written into"


class AveragePooling(Function):
    """The gradient of a window goes to all its pixels, in equal shares."""

    saves = ()
    arrays = _NUMPY_ALONE

    def __init__(self, windows: Windows) -> None:
        self.windows = windows

    def forward(self, x: Array) -> Array:
        require_images("average_pooling", x)
        self.shape = x.shape
        x, dtype = _in_long(x)
        y = over_windows(np.add, x, self.windows, x.dtype.type(0))
        return (y / _area(self.windows)).astype(dtype, copy=False)

    def backward(self, gy: Array) -> Array:
        return _ToAllPixels(self.windows, self.shape).of(gy)


class _ToAllPixels(Function):
    """Adds a number for each window to all its pixels, in equal shares."""

    saves = ()
    arrays = _NUMPY_ALONE

    def __init__(self, windows: Windows, shape: tuple[int, ...]) -> None:
        self.windows, self.shape = windows, shape

    def forward(self, x: Array) -> Array:
        x, dtype = _in_long(x)
        y = x / _area(self.windows)
        for axis in (2, 3):
            shares = np.moveaxis(y, axis, 0)
            shape = *y.shape[:axis], self.shape[axis], *y.shape[axis + 1 :]
            y = np.zeros(shape, x.dtype)
            sums = np.moveaxis(y, axis, 0)
            positions = range(len(shares))
            for where, pixel in self.windows.on_image(axis - 2, self.shape[axis], positions):
                sums[pixel] += shares[where]
        return y.astype(dtype, copy=False)

    def backward(self, gy: Array) -> Array:
        return AveragePooling(self.windows).of(gy)


def _in_long(x: Array) -> tuple[Array, Any]:
    """Return `x` in a dtype to add in, and the dtype of a mean, as `np.mean` has them."""
    dtype = np.result_type(x, 0.0) if x.dtype.kind in "fc" else np.dtype(float)
    return x.astype(np.float32 if dtype == np.float16 else dtype, copy=False), dtype


def _area(windows: Windows) -> int:
    return windows.kernel[0] * windows.kernel[1]


def _mean(x: Array, kernel: Any, stride: Any = 1, pad: Any = 0) -> Array:
    return im2col(x, kernel, stride, pad, to_matrix=False).mean(axis=(2, 3))


_X = Draw((1, 2, 3, 4))


@applying(
    AveragePooling,
    *(Call(_X, 2), Call(_X, 2, 2), Call(_X, (2, 3), (2, 1), 1), Call(_X, (3, 2), pad=(2, 3))),
    *(Call(_X, (1, 3), (1, 2), (0, 1)), Call(_X, (3, 4)), Call(_X, 1, 2)),
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
