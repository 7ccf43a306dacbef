"""Gradient rules of one's own, stopped gradients and recomputed calls over dask arrays.

Each program is run over ndarrays and over dask arrays, which stay lazy: values, gradients, and
gradients of gradients are the same.

Promise: docs/reference/functional.rst
"""

import random

import dask
import dask.array as da
import numpy as np
import pytest
from dezero_dask.arrays.array_type import without_computing
from dezero_tools.functional import grad, hessian, recomputed, stop_gradient, with_gradient

from dezero_core import Parameter, Variable
from dezero_core import grad as gradient_of
from dezero_dask import LazyArrayError

RNG = np.random.default_rng(0)
X, Y, W = RNG.standard_normal((3, 3, 3))


def chunked(x):
    return da.from_array(x, chunks=2)


def first_and_second(f, *xs):
    """Return the value of a function of Variables, its gradients, and those of their squares."""
    xs = [Variable(x) for x in xs]
    y = f(*xs)
    gxs = gradient_of(y, xs, create_graph=True)
    return [y.data, *(gx.data for gx in gxs), *gradient_of(sum(np.sum(gx**2) for gx in gxs), xs)]


def require_same(program, *xs):
    """Compare the results of a program for ndarrays and for dask arrays."""
    with without_computing():
        found = program(*map(chunked, xs))
    assert all(isinstance(each, da.Array) for each in found)
    for got, truth in zip(dask.compute(*found), program(*xs), strict=True):
        np.testing.assert_allclose(got, truth, rtol=1e-10, atol=1e-12)


cube = with_gradient(lambda x: x**3, lambda gy, y, x: gy * 3.0 * x**2)
both = with_gradient(
    lambda a, b: (a * b, np.sin(a) + b),
    lambda gys, ys, a, b: (gys[0] * b + gys[1] * np.cos(a), gys[0] * a + gys[1]),
)


def of_both(a, b):
    product, total = both(a, b)
    return np.sum(product * total)


@pytest.mark.parametrize(
    ("f", "xs"),
    [
        (lambda x: np.sum(cube(x) * np.sin(x)), [X]),
        (of_both, [X, Y]),
        (lambda x: np.sum(cube(x @ W) * stop_gradient(x) ** 2), [X]),
        (lambda x, w: np.sum(recomputed(lambda h, w: np.tanh(h @ w) @ w)(x, w) ** 2), [X, W]),
        (lambda x: recomputed(lambda h: np.sum(np.sin(h) * h))(x), [X]),
    ],
    ids=["a rule", "a rule of two results", "stopped", "recomputed", "recomputed to a number"],
)
def test_values_and_two_gradients_are_lazy_and_those_of_ndarrays(f, xs):
    require_same(lambda *xs: first_and_second(f, *xs), *xs)


def test_a_rule_is_applied_to_a_dask_array_as_the_function_is():
    require_same(lambda x: [cube(x)], X)


@pytest.mark.parametrize("make", [lambda f: cube, recomputed], ids=["a rule", "recomputed"])
def test_derivatives_of_functions_are_lazy_and_those_of_ndarrays(make):
    each = make(lambda x: np.sin(x) * x)
    require_same(lambda x: [grad(lambda x: np.sum(each(x)))(x)], X)
    require_same(lambda x: [hessian(lambda x: np.sum(each(x)))(x)], X[0])


def test_parameters_that_a_recomputed_function_reaches_get_their_gradients():
    def program(x, w):
        v, w = Variable(x), Parameter(w)
        np.sum(recomputed(lambda h: np.tanh(h @ w) @ w)(v) ** 2).backward()
        return [v.grad, w.grad]

    require_same(program, X, W)


def test_random_numbers_of_a_recomputed_function_are_drawn_once():
    def program(x):
        np.random.seed(3)
        random.seed(3)
        v, rng = Variable(x), np.random.default_rng(1)
        y = recomputed(lambda h, rng: h * rng.random((3, 3)) * np.random.random((3, 3)))(v, rng)
        np.sum(y * random.random()).backward()
        return [y.data, v.grad]

    require_same(program, X)


def test_random_numbers_of_dask_in_a_recomputed_function_are_those_of_the_result():
    v, rng = Variable(chunked(X)), da.random.default_rng(0)
    y = recomputed(lambda h: h * rng.random((3, 3), chunks=2))(v)
    np.sum(y).backward()
    value, gradient = dask.compute(y.data, v.grad)
    np.testing.assert_allclose(gradient, value / X)


def test_a_rule_whose_function_needs_all_values_is_refused():
    f = with_gradient(lambda x: np.asarray(x) + 1.0, lambda gy, y, x: gy)
    with without_computing(), pytest.raises(LazyArrayError, match=r"np.asarray of dask arrays is"):
        f(Variable(chunked(X)))
