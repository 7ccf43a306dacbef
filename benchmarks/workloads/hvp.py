"""The Hessian of the perceptron's loss, times a vector, in float64.

The program by hand is Pearlmutter's: it carries the derivative of the gradient along the vector
forward and back beside the gradient. Source: Pearlmutter 1994.
"""

from __future__ import annotations

import numpy as np

from workloads import Case
from workloads.mlp import as_taken_by, data, loss_of

LEFT_OUT = {"mygrad": "has no second derivatives"}
ROUNDS: dict[str, int] = {}


def by_hand_of(images, labels):
    """Return the product as a function of parameters and vectors. An r stands for "along"."""

    def product(parameters, vectors):
        weight1, bias1, weight2, bias2, weight3, bias3 = parameters
        v1, vb1, v2, vb2, v3, vb3 = vectors
        h1 = np.maximum(images @ weight1 + bias1, 0.0)
        on1 = h1 > 0.0
        rh1 = (images @ v1 + vb1) * on1
        h2 = np.maximum(h1 @ weight2 + bias2, 0.0)
        on2 = h2 > 0.0
        rh2 = (rh1 @ weight2 + h1 @ v2 + vb2) * on2
        scores = h2 @ weight3 + bias3
        rscores = rh2 @ weight3 + h2 @ v3 + vb3

        scores -= scores.max(axis=1, keepdims=True)
        p = np.exp(scores, out=scores)
        p /= p.sum(axis=1, keepdims=True)
        rg = p * (rscores - np.sum(p * rscores, axis=1, keepdims=True))
        rg /= len(labels)
        g = p
        g[np.arange(len(labels)), labels] -= 1.0
        g /= len(labels)

        products = [rh2.T @ g + h2.T @ rg, rg.sum(axis=0)]
        g, rg = (g @ weight3.T) * on2, (rg @ weight3.T + g @ v3.T) * on2
        products = [rh1.T @ g + h1.T @ rg, rg.sum(axis=0), *products]
        rg = (rg @ weight2.T + g @ v2.T) * on1
        return [images.T @ rg, rg.sum(axis=0), *products]

    return product


def cases(lib):
    images, labels, parameters = data(np.float64)
    random = np.random.default_rng(1)
    vectors = [random.normal(size=array.shape) for array in parameters]
    by_hand = by_hand_of(images, labels)
    products = by_hand(parameters, vectors)
    parameters, vectors, products = (
        as_taken_by(lib, each) for each in (parameters, vectors, products)
    )
    f = loss_of(lib, images, labels)
    yield Case("product", lib.hvp(f, parameters, vectors, by_hand=by_hand), products)
