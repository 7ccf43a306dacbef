"""The transpose of a convolution of images."""

from __future__ import annotations

from typing import Any

import numpy as np
from dezero_ops_math.declaring import Call, Draw, applying

from dezero_core import Variable
from dezero_core.extend import Array, Operand

from .convolution import Deconv2d
from .sliding_products import dtypes_of
from .windows import Pair, pair
from .windows import documented as documented


def _added(
    x: Array,
    W: Array,  # noqa: N803
    b: Any = None,
    stride: Any = 1,
    pad: Any = 0,
    outsize: Any = None,
) -> Array:
    dtype, computed = dtypes_of(x, W)
    (p, q), (down, across) = pair("deconv2d", "pad", pad, 0), pair("deconv2d", "stride", stride)
    high, wide = (
        s * (n - 1) + k for s, n, k in zip((down, across), x.shape[2:], W.shape[2:], strict=True)
    )
    size = outsize or (high - 2 * p, wide - 2 * q)
    y = np.zeros((len(x), W.shape[1], max(high, size[0] + p), max(wide, size[1] + q)), computed)
    for i, j in np.ndindex(x.shape[2:]):
        window = y[:, :, i * down :, j * across :][:, :, : W.shape[2], : W.shape[3]]
        window += np.einsum("nc,coij->noij", x[:, :, i, j], W, dtype=computed)
    y = y[:, :, p : p + size[0], q : q + size[1]]
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
    W: Array,  # noqa: N803
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
    Raises TypeError: if `stride`, `pad` or `outsize` is not of integers.
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
