"""Users write the derivative of a function, in one line, or say that it has none.

Promise: docs/reference/functional.rst
"""

import numpy as np
import pytest
from dezero_tools.functional import grad, hessian, jacobian, jvp, stop_gradient, vmap, with_gradient

from dezero_core import GradientError, Variable, VariableTypeError

X = np.array([0.3, -0.7, 1.1])

sine = with_gradient(np.sin, lambda gy, y, x: gy * np.cos(x))


@with_gradient(lambda gy, y, x: gy * 5.0)
def five_times_as_steep(x):
    """Return x."""
    return np.copy(x)


def test_the_gradient_is_the_one_that_was_written():
    assert grad(five_times_as_steep)(2.0) == 5.0
    x = Variable(X.copy())
    np.sum(five_times_as_steep(x)).backward()
    np.testing.assert_array_equal(x.grad, [5.0, 5.0, 5.0])


def test_derivatives_of_any_order_come_from_the_rule():
    orders = [np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.sin]
    f = sine
    for truth in orders:
        f = grad(f)
        np.testing.assert_allclose(f(0.4), truth(0.4), rtol=1e-14)
    np.testing.assert_allclose(hessian(lambda x: np.sum(sine(x)))(X), np.diag(-np.sin(X)))
    np.testing.assert_allclose(jvp(sine, X)[1](X), X * np.cos(X))


def test_the_rule_holds_over_a_batch():
    np.testing.assert_allclose(vmap(grad(sine))(X), np.cos(X))
    np.testing.assert_allclose(vmap(grad(grad(sine)))(X), -np.sin(X))


def test_a_function_of_several_arrays_may_return_several():
    both = with_gradient(
        lambda a, b: (a * b, a + b), lambda gs, ys, a, b: (gs[0] * b + gs[1], gs[0] * a + gs[1])
    )

    def f(a, b):
        product, total = both(a, b)
        return product * total

    assert grad(f)(3.0, 2.0) == 2 * 5 + 6
    assert grad(f, 1)(3.0, 2.0) == 3 * 5 + 6


def test_the_decorated_function_keeps_its_name_and_gives_arrays_for_arrays():
    assert (five_times_as_steep.__name__, five_times_as_steep.__doc__) == (
        "five_times_as_steep",
        "Return x.",
    )
    assert type(five_times_as_steep(X)) is np.ndarray


@with_gradient(lambda gy, root, x: gy / (1.0 + 0.3 * np.cos(root)))
def root_of(x):
    """Solve ``z + 0.3 sin(z) = x`` for ``z`` by Newton's method."""
    z = x
    for _ in range(20):
        slope = jacobian(lambda z: z + 0.3 * np.sin(z))(z)
        z = z - np.linalg.solve(slope, z + 0.3 * np.sin(z) - x)
    return z


def test_a_function_that_computes_with_derivatives_gets_the_gradient_of_the_rule():
    z = root_of(X)
    np.testing.assert_allclose(z + 0.3 * np.sin(z), X, rtol=1e-14)
    np.testing.assert_allclose(grad(lambda x: np.sum(root_of(x)))(X), 1 / (1 + 0.3 * np.cos(z)))
    second = 0.3 * np.sin(z) / (1.0 + 0.3 * np.cos(z)) ** 3
    np.testing.assert_allclose(hessian(lambda x: np.sum(root_of(x)))(X), np.diag(second))


def test_variables_within_a_dict_are_refused_since_the_rule_would_not_hold():
    twice = with_gradient(lambda p: 2.0 * p["a"], lambda gy, y, p: {"a": 5.0 * gy})
    assert twice({"a": 3.0}) == 6.0
    with pytest.raises(VariableTypeError, match=r"<lambda> has one gradient .* as an argument"):
        grad(twice)({"a": 3.0})


def test_arguments_by_name_and_what_is_no_function_are_refused():
    scaled = with_gradient(lambda x, b: x * b, lambda gy, y, x, b: (gy * b, gy * x))
    with pytest.raises(TypeError, match="<lambda> has a gradient for each argument by position"):
        scaled(Variable(np.ones(2)), b=2.0)
    with pytest.raises(TypeError, match=r"takes a function, got <class 'int'>"):
        with_gradient(3, np.sin)
    with pytest.raises(TypeError, match=r"takes a function as backward, got <class 'int'>"):
        with_gradient(np.sin, 3)
    with pytest.raises(TypeError, match=r"takes a function, got .*Variable"):
        with_gradient(np.sin)(Variable(np.ones(2)))


def test_a_rule_that_returns_no_gradient_is_refused_by_the_name_of_the_function():
    wrong = with_gradient(np.sin, lambda gy, y, x: None)
    with pytest.raises(GradientError, match=r"sin\.backward of .* returned None for input 0"):
        grad(wrong)(1.0)


def test_no_gradient_goes_through_what_is_stopped():
    assert grad(lambda x: x * stop_gradient(x))(3.0) == 3.0
    assert grad(lambda x: x * stop_gradient({"a": [x]})["a"][0])(3.0) == 3.0
    assert hessian(lambda x: x * x * stop_gradient(x))(3.0) == 6.0
    np.testing.assert_allclose(vmap(grad(lambda x: x * stop_gradient(x)))(X), X)
