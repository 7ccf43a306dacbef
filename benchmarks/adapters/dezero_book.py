"""The framework of the book, from its own package."""

from __future__ import annotations

import numpy as np

# The package still uses a name that NumPy removed in 1.24.
np.int = int

from dezero import Variable, no_grad  # noqa: E402
from dezero import functions as xp  # noqa: E402
from dezero.functions import conv2d, linear, relu, softmax_cross_entropy  # noqa: E402, F401


def constant(array):
    return array


def weight(array):
    return array


def log_loss(scores, signs):
    """Return the mean of the same function. The package has neither ``logaddexp`` nor a mean."""
    return xp.sum(xp.log(1.0 + xp.exp(-signs * scores))) / len(signs)


leaf = Variable


def arrays(result):
    return [getattr(each, "data", each) for each in result]


def backward(y):
    y.backward()


def gradient(f, *inputs, by_hand):
    xs = [Variable(array) for array in inputs]

    def step():
        y = f(*xs)
        y.backward()
        gradients = [x.grad for x in xs]
        for x in xs:
            x.cleargrad()
        return gradients

    return step


def forward(f, *inputs, by_hand):
    xs = [Variable(array) for array in inputs]
    return lambda: [f(*xs)]


def forward_no_grad(f, *inputs):
    xs = [Variable(array) for array in inputs]

    def step():
        with no_grad():
            return [f(*xs)]

    return step


def descent(f, parameters, rate, by_hand):
    parameters = [Variable(array.copy()) for array in parameters]

    def step():
        loss = f(*parameters)
        for parameter in parameters:
            parameter.cleargrad()
        loss.backward()
        for parameter in parameters:
            parameter.data -= rate * parameter.grad.data

    return step, lambda: parameters


def hvp(f, parameters, vectors, by_hand):
    parameters = [Variable(array) for array in parameters]

    def step():
        f(*parameters).backward(create_graph=True)
        gradients = [parameter.grad for parameter in parameters]
        for parameter in parameters:
            parameter.cleargrad()
        products = [xp.sum(g * v) for g, v in zip(gradients, vectors, strict=True)]
        total = products[0]
        for product in products[1:]:
            total = total + product
        total.backward()
        found = [parameter.grad for parameter in parameters]
        for parameter in parameters:
            parameter.cleargrad()
        return found

    return step
