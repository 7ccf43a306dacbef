"""has_aux: a function returns its loss and anything else, as in JAX.

Promise: docs/coming_from/jax.md
"""

import pickle
import re

import jax
import numpy as np
import pytest
from dezero_tools.functional import grad, hessian, value_and_grad

from dezero_core import Variable, VariableTypeError, no_grad

jax.config.update("jax_enable_x64", True)

X = np.array([0.5, -2.0])


def fit(x, t=1.0):
    """Return a loss, and what it was computed from."""
    residual = x * x - t
    return (residual**2).sum(), {"residual": residual, "count": 2, "name": "fit", "more": [None]}


def squares(x):
    return x**2, x


def test_the_gradient_comes_with_the_second_result_as_in_jax():
    gradient, aux = grad(fit, has_aux=True)(X)
    truth, aux_of_jax = jax.grad(fit, has_aux=True)(X)
    np.testing.assert_allclose(gradient, truth, rtol=1e-14)
    np.testing.assert_allclose(aux["residual"], aux_of_jax["residual"], rtol=1e-14)
    (value, aux), gradient = value_and_grad(fit, has_aux=True)(X, t=2.0)
    (expected, aux_of_jax), truth = jax.value_and_grad(fit, has_aux=True)(X, t=2.0)
    np.testing.assert_allclose(value, expected, rtol=1e-14)
    np.testing.assert_allclose(gradient, truth, rtol=1e-14)
    np.testing.assert_allclose(aux["residual"], aux_of_jax["residual"], rtol=1e-14)


def test_the_second_result_has_arrays_in_place_of_variables_and_is_else_as_it_was_returned():
    _, aux = grad(fit, has_aux=True)(X)
    assert type(aux["residual"]) is np.ndarray
    assert (aux["count"], aux["name"], aux["more"]) == (2, "fit", [None])
    marker = object()
    assert grad(lambda x: (x, marker), has_aux=True)(1.0)[1] is marker


def test_writing_into_the_second_result_changes_neither_the_argument_nor_the_value():
    x = X.copy()
    (value, aux), _ = value_and_grad(lambda x: (x[:1], (x, x)), has_aux=True)(x)
    aux[0][:] = 7.0
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(aux[1], X)
    np.testing.assert_array_equal(value, X[:1])


def test_the_second_result_is_differentiated_in_a_nested_call_as_in_jax():
    """By hand: d/dx of x**2 is 2 x, and of the derivative times x, 2 x * x, it is 4 x."""

    def outer(x, grad):
        slope, aux = grad(squares, has_aux=True)(x)
        return slope * aux + aux**2

    assert grad(lambda x: outer(x, grad))(3.0) == 18.0
    assert jax.grad(lambda x: outer(x, jax.grad))(3.0) == 18.0
    assert grad(grad(lambda x: (x**3, x * x), has_aux=True), has_aux=True)(3.0) == (18.0, 9.0)


def test_variables_stay_variables_in_the_second_result_where_they_do_in_the_first():
    w = Variable(np.array(3.0))
    gradient, aux = grad(lambda x: (x * w, x + w), has_aux=True)(2.0)
    (aux * gradient).backward()
    assert w.grad == 8.0  # by hand: d/dw of (2 + w) w
    with no_grad():
        gradient, aux = grad(lambda x: (x * w, x + w), has_aux=True)(2.0)
    assert {type(gradient), type(aux)} == {np.ndarray}
    (value, aux), _ = value_and_grad(lambda x: (x * x, w * 2.0), has_aux=True)(2.0)
    assert {type(value), type(aux)} == {Variable}


def test_a_constant_that_the_function_makes_is_an_array_in_the_second_result():
    found = grad(lambda x: (x * x, Variable(np.array(3.0))), has_aux=True)(2.0)
    assert found == (4.0, 3.0)
    assert {type(each) for each in found} == {np.ndarray}


def test_an_argument_that_only_the_second_result_depends_on_is_warned_of():
    with pytest.warns(UserWarning, match="does not depend on argument 1"):
        gradient, aux = grad(lambda x, y: (x * x, y), (0, 1), has_aux=True)(2.0, 3.0)
    assert (gradient, aux) == ((4.0, 0.0), 3.0)


@pytest.mark.parametrize(
    ("result", "got"),
    [
        (lambda x: x, "Got <class 'dezero_core.variable.Variable'>."),
        (lambda x: 2.0, "Got <class 'float'>."),
        (lambda x: None, "Got <class 'NoneType'>."),
        (lambda x: np.zeros(2), "Got <class 'numpy.ndarray'>."),
        (lambda x: {"loss": x, "aux": 1}, "Got <class 'dict'>."),
        (lambda x: (x,), "Got 1 of them."),
        (lambda x: [x, x, x], "Got 3 of them."),
    ],
)
@pytest.mark.parametrize("make", [grad, value_and_grad])
def test_anything_but_a_pair_is_refused_with_has_aux(make, result, got):
    def loss(x):
        return result(x)

    with pytest.raises(VariableTypeError, match="loss must return a pair with has_aux") as caught:
        make(loss, has_aux=True)(2.0)
    assert str(caught.value).endswith(got)


def test_a_pair_whose_first_is_no_number_is_refused_with_has_aux():
    with pytest.raises(VariableTypeError, match=re.escape("got an array of shape (2,)")):
        grad(lambda x: (x, 1), has_aux=True)(X)


@pytest.mark.parametrize("make", [grad, value_and_grad, hessian])
def test_a_pair_without_has_aux_is_refused_with_has_aux(make):
    with pytest.raises(VariableTypeError, match=r"got <class 'tuple'>.*grad takes has_aux=True"):
        make(squares)(2.0)


@pytest.mark.parametrize("make", [grad, value_and_grad])
def test_a_derivative_with_has_aux_is_pickled(make):
    derivative = make(squares, has_aux=True)
    assert pickle.loads(pickle.dumps(derivative))(3.0) == derivative(3.0)
