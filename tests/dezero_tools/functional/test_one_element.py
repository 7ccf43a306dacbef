"""A loss that is an array of one element has the derivatives of that element.

Promise: docs/reference/functional.rst
"""

import re

import autograd
import autograd.numpy
import numpy as np
import pytest
from dezero_tools.functional import as_scipy, grad, hessian, hvp, value_and_grad
from scipy.optimize import minimize

from dezero_core import VariableTypeError

X = np.array([0.4, -1.3])
SHAPES = [(), (1,), (1, 1), (1, 1, 1)]


def loss_of_shape(shape, numpy=np):
    """Return x0**3 x1 + exp(x0) as a function that returns an array of a shape."""
    return lambda x: numpy.reshape(x[0] ** 3 * x[1] + numpy.exp(x[0]), shape)


VALUE = X[0] ** 3 * X[1] + np.exp(X[0])
GRADIENT = np.array([3 * X[0] ** 2 * X[1] + np.exp(X[0]), X[0] ** 3])
HESSIAN = np.array([[6 * X[0] * X[1] + np.exp(X[0]), 3 * X[0] ** 2], [3 * X[0] ** 2, 0.0]])


@pytest.mark.parametrize("shape", SHAPES)
def test_a_loss_of_one_element_has_the_derivatives_of_the_number(shape):
    f, v = loss_of_shape(shape), np.array([0.7, 2.0])
    np.testing.assert_allclose(grad(f)(X), GRADIENT, rtol=1e-14)
    np.testing.assert_allclose(hessian(f)(X), HESSIAN, rtol=1e-14)
    np.testing.assert_allclose(hvp(f)(X, v), HESSIAN @ v, rtol=1e-14)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_value_of_value_and_grad_has_the_shape_that_the_function_gives_it_as_in_autograd(shape):
    value, gradient = value_and_grad(loss_of_shape(shape))(X)
    expected, truth = autograd.value_and_grad(loss_of_shape(shape, autograd.numpy))(X)
    assert value.shape == np.shape(expected) == shape
    np.testing.assert_allclose(value, VALUE, rtol=1e-14)
    np.testing.assert_allclose(gradient, truth, rtol=1e-14)


@pytest.mark.parametrize("shape", SHAPES)
def test_scipy_gets_a_float_from_a_loss_of_one_element(shape):
    def bowl(x):
        return np.reshape(np.sum(np.cosh(x - X)), shape)

    problem = as_scipy(bowl, np.zeros(2))
    assert type(problem.fun(X)) is float
    assert problem.jac(X).shape == (2,)
    found = minimize(
        problem.fun, problem.x0, method="trust-exact", jac=problem.jac, hess=problem.hess
    )
    np.testing.assert_allclose(found.x, X, atol=1e-4)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_nested_gradients_of_one_element_give_higher_orders(shape):
    """By hand: the derivatives of the sine are sines, a quarter turn further each time."""
    f, x = np.sin, np.full(shape, 0.7)
    for order in range(1, 5):
        f = grad(f)
        assert f(x).shape == shape
        np.testing.assert_allclose(f(x), np.sin(x + order * np.pi / 2), rtol=1e-12)


@pytest.mark.parametrize("shape", [(2,), (0,), (1, 0), (2, 1)])
@pytest.mark.parametrize("make", [grad, value_and_grad, hessian])
def test_a_loss_of_more_or_less_than_one_element_is_refused_with_its_shape(make, shape):
    def loss(x):
        return x * np.ones(shape)

    said = f"loss must return one number to have a gradient, got an array of shape {shape}. Sum "
    with pytest.raises(VariableTypeError, match=re.escape(said)):
        make(loss)(2.0)
