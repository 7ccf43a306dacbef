"""Training a perceptron 64-128-64-10 on a batch of 100, in float64 and float32.

One step: the scores of three layers, ReLU between them; softmax cross entropy with integer labels,
averaged over the batch; its gradient by all weights and biases; and the weights changed by it, in
place. The batch is always the same, of random numbers. Each library uses its own functions: this
project `linear` and `softmax_cross_entropy`, PyTorch `linear` and `cross_entropy`.
"""

from __future__ import annotations

import functools
from itertools import pairwise

import numpy as np

from workloads import Absent, Case, Check

LEFT_OUT: dict[str, str] = {}
ROUNDS: dict[str, int] = {}

PROMOTES = "computes the gradients of float32 in float64"

SIZES, BATCH, RATE = (64, 128, 64, 10), 100, 0.1


def loss(lib, images, labels, weight1, bias1, weight2, bias2, weight3, bias3):
    hidden = lib.relu(lib.linear(images, weight1, bias1))
    hidden = lib.relu(lib.linear(hidden, weight2, bias2))
    return lib.softmax_cross_entropy(lib.linear(hidden, weight3, bias3), labels)


def loss_of(lib, images, labels):
    """Return the loss of a batch as a function of the parameters."""
    images, labels = lib.constant(images), lib.constant(labels)
    return lambda *parameters: loss(lib, images, labels, *parameters)


def loss_by_hand(images, labels, weight1, bias1, weight2, bias2, weight3, bias3):
    """Return the loss, and its gradients by the parameters."""
    hidden1 = images @ weight1
    hidden1 += bias1
    np.maximum(hidden1, 0.0, out=hidden1)
    hidden2 = hidden1 @ weight2
    hidden2 += bias2
    np.maximum(hidden2, 0.0, out=hidden2)
    scores = hidden2 @ weight3
    scores += bias3

    rows = np.arange(len(labels))
    scores -= scores.max(axis=1, keepdims=True)
    right = scores[rows, labels]
    gradient = np.exp(scores, out=scores)
    sums = gradient.sum(axis=1, keepdims=True)
    value = np.mean(np.log(sums[:, 0]) - right)
    gradient /= sums
    gradient[rows, labels] -= 1.0
    gradient /= len(labels)

    gradients = [hidden2.T @ gradient, gradient.sum(axis=0)]
    gradient = gradient @ weight3.T
    gradient *= hidden2 > 0.0
    gradients = [hidden1.T @ gradient, gradient.sum(axis=0), *gradients]
    gradient = gradient @ weight2.T
    gradient *= hidden1 > 0.0
    return value, [images.T @ gradient, gradient.sum(axis=0), *gradients]


def data(dtype):
    """Return images and labels, and the initial parameters."""
    random = np.random.default_rng(0)
    images = random.uniform(0.0, 1.0, (BATCH, SIZES[0])).astype(dtype)
    labels = random.integers(0, SIZES[-1], BATCH)
    parameters = []
    for n, m in pairwise(SIZES):
        parameters.append(random.normal(0.0, np.sqrt(2.0 / n), (n, m)).astype(dtype))
        parameters.append(random.normal(0.0, 0.1, m).astype(dtype))
    return images, labels, parameters


def as_taken_by(lib, parameters):
    """Return weights as the library's `linear` takes them, and biases as they are."""
    return [lib.weight(array) if array.ndim == 2 else array for array in parameters]


def cases(lib):
    for dtype in (np.float64, np.float32):
        name = np.dtype(dtype).name
        if dtype is np.float32 and lib.__name__ == "adapters.dezero_book":
            yield Absent(f"step, {name}", PROMOTES)
            continue
        images, labels, parameters = data(dtype)
        by_hand = functools.partial(loss_by_hand, images, labels)
        _, gradients = by_hand(*parameters)
        moved = [p - dtype(RATE) * g for p, g in zip(parameters, gradients, strict=True)]
        parameters, gradients, moved = (
            as_taken_by(lib, each) for each in (parameters, gradients, moved)
        )
        f = loss_of(lib, images, labels)
        step = lib.gradient(f, *parameters, by_hand=by_hand)
        yield Check(f"gradient, {name}", step, gradients)
        step, now = lib.descent(f, parameters, RATE, by_hand=by_hand)
        yield Check(f"first step, {name}", lambda step=step, now=now: step() or now(), moved)
        yield Case(f"step, {name}", step)
