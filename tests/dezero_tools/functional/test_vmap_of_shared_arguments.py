"""Arrays that all examples share: gradients by them, tangents along them, rules that take them.

Promise: docs/reference/functional.rst
"""

import numpy as np
import pytest
from dezero_tools.functional import grad, hvp, jacobian, jvp, vmap

from dezero_core import Function, Variable

RANDOM = np.random.default_rng(0)
N = 3
V, BATCH = RANDOM.normal(size=N), 0.7 * RANDOM.normal(size=(4, N))
PAIRS = RANDOM.normal(size=(4, 5, N))


def looped(f, *batches):
    return np.stack([f(*xs) for xs in zip(*batches, strict=True)])


def close(got, expected, rtol=1e-10):
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol)


#: Functions that take elements of `w`, which all share, by an array that has examples.
CHOICES = {
    "where": lambda w, x: np.where(x > 0.0, w**2, -w),
    "where of a sum": lambda w, x: np.sum(w**2, where=x > 0.0),
    "take": lambda w, x: np.sin(np.take(w, np.argsort(x))),
    "take_along_axis": lambda w, x: np.take_along_axis(w**2, np.argsort(x), 0),
    "select": lambda w, x: np.select([x > 0.0], [w**2], 0.5),
    "choose": lambda w, x: np.choose((x > 0.0).astype(int), [w**2, w]),
    "delete": lambda w, x: np.delete(w, np.argmin(x)) ** 2,
    "quantile": lambda w, x: np.quantile(w**2, np.abs(x[0]) / 3.0),
}


@pytest.mark.parametrize("name", CHOICES)
def test_what_all_examples_share_has_a_gradient_where_examples_choose_of_it(name):
    def of_one(w, x):
        return np.sum(CHOICES[name](w, x)) ** 2

    def total(w):
        return np.sum(vmap(lambda x: of_one(w, x))(BATCH))

    def truth(w):
        return sum(of_one(w, x) for x in BATCH)

    for derivative in (grad, lambda f: lambda w: hvp(f)(w, V), lambda f: lambda w: jvp(f, w)[1](V)):
        got = derivative(total)(V)
        assert type(got) is np.ndarray
        close(got, derivative(truth)(V))
    w = Variable(V.copy())
    total(w).backward()
    close(w.grad, grad(truth)(V))


class ProductOfNdarrays(Function):
    elementwise = True

    def forward(self, a, b):
        return a * b

    def backward(self, gy):
        a, b = (x.data for x in self.inputs)
        assert type(gy) is type(a) is type(b) is np.ndarray
        return gy * b, gy * a


#: Uses of `w`, which all examples share. The last has no part of its own in each.
SHARING = {
    "linear": lambda w, x: w + x,
    "elementwise": lambda w, x: np.tanh(w * x),
    "of ndarrays": lambda w, x: ProductOfNdarrays()(w, x),
    "no linear map": lambda w, x: np.prod(np.stack([w[0], w[1], x[0]])),
    "matrices": lambda w, x: np.linalg.inv(np.outer(w, x) + 5.0 * np.eye(N)),
    "the same for all": lambda w, x: np.linalg.norm(w) + 0.0 * x[0],
}


@pytest.mark.parametrize("name", SHARING)
def test_tangents_by_what_all_examples_share_are_pushed_through_a_map(name):
    def mapped(w):
        return vmap(lambda x: SHARING[name](w, x))(BATCH)

    def by_a_loop(w):
        return np.stack([SHARING[name](w, x) for x in BATCH])

    matrix = jacobian(by_a_loop)(V)
    close(jvp(mapped, V)[1](V), matrix @ V)
    close(np.moveaxis(vmap(jvp(mapped, V)[1])(np.eye(N)), 0, -1), matrix)
    slope = jvp(lambda w: np.sum(mapped(w) ** 2), V)[1](V)
    close(slope, jvp(lambda w: np.sum(by_a_loop(w) ** 2), V)[1](V))


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
def test_an_integral_takes_points_that_all_examples_share(axis):
    points = np.cumsum(np.abs(RANDOM.normal(size=(5, N))), axis)

    def f(y):
        return np.trapezoid(y, points, axis=axis)

    close(vmap(f)(PAIRS), looped(f, PAIRS))
    line = RANDOM.normal(size=PAIRS.shape[1:][axis])
    close(
        vmap(lambda y: np.trapezoid(y, line, axis=axis))(PAIRS),
        looped(lambda y: np.trapezoid(y, line, axis=axis), PAIRS),
    )


def test_an_integral_of_more_axes_than_its_points_have_is_that_of_a_loop():
    points, more = np.cumsum(np.abs(PAIRS[0]), 0), RANDOM.normal(size=(3, 2, 5, N))
    close(
        vmap(lambda y: np.trapezoid(y, points))(more),
        looped(lambda y: np.trapezoid(y, points), more),
    )


def test_the_variance_about_a_mean_of_each_example_may_be_of_data_that_all_share():
    means = Variable(BATCH[:, 0].copy())
    x = Variable(V.copy())
    got = vmap(lambda mean: np.nanvar(x, mean=mean))(means)
    close(got.data, [np.nanvar(V, mean=m) for m in BATCH[:, 0]])
