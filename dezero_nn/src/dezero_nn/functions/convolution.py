"""Convolution of images, its transpose, and the Functions of both."""

# ruff: noqa: N803 - weights are W, as in the book
from __future__ import annotations

from typing import Any

import numpy as np
from dezero_ops_math.declaring import Call, Draw, applying

from dezero_core import Function, Variable
from dezero_core.extend import Array, Operand

from .columns import sums_of_pixels, view_of_windows
from .sliding_products import correlate, correlate_transposed, correlate_with_gradient, dtypes_of
from .windows import Pair, Windows, pair, require_images
from .windows import documented as documented

_NUMPY_ALONE = "numpy: windows are copied into memory that is used again"


class _Bilinear(Function):
    """A function of images and weights that is linear in each; so are its gradients."""

    saves = ("other inputs",)
    arrays = _NUMPY_ALONE
    #: Of x and of the result; weights and b are for all images.
    batch_axes = (0, None, None), (0,)
    transposed = False

    def __init__(self, stride: Pair, pad: Pair, outsize: Pair | None = None) -> None:
        self.stride, self.pad, self.outsize = stride, pad, outsize

    def backward(self, gy: Array) -> tuple[Array | None, ...]:
        x, w = self.inputs[:2]
        of_x, of_w, *of_b = self.needs_grad
        gx = gw = None
        if of_x:
            transpose = Conv2d if self.transposed else Deconv2d
            gx = transpose(self.stride, self.pad, x.shape[2:]).of(gy, w.data)
        if of_w:
            images, sums = (gy, x.data) if self.transposed else (x.data, gy)
            windows = Windows(w.shape[2:], self.stride, self.pad)
            gw = _WeightGradient(windows, len(images)).of(images, sums)
        if not of_b:
            return gx, gw
        return gx, gw, np.sum(gy, axis=(0, 2, 3)) if of_b[0] else None


class Conv2d(_Bilinear):
    """Y = x * W is bilinear: gx is gy spread by W, and gW the sums of gy times the windows of x."""

    def forward(self, x: Array, w: Array, *b: Array) -> Array:
        _require_weights("conv2d", w, "(OC, C, KH, KW)")
        require_images("conv2d", x, w.shape[1])
        windows = Windows(w.shape[2:], self.stride, self.pad)
        if not b:
            return correlate(x, w, windows)
        bias = _bias("conv2d", b[0], len(w))
        dtype = np.result_type(x, w)
        if np.result_type(dtype, bias) == dtype:
            return correlate(x, w, windows, bias)
        return correlate(x, w, windows) + bias[:, np.newaxis, np.newaxis]


class Deconv2d(_Bilinear):
    """The transpose of a convolution: its gx is a convolution, and its gW is alike."""

    transposed = True

    def forward(self, x: Array, w: Array, *b: Array) -> Array:
        _require_weights("deconv2d", w, "(C, OC, KH, KW)")
        require_images("deconv2d", x, len(w))
        windows = Windows(w.shape[2:], self.stride, self.pad)
        size = windows.size_of(x.shape[2:], self.outsize)
        bias = _bias("deconv2d", b[0], w.shape[1])[:, np.newaxis, np.newaxis] if b else None
        y = correlate_transposed(x, w, windows, size)
        if bias is None:
            return y
        if np.result_type(y, bias) != y.dtype:
            return y + bias
        y += bias
        return y


class _WeightGradient(Function):
    """gW of a convolution of x, bilinear in x and gy: so its gradients are convolutions too.

    Of more images than those of one example, it has a gW for each example, one behind the other.
    """

    saves = ("other inputs",)
    arrays = _NUMPY_ALONE
    batch_axes = (0, 0), (0,)

    def __init__(self, windows: Windows, images: int) -> None:
        self.windows, self.images = windows, images

    def forward(self, x: Array, gy: Array) -> Array:
        return correlate_with_gradient(x, gy, self.windows, self.images)

    def backward(self, ggw: Array) -> tuple[Array | None, Array | None]:
        x, gy = self.inputs
        of_x, of_gy = self.needs_grad
        _, stride, pad = self.windows
        return (
            Deconv2d(stride, pad, x.shape[2:]).of(gy.data, ggw) if of_x else None,
            Conv2d(stride, pad).of(x.data, ggw) if of_gy else None,
        )


