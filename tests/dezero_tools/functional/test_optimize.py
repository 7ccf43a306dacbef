"""as_scipy: every method of SciPy that uses derivatives gets the right ones.

Promise: docs/how_to/use_scipy.md
"""

import numpy as np
import pytest
from dezero_tools.functional import as_scipy
from scipy.optimize import approx_fprime, check_grad, minimize

from dezero_core import Variable, VariableTypeError

A = np.array([[3.0, 1.0], [1.0, 2.0]])
START = {"w": np.array([[1.0, -1.0]]), "rest": (0.5, [np.array([2.0])])}


def bowl(p):
    """Least where w = (1, 2), and the others are 3 and 4."""
    w = p["w"][0] - np.array([1.0, 2.0])
    return w @ A @ w + (p["rest"][0] - 3.0) ** 4 + np.sum((p["rest"][1][0] - 4.0) ** 2)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def test_the_derivatives_for_scipy_are_those_of_the_flat_function():
    problem = as_scipy(bowl, START)
    assert problem.x0.tolist() == [1.0, -1.0, 0.5, 2.0]
    x = np.array([0.3, 0.7, -0.2, 1.1])
    assert problem.fun(x) == bowl({"w": x[None, :2], "rest": (x[2], [x[3:]])})
    assert check_grad(problem.fun, problem.jac, x) < 1e-4
    by_differences = [approx_fprime(x, lambda x, i=i: problem.jac(x)[i]) for i in range(4)]
    np.testing.assert_allclose(problem.hess(x), by_differences, rtol=1e-5, atol=1e-5)
    v = np.array([1.0, 2.0, -3.0, 0.5])
    np.testing.assert_allclose(problem.hessp(x, v), problem.hess(x) @ v, rtol=1e-12)


def test_a_vector_of_scipy_is_given_the_form_of_the_first_guess():
    tree = as_scipy(bowl, START).unflatten(np.arange(4.0))
    np.testing.assert_array_equal(tree["w"], [[0.0, 1.0]])
    assert tree["rest"][0] == 2.0
    np.testing.assert_array_equal(tree["rest"][1][0], [3.0])


@pytest.mark.parametrize(
    ("method", "derivatives"),
    [
        ("BFGS", ("jac",)),
        ("L-BFGS-B", ("jac",)),
        ("Newton-CG", ("jac", "hessp")),
        ("trust-ncg", ("jac", "hessp")),
        ("trust-exact", ("jac", "hess")),
    ],
)
def test_the_methods_of_scipy_find_the_minimum(method, derivatives):
    problem = as_scipy(rosenbrock, np.array([-1.2, 1.0, 0.7]))
    given = {name: getattr(problem, name) for name in derivatives}
    found = minimize(problem.fun, problem.x0, method=method, tol=1e-10, **given)
    np.testing.assert_allclose(problem.unflatten(found.x), np.ones(3), rtol=1e-5)


def test_value_and_gradient_for_scipy_are_computed_once_at_a_point():
    calls = []

    def counted(x):
        calls.append(1)
        return np.sum(x**2)

    problem = as_scipy(counted, np.ones(2))
    x = np.array([1.0, 2.0])
    problem.fun(x), problem.jac(x)
    assert len(calls) == 1
    x[0] = 5.0  # SciPy writes into its own vectors
    assert problem.fun(x) == 29.0
    gradient = problem.jac(x)
    gradient[:] = 0.0
    np.testing.assert_array_equal(problem.jac(x), [10.0, 4.0])


def test_integers_as_first_guess_for_scipy_are_converted_to_floats():
    assert as_scipy(lambda x: np.sum(x**2), [1, 2]).x0.dtype == float


def test_a_complex_first_guess_for_scipy_is_refused():
    with pytest.raises(VariableTypeError, match="real and imaginary parts"):
        as_scipy(lambda x: x, 1.0j)


def test_further_arguments_of_scipy_are_passed_to_the_function():
    problem = as_scipy(lambda x, c, power: np.sum(np.abs(x - c) ** power), np.zeros(2))
    args = (np.array([1.0, -2.0]), 4.0)
    found = minimize(
        problem.fun, problem.x0, args, "trust-exact", problem.jac, problem.hess, tol=1e-12
    )
    np.testing.assert_allclose(found.x, args[0], atol=1e-3)
    x, v = np.array([0.5, 0.5]), np.array([1.0, 2.0])
    np.testing.assert_allclose(problem.hessp(x, v, *args), problem.hess(x, *args) @ v)


def test_none_in_the_first_guess_takes_no_place_in_the_vector_of_scipy():
    problem = as_scipy(lambda p: np.sum(p["w"] ** 2), {"w": np.ones(2), "b": None})
    np.testing.assert_array_equal(problem.x0, [1.0, 1.0])
    assert problem.unflatten(problem.x0)["b"] is None
    assert as_scipy(lambda p: 1.0, {}).x0.shape == (0,)


def misfit(p, c, power=2.0):
    return np.sum(np.abs(p["x"] - c) ** power)


def test_args_are_passed_to_the_function_of_scipy_before_those_of_scipy():
    c = np.array([1.0, -2.0])
    problem = as_scipy(misfit, {"x": np.zeros(2)}, args=(c,))
    found = minimize(problem.fun, problem.x0, jac=problem.jac, hess=problem.hess, method="dogleg")
    np.testing.assert_allclose(problem.unflatten(found.x)["x"], c, atol=1e-6)
    x, v = np.array([0.5, 0.5]), np.array([1.0, 2.0])
    assert problem.fun(x, 4.0) == misfit({"x": x}, c, 4.0)
    by_hand = 12.0 * np.diag((x - c) ** 2)
    np.testing.assert_allclose(problem.hess(x, 4.0), by_hand)
    np.testing.assert_allclose(problem.hessp(x, v, 4.0), by_hand @ v)
    np.testing.assert_allclose(problem.hessp(x, v), 2.0 * v)


def test_an_argument_for_the_function_of_scipy_that_is_no_tuple_is_the_only_one():
    problem = as_scipy(misfit, {"x": np.zeros(2)}, args=np.array([1.0, -2.0]))
    assert problem.fun([0.0, 0.0]) == 5.0
    assert as_scipy(lambda x, other: x * other, 2.0, 3.0).fun([2.0]) == 6.0


def test_a_value_that_scipy_got_with_arguments_is_not_the_one_without():
    problem = as_scipy(misfit, {"x": np.zeros(2)}, args=(np.array([1.0, -2.0]),))
    x = np.zeros(2)
    assert [problem.fun(x, 1.0), problem.fun(x), problem.fun(x, 4.0), problem.fun(x)] == [
        3.0,
        5.0,
        17.0,
        5.0,
    ]


def test_a_problem_for_scipy_shows_its_function_and_how_many_numbers_it_has():
    assert repr(as_scipy(bowl, START)) == "<ScipyProblem of bowl: 4 numbers>"
    assert repr(as_scipy(np.sin, 1.0)) == "<ScipyProblem of sin: 1 number>"


def test_variables_as_first_guess_for_scipy_stand_for_their_data():
    problem = as_scipy(lambda p: np.sum(p["w"] ** 2), {"w": Variable(np.array([1.0, 2.0]))})
    assert (type(problem.x0), problem.jac(problem.x0).tolist()) == (np.ndarray, [2.0, 4.0])


def test_a_masked_first_guess_for_scipy_is_refused_and_not_stripped_of_its_mask():
    with pytest.raises(VariableTypeError, match=r"x0\['w'\] is a MaskedArray"):
        as_scipy(lambda p: np.sum(p["w"]), {"w": np.ma.array([1.0], mask=[True])})
