"""The cost of NumPy's protocols: workloads by ``np.*`` in place of operators and methods.

An operator calls its operation at once; ``np.multiply(x, w)`` goes through ``__array_ufunc__``, and
``np.reshape(x, …)`` through ``__array_function__``. Each pair of figures computes the same: two
chains of 1,000 operations on one element, and the gradient of a perceptron with one hidden layer.
"""

from __future__ import annotations

import numpy as np
from adapters import LIBRARIES

from workloads import Case
from workloads.chain import OPERATIONS, chain_of
from workloads.mlp import data

LEFT_OUT = {
    library: "it is a question to this project" for library in LIBRARIES if library != "project"
}
ROUNDS: dict[str, int] = {}


def chain_through_numpy(x, w):
    y = x
    for _ in range(OPERATIONS // 2):
        y = np.multiply(y, w)
        y = np.add(y, w)
    return y


def methods(x):
    y = x
    for _ in range(OPERATIONS):
        y = y.reshape(1)
    return y


def functions(x):
    y = x
    for _ in range(OPERATIONS):
        y = np.reshape(y, 1)
    return y


def perceptron(images, weight1, bias1, weight2, bias2):
    hidden = images @ weight1 + bias1
    return ((hidden * hidden @ weight2 + bias2) ** 2).mean()


def perceptron_through_numpy(images, weight1, bias1, weight2, bias2):
    hidden = np.add(np.matmul(images, weight1), bias1)
    scores = np.add(np.matmul(np.multiply(hidden, hidden), weight2), bias2)
    return np.mean(np.power(scores, 2))


def perceptron_by_hand(images, weight1, bias1, weight2, bias2):
    hidden = images @ weight1 + bias1
    scores = hidden * hidden @ weight2 + bias2
    g = scores * (2.0 / scores.size)
    gradients = [(hidden * hidden).T @ g, g.sum(axis=0)]
    g = (g @ weight2.T) * 2.0 * hidden
    return [images.T @ g, g.sum(axis=0), *gradients]


def cases(lib):
    x, w = np.array([1.0001]), np.array([0.9999])
    chain, _, by_hand = chain_of(OPERATIONS)
    _, gradients = by_hand(x, w)
    for name, f in (("operators", chain), ("np.multiply and np.add", chain_through_numpy)):
        yield Case(f"chain, {name}", lib.gradient(f, x, w, by_hand=by_hand), gradients, OPERATIONS)

    for name, f in (("x.reshape", methods), ("np.reshape", functions)):
        step = lib.gradient(f, x, by_hand=None)
        yield Case(f"chain, {name}", step, [np.ones(1)], OPERATIONS)

    images, _, parameters = data(np.float64)
    expected = perceptron_by_hand(images, *parameters[:4])
    for name, f in (("operators and methods", perceptron), ("np.*", perceptron_through_numpy)):
        step = lib.gradient(lambda *xs, f=f: f(images, *xs), *parameters[:4], by_hand=None)
        yield Case(f"perceptron, {name}", step, expected)
