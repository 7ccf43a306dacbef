"""Convolution and pooling as the book first has them: made of `im2col` and other operations."""

from __future__ import annotations

import numpy as np

from dezero_core import Call, Draw, Registrar, Sample, Variable
from dezero_core.extend import Array, Operand
from dezero_ops_math import linear

from .columns import im2col
from .convolution import conv2d
from .pooling import lowest, pooling, require_order
from .windows import Pair, require_images, windows_of


def conv2d_simple(
    x: Array,
    W: Array,  # noqa: N803
    b: Operand | None = None,
    stride: int | Pair = 1,
    pad: int | Pair = 0,
) -> Variable:
    """Convolution of images, as one `linear` map of the matrix of `im2col`.

    Parameters
    ----------
    x : Variable or ndarray
        Images of shape ``(N, C, H, W)``.
    W : Variable or ndarray
        Weights of shape ``(OC, C, KH, KW)``.
    b : Variable or ndarray, optional
        Added to each channel of the result, of shape ``(OC,)``.
    stride : int or (int, int)
        How far it is from one window to the next.
    pad : int or (int, int)
        How many zeros there are at each edge.

    Returns
    -------
    Variable or ndarray
        That of `conv2d`. Derivative: that of `conv2d`, by the operations that it is made of.

    Raises
    ------
    ValueError
        As of `conv2d`.
    TypeError
        If `stride` or `pad` is not of integers.

    Notes
    -----
    To read: `conv2d` is faster, and keeps no columns.
    Source: the book's step 57.

    Examples
    --------
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


def pooling_simple(
    x: Array, kernel_size: int | Pair, stride: int | Pair = 1, pad: int | Pair = 0
) -> Variable:
    """Max pooling, as the largest number of each row of the matrix of `im2col`.

    Parameters
    ----------
    x : Variable or ndarray
        Images of shape ``(N, C, H, W)``, of real numbers.
    kernel_size : int or (int, int)
        Height and width of a window.
    stride : int or (int, int)
        How far it is from one window to the next.
    pad : int or (int, int)
        How far windows reach over each edge, where no pixel is.

    Returns
    -------
    Variable or ndarray
        That of `pooling`. Derivative: that of `pooling`, but several largest pixels of a window
        share it, as those of ``np.max``.

    Raises
    ------
    ValueError
        As of `pooling`.
    TypeError
        If a number is no integer.

    Notes
    -----
    To read: `pooling` is faster.
    Source: the book's step 57.

    Examples
    --------
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


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    x, w, b = Draw((2, 2, 3, 3)), Draw((2, 2, 2, 3)), Draw((2,))
    calls = (
        Call(x, w),
        Call(x, w, b, 2, 1),
        Call(x, w, b, stride=(3, 2), pad=(0, 3)),
        Call(Draw((0, 2, 4, 4)), w, b),
    )
    sample = Sample(calls, reference=conv2d, complex=True, ulps=32.0)
    register("conv2d_simple", conv2d_simple, sample=sample)

    def apart(x: Array) -> Array:
        return np.diff(np.sort(x, axis=None), prepend=-99.0)

    x = Draw((1, 2, 3, 4), (-50.0, 50.0))
    calls = (
        Call(x, 2),
        Call(x, (2, 3), (2, 1), 1),
        Call(x, (3, 2), pad=(2, 1)),
        Call(Draw((0, 2, 3, 3)), 2),
    )
    sample = Sample(calls, reference=pooling, apart=apart)
    register("pooling_simple", pooling_simple, sample=sample)
