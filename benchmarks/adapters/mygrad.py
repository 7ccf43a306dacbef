"""MyGrad: tensors, with its memory guarding switched on, as it is by default."""

from __future__ import annotations

import mygrad
import numpy as np
from mygrad.nnet.activations import relu  # noqa: F401 - for the workloads
from mygrad.nnet.layers import conv_nd
from mygrad.nnet.losses import softmax_crossentropy as softmax_cross_entropy  # noqa: F401

xp = mygrad


def constant(array):
    return array


def weight(array):
    return array


def linear(x, weight, bias):
    return x @ weight + bias


def conv2d(x, kernels, bias, stride, pad):
    return conv_nd(x, kernels, stride=stride, padding=pad) + bias.reshape(-1, 1, 1)


def log_loss(scores, signs):
    return mygrad.mean(mygrad.logaddexp(0.0, -signs * scores))


def arrays(result):
    return [np.asarray(each) for each in result]


leaf = mygrad.tensor


def backward(y):
    y.backward()


def gradient(f, *inputs, by_hand):
    xs = [mygrad.tensor(array) for array in inputs]

    def step():
        f(*xs).backward()
        return [x.grad for x in xs]

    return step


def forward(f, *inputs, by_hand):
    xs = [mygrad.tensor(array) for array in inputs]
    return lambda: [f(*xs)]


def forward_no_grad(f, *inputs):
    xs = [mygrad.tensor(array) for array in inputs]

    def step():
        with mygrad.no_autodiff:
            return [f(*xs)]

    return step


def descent(f, parameters, rate, by_hand):
    parameters = [mygrad.tensor(array) for array in parameters]

    def step():
        f(*parameters).backward()
        for parameter in parameters:
            parameter.data -= rate * parameter.grad

    return step, lambda: parameters
