"""Training the perceptron of the book's step 51 for MNIST, 784-1000-1000-10: a tenth of an epoch.

The perceptron is the last one of that step, with ReLU, in float32. The rows are given in batches of
100, in random order. One step computes the loss of a batch and its gradient, and changes the
weights by it, with the rate 0.01; the losses are added up. An epoch of MNIST has 600 steps, and the
figure is the time of 60. The rows are 6,000, of random numbers between 0 and 1.

Each library has its own model and optimizer. This project has its loader, too. With PyTorch,
batches are taken from tensors by their index, which is faster than its loader.
"""

from __future__ import annotations

import functools
from itertools import pairwise

import numpy as np

from workloads import Case, Check
from workloads.mlp import PROMOTES, as_taken_by, loss_by_hand

SMALLER = "trains a smaller perceptron, in another workload"
LEFT_OUT = {"autograd": SMALLER, "mygrad": SMALLER, "dezero_book": PROMOTES}
ROUNDS: dict[str, int] = {}

SIZES, ROWS, BATCH, RATE = (784, 1000, 1000, 10), 6_000, 100, 0.01
CHECKED, FEW = 5, 4
"""How many steps are compared with those by hand, and how many rows each of them has. If there were
many, a sum before a ReLU would be so near to 0 that its sign is a matter of rounding."""


def data(rows):
    """Return images and labels, and the first parameters, as the book's layers draw them."""
    random = np.random.default_rng(0)
    images = random.random((rows, SIZES[0]), np.float32)
    labels = random.integers(0, SIZES[-1], rows)
    parameters = []
    for n, m in pairwise(SIZES):
        parameters.append((random.normal(size=(n, m)) / np.sqrt(n)).astype(np.float32))
        parameters.append(np.zeros(m, np.float32))
    return images, labels, parameters


def trained_by_hand(images, labels, parameters, batch):
    """Return the mean loss of an epoch in order, and the changes of the parameters."""
    start, parameters, losses = parameters, [array.copy() for array in parameters], []
    for first in range(0, len(images), batch):
        rows = slice(first, first + batch)
        loss, gradients = loss_by_hand(images[rows], labels[rows], *parameters)
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter -= np.float32(RATE) * gradient
        losses.append(loss)
    changes = [now - before for now, before in zip(parameters, start, strict=True)]
    return np.float32(np.mean(losses)), changes


def cases(lib):
    images, labels, parameters = data(ROWS)
    few = images[: CHECKED * FEW], labels[: CHECKED * FEW]
    loss, changes = trained_by_hand(*few, parameters, FEW)
    start, changes = as_taken_by(lib, parameters), as_taken_by(lib, changes)
    train = functools.partial(lib.training, parameters=start, rate=RATE, by_hand=loss_by_hand)
    short_epoch, now = train(*few, batch=FEW, shuffle=False)

    def first_steps():
        found = lib.constant(np.asarray(short_epoch(), np.float32))
        changed = zip(now(), start, strict=True)
        return [found, *(each - lib.constant(before) for each, before in changed)]

    yield Check("first steps", first_steps, [loss, *changes])
    epoch, _ = train(images, labels, batch=BATCH, shuffle=True)
    yield Case("a tenth of an epoch", epoch, values=5)
