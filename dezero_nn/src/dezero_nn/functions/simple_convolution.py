"""Convolution and pooling as the book first has them: made of `im2col` and other operations."""

# ruff: noqa: N803 - weights are W, as in the book

from __future__ import annotations

import numpy as np
from dezero_ops_math.declaring import Call, Draw, applying

from dezero_core import Variable
from dezero_core.extend import Array, Operand
from dezero_ops_math import linear

from .columns import im2col
from .convolution import conv2d
from .pooling import apart, lowest, pooling, require_order
from .windows import Pair, require_images, windows_of
from .windows import documented as documented

_X, _W, _B = Draw((2, 2, 3, 3)), Draw((2, 2, 2, 3)), Draw((2,))
_Y = Draw((1, 2, 3, 4), (-50.0, 50.0))


@applying(
    None,
    *(Call(_X, _W), Call(_X, _W, _B, 2, 1), Call(_X, _W, _B, stride=(3, 2), pad=(0, 3))),
    Call(Draw((0, 2, 4, 4)), _W, _B),
    reference=conv2d,
    ulps=32.0,
)
def conv2d_simple(
    x: Array, W: Array, b: Operand | None = None, stride: int | Pair = 1, pad: int | Pair = 0
) -> Variable:
    """Convolution of images, as one `linear` map of the matrix of `im2col`.

    W: weights of shape ``(OC, C, KH, KW)``.
    Returns: that of `conv2d`.
    Derivative: that of `conv2d`, by the operations that it is made of.
    Raises ValueError: as of `conv2d`.
    Note: it is there to be read: `conv2d` is faster, and keeps no columns.
    Source: the book's step 57.

    >>> conv2d_simple(np.array([[[[1.0, 2.0, 3.0]]]]), np.array([[[[1.0, 10.0]]]]))
    array([[[[21., 32.]]]])
    """
    if np.ndim(W) != 4:
        raise ValueError(
            f"conv2d_simple() takes weights W of shape (OC, C, KH, KW), got shape {np.shape(W)}."
        )
    out_channels, channels, *kernel_size = W.shape
    require_images("conv2d_simple", x, channels)
    windows = windows_of("conv2d_simple", kernel_size, stride, pad)
    rows, columns = windows.counts(x.shape[2:])
    col = im2col(x, windows.kernel, stride, pad)
    weights = W.reshape(out_channels, col.shape[1]).transpose()
    y = linear(col, weights, b)
    return y.reshape(len(x), rows, columns, out_channels).transpose(0, 3, 1, 2)


@applying(
    None,
    *(Call(_Y, 2), Call(_Y, (2, 3), (2, 1), 1), Call(_Y, (3, 2), pad=(2, 1))),
    Call(Draw((0, 2, 3, 3)), 2),
    reference=pooling,
    complex=False,
    apart=apart,
)
def pooling_simple(
    x: Array, kernel_size: int | Pair, stride: int | Pair = 1, pad: int | Pair = 0
) -> Variable:
    """Max pooling, as the largest number of each row of the matrix of `im2col`.

    x: images of shape ``(N, C, H, W)``, of real numbers.
    pad: how far windows reach over each edge, where no pixel is.
    Returns: that of `pooling`.
    Derivative: that of `pooling`, but several largest pixels of a window share it, as those of
        ``np.max``.
    Raises ValueError: as of `pooling`.
    Note: it is there to be read: `pooling` is faster.
    Source: the book's step 57.

    >>> pooling_simple(np.array([[[[1.0, 5.0, 2.0, 2.0]]]]), (1, 2), stride=2)
    array([[[[5., 2.]]]])
    """
    windows = windows_of("pooling_simple", kernel_size, stride, pad)
    require_order("pooling_simple", x, windows)
    rows, columns = windows.counts(x.shape[2:])
    (high, wide), (p, q) = windows.kernel, windows.pad
    if p or q:
        x = np.pad(x, ((0, 0), (0, 0), (p, p), (q, q)), constant_values=lowest(x.dtype))
    n, channels = x.shape[:2]
    col = im2col(x, windows.kernel, stride).reshape(n * rows * columns * channels, high * wide)
    return col.max(axis=1).reshape(n, rows, columns, channels).transpose(0, 3, 1, 2)
