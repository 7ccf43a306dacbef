"""An LSTM of 128 numbers to 128, over 10 time steps of a batch of 32, in float32, and its gradient.

The gradients are those of the input, of both weights and of the bias; that of the hidden states is
1 everywhere. Each library is given the whole sequence: this project by `LSTM.sequence`, PyTorch by
its layer `LSTM`. That one has two biases, which are added, and so a gradient more. JAX itself has
no such layer; there it is a loop by `scan`.
"""

from __future__ import annotations

import numpy as np

from workloads import Case
from workloads.mlp import as_taken_by

LEFT_OUT = {
    "autograd": "has no layers",
    "mygrad": "has no LSTM",
    "dezero_book": "takes one step at a time, with eight layers",
}
ROUNDS: dict[str, int] = {}

STEPS, BATCH, INPUTS, SIZE = 10, 32, 128, 128


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def by_hand(x, input_weight, hidden_weight, bias):
    """Return the hidden states, and the gradients of their sum."""
    steps, rows, inputs = x.shape
    size = len(hidden_weight)
    flat_x = x.reshape(-1, inputs)
    of_x = (flat_x @ input_weight + bias).reshape(steps, rows, -1)
    hidden = np.zeros((1 + steps, rows, size), x.dtype)
    c, kept = hidden[0], []
    for t in range(steps):
        z = of_x[t]
        z += hidden[t] @ hidden_weight
        i, f, g, o = (z[:, k * size : (k + 1) * size] for k in range(4))
        i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
        before, c = c, f * c + i * g
        tanh_c = np.tanh(c)
        hidden[1 + t] = o * tanh_c
        kept.append((i, f, g, o, before, tanh_c))

    gz = np.empty_like(of_x)
    gh = gc = np.zeros_like(c)
    for t in reversed(range(steps)):
        i, f, g, o, before, tanh_c = kept[t]
        gh = gh + 1.0
        gc = gc + gh * o * (1.0 - tanh_c * tanh_c)
        gates = (
            gc * g * i * (1.0 - i),
            gc * before * f * (1.0 - f),
            gc * i * (1.0 - g * g),
            gh * tanh_c * o * (1.0 - o),
        )
        np.concatenate(gates, axis=1, out=gz[t])
        gh, gc = gz[t] @ hidden_weight.T, gc * f
    flat = gz.reshape(steps * rows, -1)
    gradients = [
        (flat @ input_weight.T).reshape(x.shape),
        flat_x.T @ flat,
        hidden[:-1].reshape(-1, size).T @ flat,
        flat.sum(axis=0),
    ]
    return hidden[1:], gradients


def cases(lib):
    random = np.random.default_rng(0)
    shapes = (INPUTS, 4 * SIZE), (SIZE, 4 * SIZE), (4 * SIZE,)
    x = random.normal(size=(STEPS, BATCH, INPUTS)).astype(np.float32)
    weights = [random.normal(0.0, 0.1, shape).astype(np.float32) for shape in shapes]
    _, gradients = by_hand(x, *weights)
    step = lib.lstm_gradient(x, *as_taken_by(lib, weights), by_hand=by_hand)
    yield Case("forward and backward", step, [gradients[0], *as_taken_by(lib, gradients[1:])])