def _require_weights(name: str, w: Array, axes: str) -> None:
    if np.ndim(w) != 4 or 0 in w.shape[2:]:
        raise ValueError(
            f"{name}() takes weights W of shape {axes}, got an array of shape {np.shape(w)}."
        )


def _bias(name: str, b: Array, channels: int) -> Array:
    if np.shape(b) != (channels,):
        raise ValueError(
            f"{name}() takes b of shape ({channels},), a number for each channel of the result, "
            f"got shape {np.shape(b)}."
        )
    return b


def _einsum(x: Array, W: Array, b: Any = None, stride: Any = 1, pad: Any = 0) -> Array:
    dtype, computed = dtypes_of(x, W)
    pixels = view_of_windows(x, W.shape[2:], stride, pad, to_matrix=False)
    y = np.einsum("ncijhw,ocij->nohw", pixels, W, dtype=computed)
    return (y if b is None else y + b[:, np.newaxis, np.newaxis]).astype(dtype)


_X, _W, _B = Draw((2, 2, 3, 4)), Draw((3, 2, 2, 3)), Draw((3,))


@applying(
    Conv2d,
    Call(_X, _W),
    Call(_X, _W, _B),
    Call(_X, _W, _B, 2, 1),
    Call(_X, _W, _B, stride=(3, 2), pad=(0, 3)),
    Call(_X, _W, stride=(1, 3), pad=(2, 0)),
    Call(Draw((1, 2, 3, 2)), Draw((3, 2, 1, 1)), _B),
    Call(Draw((1, 2, 3, 4)), Draw((1, 2, 3, 4))),
    Call(Draw((1, 1, 2, 2)), Draw((5, 1, 2, 2)), pad=3),
    Call(Draw((0, 2, 4, 4)), _W, _B),
    Call(Draw((1, 0, 3, 3)), Draw((2, 0, 2, 2)), Draw((2,))),
    Call(_X, Draw((0, 2, 2, 2)), Draw((0,))),
    reference=_einsum,
    ulps=32.0,
)
def conv2d(
    x: Array, W: Array, b: Operand | None = None, stride: int | Pair = 1, pad: int | Pair = 0
) -> Variable:
    """Convolution of images: the sums of each window of `x` times the weights.

    W: weights of shape ``(OC, C, KH, KW)``.
    Returns: of shape ``(N, OC, OH, OW)``, where ``OH = (H + 2 pad - KH) // stride + 1``, and of the
        dtype of ``x * W + b``; rows and columns that no whole window covers are left out.
    Derivative: `deconv2d` of ``gy`` with `W`; for `W` the sums of ``gy`` times the windows of `x`;
        for `b` the sums of ``gy``.
    Raises ValueError: if an operand has another number of axes or channels than above, a window is
        larger than an image with its pad, or `stride` or `pad` is too small.
    Note: as in the book and in all of this field, the kernel is not turned around: it is a
        correlation. It works on a few images at a time, so that the columns of `im2col` stay in the
        cache, and makes them again for the gradient instead of keeping them.
    Source: the book's step 57; Chellapilla, Puri and Simard 2006.

    >>> x, W = Variable(np.ones((1, 1, 3, 3))), Variable(np.array([[[[1.0, 2.0]]]]))
    >>> y = conv2d(x, W)
    >>> y.backward()
    >>> y.shape, x.grad[0, 0, 0], W.grad
    ((1, 1, 3, 2), array([1., 3., 2.]), array([[[[6., 6.]]]]))
    """
    conv = Conv2d(pair("conv2d", "stride", stride), pair("conv2d", "pad", pad, 0))
    return conv(x, W) if b is None else conv(x, W, b)


