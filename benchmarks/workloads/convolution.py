"""A convolution of 32 images of 64 channels, 32 x 32, by 64 kernels of 3 x 3, and its gradient.

The images are padded by 1, so that the results have the same size. The gradients are those of the
images, of the kernels and of the bias; that of the results is 1 everywhere. The program by hand
goes image by image: it puts all windows of an image into the columns of a matrix, which stays in
the cache of the processor for the two products that need it.
"""

from __future__ import annotations

import functools

import numpy as np

from workloads import Case, Check

LEFT_OUT = {"autograd": "takes several seconds for it"}
ROUNDS: dict[str, int] = {}

IMAGES, CHANNELS, SIZE, KERNEL = 32, 64, 32, 3
STRIDE, PAD = 1, 1


def convolution(lib, x, kernels, bias):
    return lib.conv2d(x, kernels, bias, STRIDE, PAD)


def weighted_sum(lib, weights, *inputs):
    return lib.xp.sum(convolution(lib, *inputs) * lib.constant(weights))


def by_hand(x, kernels, bias, weights=1.0):
    """Return the results, and the gradients of their sum, weighted."""
    number, channels, *size = x.shape
    windows = [
        (slice(None), slice(i, i + size[0]), slice(j, j + size[1]))
        for i in range(KERNEL)
        for j in range(KERNEL)
    ]
    matrix = kernels.transpose(0, 2, 3, 1).reshape(len(kernels), -1)
    weights = np.broadcast_to(np.asarray(weights, x.dtype), (number, len(kernels), *size))
    y, gx, gmatrix = np.empty_like(weights), np.empty_like(x), np.zeros_like(matrix)
    padded = np.zeros((channels, size[0] + 2 * PAD, size[1] + 2 * PAD), x.dtype)
    inside = (slice(None), slice(PAD, -PAD), slice(PAD, -PAD))
    columns = np.empty((len(windows), channels, *size), x.dtype)
    for n in range(number):
        padded[inside] = x[n]
        for k, window in enumerate(windows):
            columns[k] = padded[window]
        flat = columns.reshape(matrix.shape[1], -1)
        gy = weights[n].reshape(len(kernels), -1)
        np.matmul(matrix, flat, out=y[n].reshape(len(kernels), -1))
        gmatrix += gy @ flat.T
        gcolumns = (matrix.T @ gy).reshape(columns.shape)
        padded[...] = 0.0
        for window, gcolumn in zip(windows, gcolumns, strict=True):
            padded[window] += gcolumn
        gx[n] = padded[inside]
        padded[...] = 0.0
    y += bias[:, np.newaxis, np.newaxis]
    gkernels = gmatrix.reshape(len(kernels), KERNEL, KERNEL, channels).transpose(0, 3, 1, 2)
    return y, [gx, gkernels, weights.sum(axis=(0, 2, 3))]


def cases(lib):
    for dtype in (np.float32, np.float64):
        name = np.dtype(dtype).name
        random = np.random.default_rng(0)
        x = random.normal(size=(IMAGES, CHANNELS, SIZE, SIZE)).astype(dtype)
        kernels = random.normal(0.0, 0.05, (CHANNELS, CHANNELS, KERNEL, KERNEL)).astype(dtype)
        bias = random.normal(0.0, 0.1, CHANNELS).astype(dtype)
        weights = random.normal(size=x.shape).astype(dtype)
        weighted = functools.partial(by_hand, weights=weights)
        _, gradients = weighted(x, kernels, bias)
        f = functools.partial(weighted_sum, lib, weights)
        step = lib.gradient(f, x, kernels, bias, by_hand=weighted)
        yield Check(f"gradient of a weighted sum, {name}", step, gradients)
        _, gradients = by_hand(x, kernels, bias)
        f = functools.partial(convolution, lib)
        step = lib.gradient(f, x, kernels, bias, by_hand=by_hand)
        yield Case(f"forward and backward, {name}", step, gradients, values=5)
