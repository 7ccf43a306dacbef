"""elementwise_grad: derivatives at each element, against autograd and formulas by hand.

Promise: docs/coming_from/autograd.md
"""

import pickle

import autograd
import autograd.numpy
import numpy as np
import pytest
from dezero_tools.functional import elementwise_grad, grad

from dezero_core import Variable, VariableTypeError

X = np.linspace(-2.0, 2.0, 7)


def mixture(x, numpy=np):
    return numpy.tanh(x) * numpy.exp(-(x**2)) + x


@pytest.mark.parametrize("shape", [(), (7,), (7, 1), (1, 7, 1)])
def test_elementwise_derivatives_have_the_shape_of_the_argument_and_agree_with_autograd(shape):
    x = np.array(0.7) if shape == () else X.reshape(shape)
    found = elementwise_grad(mixture)(x)
    truth = autograd.elementwise_grad(lambda x: mixture(x, autograd.numpy))(x)
    assert (type(found), found.shape) == (np.ndarray, shape)
    np.testing.assert_allclose(found, truth, rtol=1e-13)


@pytest.mark.parametrize("order", range(1, 5))
def test_nested_elementwise_derivatives_give_higher_orders(order):
    """By hand: the derivatives of the sine are sines, a quarter turn further each time."""
    f = np.sin
    for _ in range(order):
        f = elementwise_grad(f)
    np.testing.assert_allclose(f(X), np.sin(X + order * np.pi / 2), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("argnums", [0, 1])
def test_an_argument_that_is_broadcast_gets_the_sum_of_derivatives_as_in_autograd(argnums):
    x, y = X, np.array([[1.0], [2.0]])
    found = elementwise_grad(lambda x, y: np.sin(x * y), argnums)(x, y)
    truth = autograd.elementwise_grad(lambda x, y: autograd.numpy.sin(x * y), argnums)(x, y)
    assert found.shape == (x, y)[argnums].shape
    np.testing.assert_allclose(found, truth, rtol=1e-13, atol=1e-14)


def test_elementwise_derivatives_by_several_and_nested_arguments_have_their_form():
    by_x, by_p = elementwise_grad(lambda x, p: p["a"] * x + p["b"][0], (0, 1))(
        X, {"a": 2.0 * X, "b": [1.0]}
    )
    np.testing.assert_array_equal(by_x, 2.0 * X)
    np.testing.assert_array_equal(by_p["a"], X)
    assert by_p["b"] == [7.0]


def test_an_elementwise_derivative_is_part_of_the_graph_of_its_argument():
    """By hand: the third derivative of x**4 is 24 x."""
    x = Variable(X)
    elementwise_grad(elementwise_grad(lambda x: x**4))(x).backward()
    np.testing.assert_allclose(x.grad, 24.0 * X, rtol=1e-13)
    found = grad(lambda x: np.sum(elementwise_grad(lambda x: x**3)(x)))(X)
    np.testing.assert_allclose(found, 6.0 * X, rtol=1e-13)


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (lambda x: (x, x), r"must return one array to have a gradient, got <class 'tuple'>"),
        (lambda x: None, "must return one array to have a gradient, got <class 'NoneType'>"),
        (lambda x: 1j * x, "must return a real number"),
    ],
)
def test_a_function_without_real_elements_has_no_elementwise_derivative(f, said):
    with pytest.raises(VariableTypeError, match=said):
        elementwise_grad(f)(X)


def test_an_elementwise_derivative_is_pickled_and_looks_like_its_function():
    derivative = elementwise_grad(mixture)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(derivative))(X), derivative(X))
    assert derivative.__name__ == "mixture"
    assert repr(elementwise_grad(np.sin)) == "<elementwise_grad of <ufunc 'sin'>>"


def test_elementwise_grad_refuses_argnum_and_variables_as_grad_does():
    with pytest.raises(TypeError, match="Did you mean 'argnums'"):
        elementwise_grad(np.sin, argnum=1)
    with pytest.raises(TypeError, match="takes a function"):
        elementwise_grad(Variable(X))


def test_elementwise_derivatives_of_what_does_not_depend_on_the_argument_are_zeros():
    with pytest.warns(UserWarning, match="does not depend on argument 0"):
        found = elementwise_grad(lambda x: np.ones(3))(X)
    np.testing.assert_array_equal(found, np.zeros(7))
