"""The gradient of a small network with two convolutions, for 64 pictures of 28 x 28, in float32.

A convolution of 16 kernels and one of 32, both 3 x 3 with a padding of 1, each followed by ReLU and
by the largest of 2 x 2; then 128 numbers with ReLU, and 10 scores. The loss is softmax cross
entropy. The program by hand puts all windows of all pictures into the rows of a matrix.
"""

from __future__ import annotations

import functools

import numpy as np
import programs

LEFT_OUT = programs.LEFT_OUT
ROUNDS: dict[str, int] = {}

IMAGES, FEW = 64, 2
SIZE, KERNELS, HIDDEN, CLASSES = 28, (16, 32), 128, 10


def loss(lib, kernels1, bias1, kernels2, bias2, weight3, bias3, weight4, bias4, images, labels):
    y = images
    for kernels, bias in ((kernels1, bias1), (kernels2, bias2)):
        y = lib.max_pool2d(lib.relu(lib.conv2d(y, kernels, bias, 1, 1)), 2)
    y = lib.xp.reshape(y, (len(labels), -1))
    y = lib.relu(y @ weight3 + bias3)
    return lib.softmax_cross_entropy(y @ weight4 + bias4, labels)


def windows_of(x):
    """Return the windows of 3 x 3 of pictures, padded by 1, a row for each place."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(-1, x.shape[1] * 9)


def windows_back(g, shape):
    """Return the gradient of pictures, where `g` is that of their windows."""
    images, channels, rows, columns = shape
    g = g.reshape(images, rows, columns, channels, 3, 3).transpose(0, 3, 1, 2, 4, 5)
    padded = np.zeros((images, channels, rows + 2, columns + 2), g.dtype)
    for i in range(3):
        for j in range(3):
            padded[:, :, i : i + rows, j : j + columns] += g[..., i, j]
    return padded[:, :, 1:-1, 1:-1]


def layer_by_hand(x, kernels, bias):
    """Return the largest of each 2 x 2 of a convolution with ReLU, and a function for the way back.

    That takes the gradient of the result, and returns those of the kernels, the bias and `x`.
    """
    windows, matrix = windows_of(x), kernels.reshape(len(kernels), -1)
    y = np.maximum(windows @ matrix.T + bias, 0.0)
    half = (len(x), x.shape[2] // 2, 2, x.shape[3] // 2, 2, len(kernels))
    squares = y.reshape(half).transpose(0, 5, 1, 3, 2, 4)
    squares = squares.reshape(*squares.shape[:4], 4)
    chosen = squares.argmax(axis=4)[..., np.newaxis]

    def back(g):
        spread = np.zeros_like(squares)
        np.put_along_axis(spread, chosen, g[..., np.newaxis], axis=4)
        spread = spread.reshape(*g.shape, 2, 2).transpose(0, 2, 4, 3, 5, 1)
        g = spread.reshape(y.shape) * (y > 0.0)
        return [(g.T @ windows).reshape(kernels.shape), g.sum(axis=0)], (g @ matrix, x.shape)

    return np.take_along_axis(squares, chosen, axis=4)[..., 0], back


def by_hand(size, *arrays):
    kernels1, bias1, kernels2, bias2, weight3, bias3, weight4, bias4, images, labels = arrays
    pooled, back1 = layer_by_hand(images, kernels1, bias1)
    pooled, back2 = layer_by_hand(pooled, kernels2, bias2)
    flat = pooled.reshape(len(labels), -1)
    hidden = np.maximum(flat @ weight3 + bias3, 0.0)
    scores = hidden @ weight4 + bias4
    scores -= scores.max(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    g = np.exp(scores)
    sums = g.sum(axis=1, keepdims=True)
    value = np.mean(np.log(sums[:, 0]) - scores[rows, labels])
    g /= sums
    g[rows, labels] -= 1.0
    g /= np.float32(len(labels))
    gradients = [hidden.T @ g, g.sum(axis=0)]
    g = g @ weight4.T * (hidden > 0.0)
    gradients = [flat.T @ g, g.sum(axis=0), *gradients]
    found, windows = back2((g @ weight3.T).reshape(pooled.shape))
    gradients = [*found, *gradients]
    found, _ = back1(windows_back(*windows))
    return [value, *found, *gradients]


def data(images):
    random = np.random.default_rng(0)
    first, second = KERNELS
    arrays = [
        random.normal(0.0, 0.3, (first, 1, 3, 3)),
        random.normal(0.0, 0.1, first),
        random.normal(0.0, 0.1, (second, first, 3, 3)),
        random.normal(0.0, 0.1, second),
        random.normal(0.0, 0.05, (second * (SIZE // 4) ** 2, HIDDEN)),
        random.normal(0.0, 0.1, HIDDEN),
        random.normal(0.0, 0.1, (HIDDEN, CLASSES)),
        random.normal(0.0, 0.1, CLASSES),
        random.normal(size=(images, 1, SIZE, SIZE)),
    ]
    labels = random.integers(0, CLASSES, images)
    return [*(each.astype(np.float32) for each in arrays), labels]


def made(lib, images):
    return lib.value_and_gradients(functools.partial(loss, lib), 8)


def cases(lib):
    return programs.Program(made, by_hand, data, IMAGES, FEW).cases(lib)
