"""Arguments that a result does not depend on: gradients warn of them, higher derivatives do not.

Promise: docs/reference/functional.rst
"""

from collections import namedtuple

import numpy as np
import pytest
from dezero_tools.functional import as_scipy, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp

import dezero_core
from dezero_core import Variable, using_config

X = np.array([1.0, 2.0])
Pair = namedtuple("Pair", "a b")

PATHS = {
    "argument 0": (lambda x: 3.0, (2.0,), 0),
    "argument 1": (lambda x, y: x, (2.0, X), 1),
    "argument 1:": (lambda x, y: x, (2.0, X), (0, 1)),
    "argument 2": (lambda x, y, z: x, (2.0, X, X), (0, -1)),
    "argument 0['w']:": (lambda p: p["b"], ({"w": X, "b": 2.0},), 0),
    "argument 0['w'][1]:": (lambda p: np.sum(p["w"][0]), ({"w": [X, 2.0]},), 0),
    "argument 0.b:": (lambda p: p.a, (Pair(2.0, (X,)),), 0),
    "argument 0[0] and argument 1:": (lambda p, y: p[1], ([X, 2.0], X), (0, 1)),
    "argument 0[1]:": (lambda p: p[0], ((2.0, 1.0, None),), 0),
}
PATHS["argument 0.b[0]:"] = PATHS.pop("argument 0.b:")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("make", [grad, value_and_grad])
def test_a_gradient_warns_of_the_path_of_an_argument_without_influence(make, path):
    function, arguments, argnums = PATHS[path]
    with pytest.warns(UserWarning, match="does not depend") as caught:
        make(function, argnums)(*arguments)
    (warning,) = caught
    assert f"the result of <lambda> does not depend on {path}" in str(warning.message)
    assert warning.filename == __file__


def test_an_argument_that_is_not_differentiated_by_needs_no_influence():
    assert grad(lambda x, y: x)(2.0, X) == 1.0


def test_the_setting_switches_the_warning_of_a_gradient_off():
    with using_config("warn_of_independence", False):
        assert grad(lambda x: 3.0)(2.0) == 0.0
        assert value_and_grad(lambda x: 3.0)(2.0) == (3.0, 0.0)


def test_a_gradient_that_is_zero_without_independence_does_not_warn():
    for function in (lambda x: x**2, lambda x: 0.0 * x, np.floor, lambda x: np.maximum(x, 1.0)):
        assert grad(function)(0.0) == 0.0


def linear(x):
    return np.sum(3.0 * x)


def two(x, y):
    return np.sum(x) ** 2 + np.sum(y)


def test_derivatives_of_linear_functions_do_not_warn_in_higher_derivatives():
    zeros = np.zeros((2, 2))
    np.testing.assert_array_equal(hessian(linear)(X), zeros)
    np.testing.assert_array_equal(hvp(linear)(X, X), zeros[0])
    np.testing.assert_array_equal(jacobian(grad(linear))(X), zeros)
    np.testing.assert_array_equal(jacobian(lambda x: np.ones(2))(X), zeros)
    np.testing.assert_array_equal(hessian(two, (0, 1))(X, X)[1][1], zeros)
    np.testing.assert_array_equal(vjp(grad(linear), X)[1](X)[0], zeros[0])
    np.testing.assert_array_equal(jvp(grad(linear), X)[1](X), zeros[0])
    problem = as_scipy(linear, X)
    np.testing.assert_array_equal(problem.hess(X), zeros)
    np.testing.assert_array_equal(problem.hessp(X, X), zeros[0])


def test_a_gradient_of_a_gradient_does_not_warn():
    assert grad(grad(lambda x: 3.0 * x))(2.0) == 0.0
    assert grad(grad(grad(lambda x: x**2)))(2.0) == 0.0
    np.testing.assert_array_equal(grad(lambda x: np.sum(grad(linear)(x)))(X), [0.0, 0.0])
    np.testing.assert_array_equal(grad(lambda x: hvp(linear)(x, X)[0])(X), [0.0, 0.0])


def test_a_gradient_by_the_core_in_a_differentiated_function_does_not_warn():
    other = Variable(np.array(1.0))

    def function(x):
        return x * (1.0 + dezero_core.grad(x**2, other))

    assert grad(function)(3.0) == 1.0


def test_a_plain_gradient_after_one_of_a_gradient_warns_again():
    grad(grad(lambda x: 3.0 * x))(2.0)
    with pytest.warns(UserWarning, match="argument 0"):
        grad(lambda x: 3.0)(2.0)


def test_the_gradient_of_a_problem_for_scipy_warns_of_what_has_no_influence():
    def loss(p):
        return p["a"] ** 2

    problem = as_scipy(loss, {"a": 3.0, "b": X})
    with pytest.warns(UserWarning, match=r"result of loss does not depend on argument 0\['b'\]"):
        np.testing.assert_array_equal(problem.jac(problem.x0), [6.0, 0.0, 0.0])
