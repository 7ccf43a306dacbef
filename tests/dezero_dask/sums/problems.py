"""Losses that are sums over rows, their derivatives by hand, and data for them."""

import sys

import cloudpickle
import numpy as np

# Workers cannot import the tests.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


def made(rows=90, columns=4, seed=0):
    """Return random data: rows, and a 0 or 1 for each."""
    random = np.random.default_rng(seed)
    return random.standard_normal((rows, columns)), (random.random(rows) < 0.5) * 1.0


def parts(array, n=9):
    """Return an array as a list of partitions."""
    return np.array_split(array, n)


def linear(w, x, y):
    return np.sum((x @ w - y) ** 2)


def linear_by_hand(w, x, y):
    return np.sum((x @ w - y) ** 2), 2 * x.T @ (x @ w - y)


def logistic(params, x, y):
    z = x @ params["w"] + params["b"]
    return np.sum(np.logaddexp(0.0, z) - y * z)


def logistic_by_hand(params, x, y):
    z = x @ params["w"] + params["b"]
    error = 1 / (1 + np.exp(-z)) - y
    return np.sum(np.log(1 + np.exp(z)) - y * z), {"w": x.T @ error, "b": np.sum(error)}


def poisson(params, x, y):
    (w, b) = params
    z = x @ w + b
    return np.sum(np.exp(z) - y * z)


def poisson_by_hand(params, x, y):
    (w, b) = params
    rate = np.exp(x @ w + b)
    return np.sum(rate - y * (x @ w + b)), (x.T @ (rate - y), np.sum(rate - y))


def bits(tree):
    """Return the bytes of each leaf, to compare them to the bit."""
    from dezero_tools.functional.trees import leaves_of

    return [np.asarray(leaf).tobytes() for leaf in leaves_of(tree)]


class Table:
    """Is no ndarray, but has rows and columns."""

    def __init__(self, values):
        self.values, self.shape = values, values.shape


CASES = {
    "linear": (linear, linear_by_hand, np.array([0.1, -0.2, 0.3, 0.4])),
    "logistic": (logistic, logistic_by_hand, {"w": np.array([0.1, -0.2, 0.3, 0.4]), "b": 0.5}),
    "poisson": (poisson, poisson_by_hand, (np.array([0.1, -0.2, 0.3, 0.4]), np.array(0.5))),
}
