"""The three products of a convolution, computed on a few images, or rows, at a time.

Each is a product of matrices whose one operand has, as columns, the pixels of each window. Such
columns of a whole batch have nine times the size of it with windows of 3 x 3: to write and read
them in main memory takes longer than the product. So they are made block by block, as
``column_blocks.py`` tells.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dezero_core.extend import Array

from .column_blocks import Columns, add_to_images, blocks_of, by_image, by_kernel
from .windows import Pair, Windows

#: How many times the channels of an image there may be weights for, if they are correlated in
#: their turn for its gradient.
_MOST_TO_CORRELATE = 4


def correlate(x: Array, W: Array, windows: Windows, b: Array | None = None) -> Array:  # noqa: N803
    """Return the sums of the pixels of each window times the weights.

    x: of shape ``(N, C, H, W)``.
    W: of shape ``(OC, C, KH, KW)``.
    b: of shape ``(OC,)`` and of a dtype that does not change that of the sums; added.
    Returns: of shape ``(N, OC, OH, OW)``.
    """
    dtype, computed = dtypes_of(x, W)
    columns = Columns(x, windows, computed)
    y = np.empty((len(x), len(W), *columns.counts), columns.dtype)
    of_image = y.reshape(*y.shape[:2], math.prod(columns.counts))
    first, *others = columns.weights(W)
    bias = None if b is None else b[:, np.newaxis]
    for block, (columns_of_first, *columns_of_others) in columns:
        out = of_image[block.images, :, block.windows]
        if columns.side_by_side:
            sums = first @ columns_of_first
        else:
            sums = np.matmul(first, columns_of_first, out=out)
        for weights, pixels in zip(others, columns_of_others, strict=True):
            sums += weights @ pixels
        if bias is not None:
            sums += bias
        if columns.side_by_side:
            out[...] = sums.reshape(len(W), len(out), out.shape[2]).swapaxes(0, 1)
    return y.astype(dtype, copy=False)


def correlate_with_gradient(x: Array, gy: Array, windows: Windows) -> Array:
    """Return the gradient of the weights of `correlate`.

    x: of shape ``(N, C, H, W)``.
    gy: the gradient of the sums, of shape ``(N, OC, OH, OW)``.
    Returns: of shape ``(OC, C, KH, KW)``.
    """
    dtype, computed = dtypes_of(x, gy)
    columns = Columns(x, windows, computed)
    outs = gy.shape[1]
    of_image = by_image(gy, columns.dtype)
    (high, wide), c = windows.kernel, x.shape[1]
    if columns.side_by_side and len(columns.blocks) == 1:
        ((_, (pixels,)),) = columns
        of_kernel = (_beside(of_image) @ pixels.T).reshape(outs, c, high, wide)
        return of_kernel.astype(dtype, copy=False)
    sums = np.zeros((columns.products, columns.height, outs), columns.dtype)
    for block, all_pixels in columns:
        g = of_image[block.images, :, block.windows]
        if columns.side_by_side:
            g = _beside(g)[np.newaxis]
        for total, pixels in zip(sums, all_pixels, strict=True):
            found = pixels @ g.swapaxes(1, 2)
            total += found[0] if len(found) == 1 else found.sum(axis=0)
    of_kernel = sums.reshape(columns.products, c, high // columns.products, wide, outs)
    of_kernel = of_kernel.transpose(4, 1, 0, 2, 3).reshape(outs, c, high, wide)
    return of_kernel.astype(dtype, copy=False)


def correlate_transposed(gy: Array, W: Array, windows: Windows, size: Pair) -> Array:  # noqa: N803
    """Return the gradient of the images of `correlate`.

    gy: the gradient of the sums, of shape ``(N, OC, OH, OW)``.
    W: of shape ``(OC, C, KH, KW)``.
    size: height and width of the images.
    Returns: of shape ``(N, C, *size)``.
    """
    outs, c, *_ = W.shape
    n_windows = len(gy) * math.prod(gy.shape[2:])
    if windows.stride == (1, 1) and outs <= min(_MOST_TO_CORRELATE * c, n_windows):
        # Each pixel is a sum over the windows that it is in: again a correlation.
        (high, wide), pad = windows.kernel, windows.pad
        margins = high - 1 - pad[0], wide - 1 - pad[1]
        turned = W[:, :, ::-1, ::-1].swapaxes(0, 1)
        return correlate(gy, turned, Windows(windows.kernel, (1, 1), margins))
    dtype, computed = dtypes_of(gy, W)
    of_pixel = by_kernel(W, computed).T
    of_image = by_image(gy, computed)
    counts = gy.shape[2:]
    x = np.zeros((len(gy), c, *size), computed)
    side_by_side, blocks = blocks_of(len(gy), counts, len(of_pixel) * computed.itemsize)
    for block in blocks:
        g = of_image[block.images, :, block.windows]
        n, rows = len(g), len(block.rows)
        if side_by_side:
            pixels = (of_pixel @ _beside(g)).reshape(c, *windows.kernel, n, rows, counts[1])
            pixels = np.moveaxis(pixels, 3, 0)
        else:
            pixels = (of_pixel @ g).reshape(n, c, *windows.kernel, rows, counts[1])
        add_to_images(x[block.images], pixels, windows, block.rows)
    return x.astype(dtype, copy=False)


def _beside(g: Array) -> Array:
    """Return a stack of matrices as one matrix, one beside the other."""
    return g.swapaxes(0, 1).reshape(g.shape[1], g.shape[0] * g.shape[2])


def dtypes_of(*arrays: Array) -> tuple[Any, Any]:
    """Return the dtype of a product, and the one to compute it in.

    In half precision sums of many numbers are poor, and there is no fast product of matrices.
    """
    dtype = np.result_type(*arrays)
    return dtype, np.dtype(np.float32) if dtype == np.float16 else dtype
