"""The pixels of all windows as the rows of a matrix, and back: im2col and col2im."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from dezero_ops_math.declaring import Call, Draw, applying

from dezero_core import Function, Variable
from dezero_core.extend import Array

from .sliding_products import add_to_images, fill_columns
from .windows import Pair, Windows, count, require_images, windows_of
from .windows import documented as documented


class _OfColumns(Function):
    """A function between images and the columns of their windows."""

    saves = ()
    arrays = "numpy: windows are copied, one pixel of all of them after the other"
    batch_axes = (0,), (0,)

    def __init__(self, windows: Windows, to_matrix: bool, size: Pair = (0, 0)) -> None:
        self.windows, self.to_matrix, self.size = windows, to_matrix, size


class Im2col(_OfColumns):
    """Copies pixels; so the gradient of each is the sum of those of its copies."""

    def forward(self, x: Array) -> Array:
        require_images("im2col", x)
        n, c, *size = x.shape
        down, across = self.windows.counts((size[0], size[1]))
        col = np.zeros((n, c, *self.windows.kernel, down, across), x.dtype)
        fill_columns(col, x, self.windows, range(down))
        if not self.to_matrix:
            return col
        shape = n * down * across, c * self.windows.kernel[0] * self.windows.kernel[1]
        return col.transpose(0, 4, 5, 1, 2, 3).reshape(shape)

    def backward(self, gy: Array) -> Array:
        return Col2im(self.windows, self.to_matrix, self.inputs[0].shape[2:]).of(gy)


class Col2im(_OfColumns):
    """Adds up copies of pixels; so the gradient of each copy is that of its pixel."""

    def forward(self, x: Array) -> Array:
        (high, wide), (down, across) = self.windows.kernel, self.windows.counts(self.size)
        if self.to_matrix:
            n, c = len(x) // (down * across), x.shape[1] // (high * wide)
            x = x.reshape(n, down, across, c, high, wide).transpose(0, 3, 4, 5, 1, 2)
        images = np.zeros((*x.shape[:2], *self.size), x.dtype)
        add_to_images(images, x, self.windows, range(down))
        return images

    def backward(self, gy: Array) -> Array:
        return Im2col(self.windows, self.to_matrix).of(gy)


def view_of_windows(
    x: Array, kernel: Pair, stride: Any = 1, pad: Any = 0, to_matrix: bool = True
) -> Array:
    """Do what `im2col` does, as a reference."""
    (a, b), (p, q) = ((v, v) if isinstance(v, int) else v for v in (stride, pad))
    x = np.pad(x, ((0, 0), (0, 0), (p, p), (q, q)))
    view = np.lib.stride_tricks.sliding_window_view(x, kernel, (2, 3))[:, :, ::a, ::b]
    if not to_matrix:
        return view.transpose(0, 1, 4, 5, 2, 3)
    n, c, down, across = view.shape[:4]
    return np.moveaxis(view, 1, 3).reshape(n * down * across, c * kernel[0] * kernel[1])


def sums_of_pixels(
    x: Array, shape: Any, kernel: Pair, stride: Any = 1, pad: Any = 0, to_matrix: bool = True
) -> Array:
    """Do what `col2im` does, as a reference."""
    of_pixels = np.arange(1, np.prod(shape) + 1).reshape(shape)  # 0 is the pad
    at = view_of_windows(of_pixels, kernel, stride, pad, to_matrix)
    sums = np.zeros(of_pixels.size + 1, x.dtype)
    np.add.at(sums, at, x)
    return sums[1:].reshape(shape)


_X = Draw((2, 2, 3, 3))


@applying(
    Im2col,
    *(Call(_X, (2, 1)), Call(_X, (1, 2), to_matrix=False), Call(_X, (3, 2), 2, 1)),
    Call(_X, (1, 2), (3, 2), (0, 4), to_matrix=False),
    *(Call(Draw((2, 2, 1, 2)), (1, 2)), Call(Draw((1, 1, 1, 1)), (3, 3), 1, 2)),
    *(Call(Draw((0, 2, 3, 3)), (2, 2)), Call(Draw((2, 0, 3, 3)), (2, 2))),
    reference=view_of_windows,
)
def im2col(
    x: Array,
    kernel_size: int | Pair,
    stride: int | Pair = 1,
    pad: int | Pair = 0,
    to_matrix: bool = True,
) -> Variable:
    """Copy the pixels of each window of images into a row of a matrix.

    to_matrix: whether the result has two axes.
    Returns: of shape ``(N * OH * OW, C * KH * KW)``, a row for each window;
        or with ``to_matrix=False`` of shape ``(N, C, KH, KW, OH, OW)``; of the dtype of `x`.
    Derivative: `col2im` of ``gy``.
    Source: the book's function of that name; Chellapilla, Puri and Simard 2006.

    >>> x = Variable(np.array([[[[1.0, 2.0, 3.0]]]]))
    >>> y = im2col(x, (1, 2))
    >>> y.backward()
    >>> y, x.grad
    (variable([[1. 2.]
              [2. 3.]]), array([[[[1., 2., 1.]]]]))
    """
    return Im2col(windows_of("im2col", kernel_size, stride, pad), to_matrix)(x)


_SHAPE = 2, 1, 3, 3


@applying(
    Col2im,
    Call(Draw((12, 2)), _SHAPE, (2, 1)),
    Call(Draw((2, 1, 1, 2, 3, 2)), _SHAPE, (1, 2), to_matrix=False),
    Call(Draw((8, 6)), _SHAPE, (3, 2), 2, 1),
    Call(Draw((2, 1, 1, 2, 1, 5)), _SHAPE, (1, 2), (3, 2), (0, 4), to_matrix=False),
    Call(Draw((2, 2)), (2, 1, 1, 2), (1, 2)),
    Call(Draw((9, 9)), (1, 1, 1, 1), (3, 3), 1, 2),
    Call(Draw((0, 8)), (0, 2, 3, 3), (2, 2)),
    Call(Draw((8, 0)), (2, 0, 3, 3), (2, 2)),
    reference=sums_of_pixels,
)
def col2im(
    x: Array,
    input_shape: Sequence[int],
    kernel_size: int | Pair,
    stride: int | Pair = 1,
    pad: int | Pair = 0,
    to_matrix: bool = True,
) -> Variable:
    """Add the pixels of windows to the images that they are from, as the transpose of `im2col`.

    x: as `im2col` returns it: of shape ``(N * OH * OW, C * KH * KW)``, or with ``to_matrix=False``
        of shape ``(N, C, KH, KW, OH, OW)``.
    input_shape (sequence of int): ``(N, C, H, W)``, the shape of the images.
    pad: how far windows reach over each edge.
    to_matrix: whether `x` has two axes.
    Returns: of shape `input_shape` and of the dtype of `x`; 0 where no window is.
    Derivative: `im2col` of ``gy``.
    Raises ValueError: if `x` has another shape than `im2col` gives for such images, a window is
        larger than an image with its pad, or a number is too small.
    Source: the book's function of that name.

    >>> col2im(np.array([[1.0, 2.0], [10.0, 20.0]]), (1, 1, 1, 3), (1, 2))
    array([[[[ 1., 12., 20.]]]])
    """
    shape = tuple(count("col2im", "input_shape", n, 0) for n in input_shape)
    if len(shape) != 4:
        raise ValueError(f"col2im() takes for input_shape (N, C, H, W), got {input_shape!r}.")
    n, c, *size = shape
    windows = windows_of("col2im", kernel_size, stride, pad)
    (high, wide), (down, across) = windows.kernel, windows.counts((size[0], size[1]))
    wanted: tuple[int, ...] = n, c, high, wide, down, across
    if to_matrix:
        wanted = n * down * across, c * high * wide
    if np.shape(x) != wanted:
        raise ValueError(
            f"col2im() takes for images of shape {shape} columns of shape {wanted}, got shape "
            f"{np.shape(x)}."
        )
    return Col2im(windows, to_matrix, (size[0], size[1]))(x)
