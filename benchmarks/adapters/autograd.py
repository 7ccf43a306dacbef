"""autograd: functions of arrays, differentiated as functions."""

from __future__ import annotations

import autograd
import autograd.numpy as np
from autograd.differential_operators import make_hvp
from autograd.scipy.special import logsumexp

from adapters import derivatives

xp = np


def jvp(f):
    prepared = autograd.make_jvp(f)
    return lambda x, v: prepared(x)(v)[1]


DERIVATIVES = derivatives(
    autograd.grad,
    autograd.value_and_grad,
    autograd.jacobian,
    autograd.hessian,
    jvp,
)


def constant(array):
    return array


def weight(array):
    return array


def linear(x, weight, bias):
    return np.dot(x, weight) + bias


def relu(x):
    return np.maximum(x, 0.0)


def softmax_cross_entropy(scores, labels):
    log_probabilities = scores - logsumexp(scores, axis=1, keepdims=True)
    return -np.mean(log_probabilities[np.arange(len(labels)), labels])


def log_loss(scores, signs):
    return np.mean(np.logaddexp(0.0, -signs * scores))


def arrays(result):
    return list(result)


def gradient(f, *inputs, by_hand):
    differentiated = autograd.elementwise_grad(f, tuple(range(len(inputs))))
    return lambda: differentiated(*inputs)


def forward(f, *inputs, by_hand):
    recorded = autograd.make_vjp(f, tuple(range(len(inputs))))
    return lambda: recorded(*inputs)[1:]


def descent(f, parameters, rate, by_hand):
    parameters = [array.copy() for array in parameters]
    differentiated = autograd.grad(f, tuple(range(len(parameters))))

    def step():
        for parameter, gradient in zip(parameters, differentiated(*parameters), strict=True):
            parameter -= rate * gradient

    return step, lambda: parameters


def hvp(f, parameters, vectors, by_hand):
    prepared, vectors = make_hvp(f, tuple(range(len(parameters)))), tuple(vectors)
    return lambda: prepared(*parameters)[0](vectors)


def differentiated(name, f, *inputs, by_hand):
    return DERIVATIVES[name](f)
