"""The three products of a convolution, computed on a few images, or rows, at a time.

Each is a product of matrices whose one operand has, as columns, the pixels of each window. Such
columns of a whole batch have nine times the size of it with windows of 3 x 3: to write and read
them in main memory takes longer than the product. So they are made in blocks that fit into a cache,
and the memory of one block is used again for the next one. Where windows move by one row, those of
kernel row 1 have the pixels of kernel row 0, one row further down. Then the columns of one kernel
row are made, and used for all others: there is a product for each kernel row, and less to write.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dezero_core.extend import Array

from .windows import Pair, Windows

#: So many bytes of columns at a time, and at least so many columns: a product of less is slow.
_BYTES = 1 << 20
_LEAST = 512
#: Images with fewer windows are put side by side for one product.
_SMALL = 100
#: With fewer channels than that, times the kernel's width, products of one kernel row are slow.
_DEEP = 48
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


def correlate_with_gradient(x: Array, gy: Array, windows: Windows, images: int) -> Array:
    """Return the gradient of the weights of `correlate`, or several of them.

    x: of shape ``(N, C, H, W)``.
    gy: the gradient of the sums, of shape ``(N, OC, OH, OW)``.
    images: how many of the images have a gradient together, usually all N.
    Returns: of shape ``(N // images * OC, C, KH, KW)``, one gradient behind the other.
    """
    dtype, computed = dtypes_of(x, gy)
    columns = Columns(x, windows, computed)
    gradients = len(x) // images if images else 1
    if gradients > 1:
        columns.side_by_side = False
    outs = gy.shape[1]
    of_image = by_image(gy, columns.dtype)
    (high, wide), c = windows.kernel, x.shape[1]
    if columns.side_by_side and len(columns.blocks) == 1:
        ((_, (pixels,)),) = columns
        of_kernel = (_beside(of_image) @ pixels.T).reshape(outs, c, high, wide)
        return of_kernel.astype(dtype, copy=False)
    sums = np.zeros((columns.products, gradients, columns.height, outs), columns.dtype)
    for block, all_pixels in columns:
        g = of_image[block.images, :, block.windows]
        if columns.side_by_side:
            g = _beside(g)[np.newaxis]
        for total, pixels in zip(sums, all_pixels, strict=True):
            found = pixels @ g.swapaxes(1, 2)
            if gradients == 1:
                total += found[0] if len(found) == 1 else found.sum(axis=0)
                continue
            for number, of_one in enumerate(found, block.images.start):
                total[number // images] += of_one
    of_kernel = sums.reshape(columns.products, gradients, c, high // columns.products, wide, outs)
    of_kernel = of_kernel.transpose(1, 5, 2, 0, 3, 4).reshape(gradients * outs, c, high, wide)
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


class ColumnBlock(NamedTuple):
    """Some images, some rows of their windows, and where these are among all of an image."""

    images: slice
    rows: range
    windows: slice


class Columns:
    """The columns of all windows of a batch, block after block, in the same memory.

    x: images of shape ``(N, C, H, W)``.
    dtype: of the columns.
    Attribute side_by_side (bool): whether the images of a block are side by side in one matrix, and
        not in a stack of them.
    Attribute products (int): 1, or the number of the kernel's rows if each of them has columns of
        its own.
    Attribute height (int): of a matrix of columns.
    """

    def __init__(self, x: Array, windows: Windows, dtype: Any) -> None:
        self.x, self.windows, self.dtype = x, windows, np.dtype(dtype)
        n, c, *size = x.shape
        high, wide = windows.kernel
        self.counts = windows.counts((size[0], size[1]))
        few = self.counts[0] * self.counts[1] < _SMALL
        by_rows = high > 1 and windows.stride[0] == 1 and c * wide >= _DEEP and not few
        self.products = high if by_rows else 1
        self.height = c * wide * (1 if by_rows else high)
        bytes_each = self.height * self.dtype.itemsize
        self.side_by_side, self.blocks = blocks_of(n, self.counts, bytes_each)

    def weights(self, W: Array) -> list[Array]:  # noqa: N803
        """Return the weights as matrices, one for each of the `products`."""
        high = W.shape[2] // self.products
        return [by_kernel(W[:, :, i : i + high], self.dtype) for i in range(0, W.shape[2], high)]

    def __iter__(self) -> Iterator[tuple[ColumnBlock, list[Array]]]:
        """Yield each block with its matrices of columns, which the next block overwrites."""
        x, windows = self.x, self.windows
        are_pixels = windows == Windows((1, 1), (1, 1), (0, 0))
        if are_pixels and not self.side_by_side:
            of_image = by_image(x, self.dtype)
            for block in self.blocks:
                yield block, [of_image[block.images, :, block.windows]]
            return
        c, across = x.shape[1], self.counts[1]
        more = self.products - 1  # rows of pixels that only the later rows of the kernel have
        kernel = c, 1 if more else windows.kernel[0], windows.kernel[1]
        memory: Any = None
        for block in self.blocks:
            images = x[block.images]
            n, rows = len(images), len(block.rows)
            length = (rows + more) * across
            if self.side_by_side:
                if memory is None:  # the first block is the largest
                    memory = np.zeros((self.height, n * length), self.dtype)
                matrix = memory[:, : n * length]
                pixels = np.moveaxis(matrix.reshape(*kernel, n, rows, across), 3, 0)
                matrices = [matrix]
            else:
                if memory is None:
                    memory = np.zeros((n, self.height, length), self.dtype)
                stack = memory[:n, :, :length]
                pixels = stack.reshape(n, *kernel, rows + more, across)
                starts = range(0, (more + 1) * across, across)
                matrices = [stack[:, :, start : start + rows * across] for start in starts]
            fill_columns(pixels, images, windows, range(block.rows.start, block.rows.stop + more))
            yield block, matrices


def blocks_of(n: int, counts: Pair, bytes_each: int) -> tuple[bool, list[ColumnBlock]]:
    """Split the windows of `n` images so that their columns stay in the cache.

    Returns whether several images are to be put side by side; and the blocks, the largest first.
    """
    down, across = counts
    at_once = max(_LEAST, _BYTES // max(1, bytes_each))
    images = max(1, at_once // (down * across))
    rows = down if images > 1 else min(down, max(1, at_once // across))
    return down * across < _SMALL, [
        ColumnBlock(
            slice(i, i + images),
            range(j, min(j + rows, down)),
            slice(j * across, min(j + rows, down) * across),
        )
        for i in range(0, n, images)
        for j in range(0, down, rows)
    ]


def fill_columns(pixels: Array, images: Array, windows: Windows, rows: range) -> None:
    """Write the pixels of some rows of windows; those beyond the edges at the sides are 0 there."""
    height, width = images.shape[2:]
    across = windows.on_image(1, width, range(pixels.shape[5]))
    of_rows = windows.on_image(0, height, rows)
    for i, (down, image_rows) in enumerate(of_rows[: pixels.shape[2]]):
        if down.stop - down.start < len(rows):
            pixels[:, :, i, :, : down.start] = 0
            pixels[:, :, i, :, down.stop :] = 0
        for j, (along, image_columns) in enumerate(across):
            pixels[:, :, i, j, down, along] = images[:, :, image_rows, image_columns]


def add_to_images(x: Array, pixels: Array, windows: Windows, rows: range) -> None:
    """Add the pixels of windows to the images that they are from, where they overlap too.

    x: images of shape ``(N, C, H, W)``, changed.
    pixels: of shape ``(N, C, KH, KW, rows, OW)``.
    rows: the rows of windows that are given.
    """
    across = windows.on_image(1, x.shape[3], range(pixels.shape[5]))
    for i, (down, image_rows) in enumerate(windows.on_image(0, x.shape[2], rows)):
        for j, (along, image_columns) in enumerate(across):
            x[:, :, image_rows, image_columns] += pixels[:, :, i, j, down, along]


def by_image(x: Array, dtype: Any) -> Array:
    """Return images with their pixels in one axis."""
    return x.reshape(*x.shape[:2], math.prod(x.shape[2:])).astype(dtype, copy=False)


def by_kernel(W: Array, dtype: Any) -> Array:  # noqa: N803
    """Return weights as a matrix with a row for each channel of the result."""
    return W.reshape(len(W), math.prod(W.shape[1:])).astype(dtype, copy=False)
