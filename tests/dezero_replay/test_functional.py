"""Derivatives of functions, and nested arrays as one vector, are replayed.

Promise: docs/how_to/make_it_faster.md
"""

import numpy as np
from dezero_tools.functional import flatten, grad, jvp

from dezero_replay import compiled
from tests.replayed import same

POINT = {"w": np.arange(6.0).reshape(2, 3), "b": (np.array([0.1, 0.2]), 2.0)}


def loss(p):
    return np.sum(np.tanh(p["w"] @ np.ones(3) + p["b"][0]) ** 2) * p["b"][1]


def test_flatten_and_unflatten_are_replayed():
    _, unflatten = flatten(POINT)
    step = compiled(grad(lambda v: loss(unflatten(v))))
    other = compiled(grad(lambda p: np.sum(np.sin(flatten(p)[0]))))
    for number in range(5):
        vector = flatten(POINT)[0] + 0.1 * number
        expected = grad(lambda v: loss(unflatten(v)))(vector)
        np.testing.assert_array_equal(step(vector), expected)
        np.testing.assert_array_equal(flatten(other(unflatten(vector)))[0], np.cos(vector))
    assert step.stats["replayed"] > 0
    assert other.stats["replayed"] > 0


def test_a_training_step_with_has_aux_is_replayed():
    def loss(w, x):
        y = np.tanh(x @ w)
        return np.mean((y - 1.0) ** 2), {"prediction": y}

    step = compiled(grad(loss, has_aux=True))
    random = np.random.default_rng(0)
    for _ in range(5):
        w, x = random.normal(size=2), random.normal(size=(4, 2))
        gradient, aux = step(w, x)
        expected = grad(loss, has_aux=True)(w, x)
        np.testing.assert_array_equal(gradient, expected[0])
        np.testing.assert_array_equal(aux["prediction"], expected[1]["prediction"])
    assert step.stats["replayed"] > 0


def test_a_tangent_without_axes_is_an_array_as_in_eager_code():
    def pushed(x):
        y, push = jvp(lambda z: np.sum(z * z) + np.sum(z), x)
        return y, push(x)

    same(pushed, [(np.arange(3.0) + n,) for n in range(5)])


def test_a_gradient_of_a_product_with_a_zero_lies_in_memory_as_in_eager_code():
    x = np.arange(12.0).reshape(3, 4)
    same(grad(lambda x: np.sum(np.prod(x, axis=0) ** 2)), [(x,)] * 4)


def test_a_gradient_of_views_lies_in_memory_as_in_eager_code():
    def loss(x):
        return np.sum(x.T[:2] ** 2) + np.sum(x[:3] ** 3) + np.sum(x.T[:2] ** 3)

    def total(x):
        gradient = grad(loss)(x)
        return gradient, np.sum(gradient)

    same(total, [(np.random.default_rng(n).normal(size=(60, 4)),) for n in range(6)])
