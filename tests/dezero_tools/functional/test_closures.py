"""Variables of a closure get their gradients through derivatives of functions.

The truths are by hand, or central differences of the same program on plain arrays.

Promise: docs/reference/functional.rst
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from dezero_tools.functional import (
    as_scipy,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    value_and_grad,
    vjp,
)

from dezero_core import Variable, no_grad
from dezero_core import grad as gradient_of

X = np.array([0.3, -0.8])


def differences(f, w, step=1e-6):
    found = np.zeros_like(w)
    for index in np.ndindex(w.shape):
        up, down = w.copy(), w.copy()
        up[index] += step
        down[index] -= step
        found[index] = (f(up) - f(down)) / (2 * step)
    return found


#: Name -> a derivative at `X` of a function with `w` in its closure, as one number.
WAYS = {
    "grad": lambda w: np.sum(grad(lambda x: np.sum(np.sin(w * x)))(X) ** 2),
    "value_and_grad": lambda w: sum(
        np.sum(part**2) for part in value_and_grad(lambda x: np.sum(np.sin(w * x)))(X)
    ),
    "vjp": lambda w: np.sum(vjp(lambda x: np.sin(w * x), X)[1](np.ones(2))[0] ** 2),
    "value of vjp": lambda w: np.sum(vjp(lambda x: np.sin(w * x), X)[0] ** 2),
    "jvp": lambda w: np.sum(jvp(lambda x: np.sin(w * x), X)[1](np.ones(2)) ** 2),
    "value of jvp": lambda w: np.sum(jvp(lambda x: np.sin(w * x), X)[0] ** 2),
    "hvp": lambda w: np.sum(hvp(lambda x: np.sum(np.sin(w * x)))(X, np.ones(2)) ** 2),
    "jacobian": lambda w: np.sum(jacobian(lambda x: np.sin(w * x))(X) ** 2),
    "hessian": lambda w: np.sum(hessian(lambda x: np.sum(np.sin(w * x)))(X) ** 2),
    "grad of grad": lambda w: np.sum(grad(lambda x: np.sum(grad(cubes(w))(x) ** 2))(X)),
    "a value of another function": lambda w: np.sum(grad(lambda x: np.sum(vjp(cubes(w), x)[0]))(X)),
}


def cubes(w):
    return lambda x: np.sum(w * x**3)


@pytest.mark.parametrize("way", WAYS)
def test_a_derivative_in_the_middle_of_a_graph_keeps_the_gradient_of_the_closure(way):
    start = np.array([0.7, 0.4])
    w = Variable(start.copy())
    loss = WAYS[way](w)
    loss.backward()
    truth = differences(lambda v: np.asarray(WAYS[way](Variable(v)).data), start)
    np.testing.assert_allclose(w.grad, truth, rtol=1e-7)


def test_the_loss_of_a_physics_informed_network_has_its_gradient():
    """u(t) = sum(w sin(k t)) for u' = u at t = 0.4; by hand from u' = sum(w k cos(k t))."""
    w, k, t = Variable(np.array([0.7, 0.3])), np.array([1.0, 2.0]), 0.4

    def u(t):
        return np.sum(w * np.sin(k * t))

    residual = grad(u)(t) - u(t)
    (residual**2).backward()
    basis = k * np.cos(k * t) - np.sin(k * t)
    np.testing.assert_allclose(w.grad, 2 * (w.data @ basis) * basis, rtol=1e-14)


def test_a_gradient_penalty_reaches_parameters_that_are_attributes_and_globals():
    class Model:
        def __init__(self):
            self.w = Variable(np.array([[0.5, -0.2], [0.1, 0.9]]))

        def __call__(self, x):
            return np.sum(np.tanh(self.w @ x))

    model = Model()
    np.sum(grad(model)(X) ** 2).backward()

    def penalty(w):
        slope = 1 - np.tanh(w @ X) ** 2
        return np.sum((slope @ w) ** 2)

    np.testing.assert_allclose(model.w.grad, differences(penalty, model.w.data), rtol=1e-7)


def test_derivatives_reach_parameters_that_a_first_call_makes():
    """As layers do that learn the size of their input from the first batch."""
    found = {}

    def layer(x):
        w = found.setdefault("w", Variable(np.array([2.0, 3.0])))
        return np.sum(w * x**2)

    np.sum(grad(layer)(X)).backward()
    np.testing.assert_allclose(found["w"].grad, 2 * X)


def test_derivatives_reach_a_variable_inside_a_graph_that_the_user_holds():
    h = Variable(np.array([2.0, 3.0])) * 1.0  # of which the input is gone
    slope = grad(lambda x: np.sum(h * x**2))(X)
    np.testing.assert_allclose(gradient_of(np.sum(slope), h), 2 * X)


def test_a_function_that_returns_a_variable_of_its_closure_returns_its_place_in_the_graph():
    w = Variable(np.array([2.0, 3.0]))
    value, _ = vjp(lambda x: w, X)
    np.sum(value**2).backward()
    np.testing.assert_allclose(w.grad, [4.0, 6.0])


INTEGERS, W = Variable(np.array([1, 2])), Variable(np.array([1.0, 2.0]))
PULLED, PUSHED = vjp(np.sin, X)[1], jvp(np.sin, X)[1]

OWN = {
    "a constant": lambda x: np.sum(x * Variable(np.array([1.0, 2.0]))),
    "two that meet": lambda x: np.sum(Variable(np.ones(2)) * Variable(np.ones(2)) * x),
    "one that is used twice": lambda x: (lambda c: np.sum(c * x + c**2))(Variable(np.ones(2))),
    "one that is returned": lambda x: Variable(np.array(3.0)),
    "integers of the closure": lambda x: np.sum(INTEGERS * x),
    "data of the closure": lambda x: np.sum(W.data * x),
    "a product of another function": lambda x: np.sum(PULLED(x)[0]),
    "a product from the other side": lambda x: np.sum(PUSHED(x)),
}


@pytest.mark.filterwarnings("ignore:the result of <lambda> does not depend on argument 0")
@pytest.mark.parametrize("name", OWN)
def test_a_variable_that_only_a_function_holds_leaves_derivatives_plain_arrays(name):
    value, gradient = value_and_grad(OWN[name])(X)
    assert type(value) is type(gradient) is np.ndarray


def test_a_differentiated_function_that_returns_a_variable_without_data_is_refused():
    with pytest.raises(TypeError, match="must return one number"):
        grad(lambda x: Variable(None))(X)


def test_derivatives_reach_a_derivative_that_another_call_returned():
    """By hand: g = 3 x**2 = 12, d/dt (t g) = g, and (g - 2 g)**2 has by g the gradient 2 g."""
    g = grad(lambda x: x**3)(Variable(np.array(2.0)))
    loss = (grad(lambda t: t * g)(0.4) - 2.0 * g) ** 2
    assert gradient_of(loss, g) == 24.0


def test_derivatives_reach_an_outer_argument_from_another_thread():
    """By hand: x * d/dz (z**2 x) at z = 2 is 4 x**2. The block of a thread is its own."""

    def outer(x):
        with ThreadPoolExecutor(1) as threads:
            inner = threads.submit(grad(lambda z: z * z * x), 2.0)
            return inner.result() * x

    assert grad(outer)(3.0) == 24.0


@pytest.mark.parametrize("way", [vjp, jvp])
def test_functional_products_under_no_grad_are_plain_arrays(way):
    w = Variable(np.array([2.0, 3.0]))
    _, product = way(lambda x: x * w, X)
    with no_grad():
        found = product(np.ones(2))
    (array,) = found if way is vjp else (found,)
    assert type(array) is np.ndarray
    np.testing.assert_array_equal(array, [2.0, 3.0])


def test_a_plain_array_of_a_derivative_beside_a_variable_is_the_callers_own():
    w, k = Variable(np.array([2.0, 3.0])), np.array([5.0, 6.0])
    (_, own), _ = vjp(lambda x: (x * w, k), X)
    own[...] = 0.0
    np.testing.assert_array_equal(k, [5.0, 6.0])


def test_a_gradient_of_zeros_is_a_variable_beside_other_variables():
    p = Variable(np.array(2.0))
    with pytest.warns(UserWarning, match="does not depend on argument 0"):
        value, gradient = value_and_grad(lambda x: p)(1.0)
    assert isinstance(value, Variable)
    assert isinstance(gradient, Variable)
    assert gradient.item() == 0.0


def test_a_list_that_keeps_results_of_a_function_leaves_derivatives_plain_arrays():
    kept = []

    def f(x):
        kept.append(np.sum(x**2))
        return kept[-1]

    assert type(grad(f)(X)) is np.ndarray


def test_functional_derivatives_under_no_grad_are_plain_arrays():
    w = Variable(np.array([2.0, 3.0]))
    with no_grad():
        value, gradient = value_and_grad(lambda x: np.sum(w * x))(X)
    assert type(value) is type(gradient) is np.ndarray
    np.testing.assert_array_equal(gradient, [2.0, 3.0])


def test_scipy_gets_numbers_and_arrays_whatever_is_in_the_closure():
    w = Variable(np.array([2.0, 3.0]))
    problem = as_scipy(lambda x, c: np.sum(c * w * x**2), X)
    c = Variable(np.array(5.0))
    assert type(problem.fun(X, c)) is float
    for result, truth in (
        (problem.jac(X, c), 10 * w.data * X),
        (problem.hess(X, c), np.diag(10 * w.data)),
        (problem.hessp(X, np.ones(2), c), 10 * w.data),
    ):
        assert type(result) is np.ndarray
        np.testing.assert_allclose(result, truth, rtol=1e-14)


@pytest.mark.parametrize("way", [vjp, jvp])
@pytest.mark.parametrize(
    "f",
    [np.exp, np.tanh, np.sqrt, lambda x: np.exp(x).reshape(2, 1), lambda x: x],
    ids=["exp", "tanh", "sqrt", "a view", "itself"],
)
def test_the_value_beside_a_derivative_is_the_callers_own_array(f, way):
    x = np.array([0.1, 0.2])
    value, product = way(f, x)
    truth, _ = way(f, x)
    v = np.ones_like(value) if way is vjp else np.ones_like(x)
    before = product(v)
    value -= 1.0  # the residual, as everybody writes it
    np.testing.assert_array_equal(value, truth - 1.0)
    np.testing.assert_array_equal(product(v), before)


def test_values_of_a_function_that_share_an_array_become_two_arrays():
    def f(x):
        h = np.exp(x)
        return h, h * h

    (h, square), pull_back = vjp(f, X)
    before = pull_back((np.ones(2), np.ones(2)))[0]
    h -= 5.0
    square -= 5.0
    np.testing.assert_array_equal(pull_back((np.ones(2), np.ones(2)))[0], before)


@pytest.mark.parametrize("way", [vjp, jvp])
def test_an_array_that_a_differentiated_function_returns_stays_the_functions_own(way):
    c = np.array([1.0, 2.0])
    value, _ = way(lambda x: c, X)
    value -= 5.0
    np.testing.assert_array_equal(c, [1.0, 2.0])


@pytest.mark.parametrize("way", [vjp, jvp])
def test_products_of_a_function_without_a_gradient_are_zeros_of_the_callers_own(way):
    _, product = way(lambda x: np.ones(2), X)
    for _ in range(2):
        (zeros,) = product(np.ones(2)) if way is vjp else (product(np.ones(2)),)
        np.testing.assert_array_equal(zeros, [0.0, 0.0])
        zeros += 1.0


def by_grad(y, w):
    return gradient_of(y, w)


def by_backward(y, w):
    y.backward()
    return w.grad


def by_backward_that_frees(y, w):
    y.backward(free_graph=True)
    return w.grad


@pytest.mark.parametrize("inner", [by_grad, by_backward, by_backward_that_frees])
def test_a_derivative_inside_a_differentiated_function_is_differentiated(inner):
    """d/dx (x d/dw (w**2 x)) at w = 2 is d/dx 4 x**2."""

    def f(x):
        w = Variable(np.array(2.0))
        return x * inner(w * w * x, w)

    assert grad(f)(3.0) == 24.0
    assert hessian(f)(3.0) == 8.0


def test_a_derivative_under_no_grad_inside_a_differentiated_function_is_a_constant():
    def f(x):
        w = Variable(np.array(2.0))
        y = w * w * x
        with no_grad():
            slope = gradient_of(y, w)
        return x * slope

    assert grad(f)(3.0) == 12.0


def test_a_part_of_the_graph_that_the_function_unchains_has_no_gradient():
    def f(x):
        h = x * x
        y = np.sin(h)
        h.unchain()
        return np.sum(y) + np.sum(x)

    gradient = grad(f)(X)
    np.testing.assert_array_equal(gradient, np.ones_like(X))
