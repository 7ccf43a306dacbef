"""PyTorch on the CPU, with one thread."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn.functional import cross_entropy as softmax_cross_entropy  # noqa: F401
from torch.nn.functional import linear, softplus  # noqa: F401 - the first for the workloads

torch.set_num_threads(1)

xp = torch
relu = torch.relu


def constant(array):
    return torch.tensor(array)


def weight(array):
    """Return the weights of a layer transposed, as `linear` takes them."""
    return np.ascontiguousarray(array.T)


def log_loss(scores, signs):
    return softplus(-signs * scores).mean()


def arrays(result):
    return [each.detach().numpy() for each in result]


def leaf(array):
    return torch.tensor(array, requires_grad=True)


def backward(y):
    y.backward()


def gradient(f, *inputs, by_hand):
    xs = [leaf(array) for array in inputs]

    def step():
        y = f(*xs)
        y.backward(torch.ones_like(y))
        gradients = [x.grad for x in xs]
        for x in xs:
            x.grad = None
        return gradients

    return step


def forward(f, *inputs, by_hand):
    xs = [leaf(array) for array in inputs]
    return lambda: [f(*xs)]


def forward_no_grad(f, *inputs):
    xs = [leaf(array) for array in inputs]

    def step():
        with torch.no_grad():
            return [f(*xs)]

    return step


def descent(f, parameters, rate, by_hand):
    parameters = [leaf(array) for array in parameters]

    def step():
        loss = f(*parameters)
        loss.backward()
        with torch.no_grad():
            for parameter in parameters:
                parameter.sub_(parameter.grad, alpha=rate)
                parameter.grad = None

    return step, lambda: parameters


def hvp(f, parameters, vectors, by_hand):
    parameters = [leaf(array) for array in parameters]
    vectors = [torch.tensor(array) for array in vectors]

    def step():
        gradients = torch.autograd.grad(f(*parameters), parameters, create_graph=True)
        return torch.autograd.grad(gradients, parameters, grad_outputs=vectors)

    return step