def _added(
    x: Array, W: Array, b: Any = None, stride: Any = 1, pad: Any = 0, outsize: Any = None
) -> Array:
    dtype, computed = dtypes_of(x, W)
    (p, q), (down, across) = pair("deconv2d", "pad", pad, 0), pair("deconv2d", "stride", stride)
    (rows, columns), (high, wide) = x.shape[2:], W.shape[2:]
    least = down * (rows - 1) + high - 2 * p, across * (columns - 1) + wide - 2 * q
    shape = len(x), W.shape[1], *(outsize or least)
    pixels = np.einsum("nchw,coij->noijhw", x, W, dtype=computed)
    y = sums_of_pixels(pixels, shape, W.shape[2:], stride, pad, to_matrix=False)
    return (y if b is None else y + b[:, np.newaxis, np.newaxis]).astype(dtype)


_X, _W, _B = Draw((2, 3, 2, 2)), Draw((3, 2, 2, 3)), Draw((2,))


@applying(
    Deconv2d,
    Call(_X, _W),
    Call(_X, _W, _B),
    Call(_X, _W, _B, 2, 1),
    Call(_X, _W, _B, stride=(3, 2), pad=(0, 1), outsize=(7, 4)),
    Call(_X, _W, stride=(1, 3), pad=(1, 0), outsize=(1, 8)),
    Call(_X, Draw((3, 2, 1, 1)), _B),
    Call(Draw((1, 5, 2, 2)), Draw((5, 1, 3, 3)), pad=1),
    Call(Draw((1, 2, 4, 4)), Draw((2, 1, 1, 1)), pad=1),
    Call(Draw((0, 3, 3, 3)), _W, _B),
    Call(Draw((1, 0, 3, 3)), Draw((0, 2, 2, 2)), _B),
    Call(_X, Draw((3, 0, 2, 2)), Draw((0,))),
    reference=_added,
    ulps=32.0,
)
def deconv2d(
    x: Array,
    W: Array,
    b: Operand | None = None,
    stride: int | Pair = 1,
    pad: int | Pair = 0,
    outsize: int | Pair | None = None,
) -> Variable:
    """Transposed convolution of images: each pixel of `x` times the weights, added up.

    W: weights of shape ``(C, OC, KH, KW)``.
    stride: how far it is, in the result, from one window to the next.
    pad: how many pixels are cut off at each edge.
    outsize (int or (int, int), optional): height and width of the result; by default the smallest
        from which a `conv2d` makes images of the size of `x`.
    Returns: of shape ``(N, OC, OH, OW)``, by default ``OH = stride (H - 1) + KH - 2 pad``, and of
        the dtype of ``x * W + b``.
    Derivative: `conv2d` of ``gy`` with `W`; for `W` the sums of `x` times the windows of ``gy``;
        for `b` the sums of ``gy``.
    Raises ValueError: if an operand has another number of axes or channels than above, `outsize`
        does not fit, or `stride` or `pad` is too small.
    Source: the book's function of that name; Zeiler et al. 2010.

    >>> x, W = Variable(np.array([[[[1.0, 10.0]]]])), Variable(np.array([[[[1.0, 2.0]]]]))
    >>> deconv2d(x, W)
    variable([[[[ 1. 12. 20.]]]])
    >>> deconv2d(x, W, stride=(1, 2))
    variable([[[[ 1.  2. 10. 20.]]]])
    """
    size = None if outsize is None else pair("deconv2d", "outsize", outsize)
    deconv = Deconv2d(pair("deconv2d", "stride", stride), pair("deconv2d", "pad", pad, 0), size)
    return deconv(x, W) if b is None else deconv(x, W, b)
