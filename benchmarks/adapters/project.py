"""This project: NumPy's functions and operators, on Variables."""

from __future__ import annotations

import numpy as np

from dezero_core import Parameter, Variable, no_grad
from dezero_ops_math import linear, relu, softmax_cross_entropy  # noqa: F401 - for the workloads
from dezero_tools import functional as derivatives

xp = np  # NumPy is the interface


def constant(array):
    return array


def weight(array):
    return array


leaf = Variable


def log_loss(scores, signs):
    return np.mean(np.logaddexp(0.0, -signs * scores))


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


def gradient_sparing(f, *inputs, by_hand):
    xs = [Variable(array) for array in inputs]

    def step():
        y = f(*xs)
        y.backward(free_graph=True)
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
    parameters = [Parameter(array.copy()) for array in parameters]

    def step():
        loss = f(*parameters)
        for parameter in parameters:
            parameter.cleargrad()
        loss.backward()
        for parameter in parameters:
            parameter.data -= rate * parameter.grad

    return step, lambda: parameters


def hvp(f, parameters, vectors, by_hand):
    product = derivatives.hvp(f, range(len(parameters)))
    return lambda: product(*parameters, vectors)
