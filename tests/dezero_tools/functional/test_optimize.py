"""as_scipy: every method of SciPy that uses derivatives gets the right ones.

Promise: docs/how_to/use_scipy.md
"""

import numpy as np
import pytest
from dezero_tools.functional import as_scipy, with_gradient
from scipy.optimize import (
    NonlinearConstraint,
    approx_fprime,
    check_grad,
    fsolve,
    least_squares,
    minimize,
    root,
)

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


T = np.linspace(0.0, 4.0, 20)
SEEN = 3.0 * np.exp(-0.7 * T) + 0.5


def residuals(p, t=T, seen=SEEN):
    """Zero where the height is 3, the rate 0.7, and the floor 0.5."""
    height, rate = p["shape"]
    return height * np.exp(-rate * t) + p["floor"] - seen


FIRST = {"shape": np.array([1.0, 1.0]), "floor": 0.0}


def system(p):
    """Fewer numbers than parameters."""
    w = p["w"][0]
    return np.stack([w[0] ** 2 * w[1], np.sin(p["rest"][0]) * p["rest"][1][0][0] + w[0]])


@pytest.mark.parametrize(("f", "start"), [(residuals, FIRST), (system, START)])
def test_the_jacobian_and_the_hessian_of_a_vector_are_those_of_differences(f, start):
    problem = as_scipy(f, start)
    n, random = problem.x0.size, np.random.default_rng(0)
    x = random.normal(size=n)
    values, jacobian = problem.fun(x), problem.jac(x)
    np.testing.assert_array_equal(values, f(problem.unflatten(x)))
    assert jacobian.shape == (values.size, n)
    np.testing.assert_allclose(jacobian, approx_fprime(x, problem.fun), rtol=1e-5, atol=1e-5)
    v = random.normal(size=values.size)
    if f is residuals:
        problem = as_scipy(f, start, args=(T, SEEN))
    by_differences = approx_fprime(x, lambda x: v @ problem.jac(x))
    np.testing.assert_allclose(problem.hess(x, v), by_differences, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(problem.hess(x, v.tolist()), problem.hess(x, v))


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_least_squares_finds_the_parameters_of_a_curve(method):
    problem = as_scipy(residuals, FIRST)
    found = least_squares(problem.fun, problem.x0, jac=problem.jac, method=method, xtol=1e-12)
    p = problem.unflatten(found.x)
    np.testing.assert_allclose(p["shape"], [3.0, 0.7], rtol=1e-6)
    np.testing.assert_allclose(p["floor"], 0.5, rtol=1e-6)


def test_least_squares_passes_further_arguments_to_a_vector():
    problem = as_scipy(residuals, FIRST)
    args = (T[::2], SEEN[::2] + 1.0)
    found = least_squares(problem.fun, problem.x0, jac=problem.jac, args=args, xtol=1e-12)
    np.testing.assert_allclose(found.x, [3.0, 0.7, 1.5], rtol=1e-6)


def crossing(x):
    """A list of numbers, as in the manual of SciPy's `fsolve`."""
    return [x[0] * np.cos(x[1]) - 4.0, x[1] * x[0] - x[1] - 5.0]


@pytest.mark.parametrize("method", ["hybr", "lm"])
def test_a_root_of_a_list_of_numbers_is_found(method):
    problem = as_scipy(crossing, np.ones(2))
    found = root(problem.fun, problem.x0, jac=problem.jac, method=method, tol=1e-12)
    np.testing.assert_allclose(crossing(found.x), [0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(found.x, fsolve(crossing, np.ones(2)), rtol=1e-6)


@pytest.mark.parametrize("shape", [(), (1,)])
def test_one_equation_for_one_number_is_solved(shape):
    problem = as_scipy(lambda x: np.reshape(x**2 - 2.0, shape), 1.0)
    assert problem.jac(problem.x0).shape == (1,)
    for found in (
        root(problem.fun, problem.x0, jac=problem.jac),
        least_squares(problem.fun, problem.x0, jac=problem.jac),
    ):
        np.testing.assert_allclose(found.x, [np.sqrt(2.0)])


@pytest.mark.parametrize("method", ["trust-constr", "SLSQP"])
@pytest.mark.parametrize(
    ("f", "low", "high"),
    [
        (lambda p: p["x"] ** 2 + p["y"] ** 2, -np.inf, 2.0),
        (lambda p: np.reshape(p["x"] ** 2 + p["y"] ** 2, 1), -np.inf, 2.0),
        (lambda p: [p["x"] ** 2 + p["y"] ** 2, p["x"] - p["y"]], -np.inf, [2.0, 0.5]),
    ],
    ids=["a number", "a vector of one", "a list"],
)
def test_a_constraint_that_is_not_linear_is_kept(f, low, high, method):
    """The least sum of two numbers whose squares add up to 2 at most has both of them at -1."""
    start = {"x": -0.5, "y": 0.3}
    goal, limit = as_scipy(lambda p: p["x"] + p["y"], start), as_scipy(f, start)
    derivatives, second = {"jac": limit.jac}, {}
    if method == "trust-constr":
        derivatives["hess"], second = limit.hess, {"hess": goal.hess}
    constraint = NonlinearConstraint(limit.fun, low, high, **derivatives)
    found = minimize(goal.fun, goal.x0, (), method, goal.jac, constraints=constraint, **second)
    np.testing.assert_allclose(found.x, [-1.0, -1.0], atol=1e-3)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_the_weight_of_one_number_multiplies_its_hessian(shape):
    problem = as_scipy(lambda p: np.reshape(bowl(p), shape), START)
    x = np.array([0.3, 0.7, -0.2, 1.1])
    np.testing.assert_allclose(problem.hess(x, np.array([3.0])), 3.0 * problem.hess(x))


def scaled(x, scale=1.0):
    return scale * x**3


def test_what_may_be_weights_or_an_argument_is_refused_by_the_hessian_of_a_vector():
    x, v = np.array([1.0, 2.0]), np.array([1.0, -1.0])
    with pytest.raises(TypeError, match=r"argument of scaled.*Pass the arguments of scaled to"):
        as_scipy(scaled, x).hess(x, v)
    np.testing.assert_allclose(as_scipy(scaled, x, args=2.0).hess(x, v), np.diag([12.0, -24.0]))
    with pytest.raises(TypeError, match="argument of max"):  # which has no signature
        as_scipy(max, x).hess(x, v)
    np.testing.assert_array_equal(
        as_scipy(lambda x, c: np.sum(c * x**3), x).hess(x, v), [[6, 0], [0, -12]]
    )


def test_a_vector_for_scipy_is_computed_without_a_graph_once_it_is_known_to_be_one():
    types = []

    def f(x):
        types.append(type(x))
        return x**2

    problem = as_scipy(f, np.ones(2))
    problem.fun([1.0, 2.0]), problem.fun([3.0, 4.0])
    assert types == [Variable, np.ndarray]


@pytest.mark.parametrize(("given", "got"), [((), "no v"), ((np.ones(3),), r"one of \(3,\)")])
def test_a_hessian_of_a_vector_needs_a_weight_for_each_number(given, got):
    problem = as_scipy(system, START)
    with pytest.raises(ValueError, match=rf"system returns 2 numbers.*of shape \(2,\).*{got}"):
        problem.hess(problem.x0, *given)


@pytest.mark.parametrize(
    ("f", "got"),
    [
        (lambda x: np.outer(x, x), r"float64\[2, 2\]. np.ravel"),
        (lambda x: x[:0], r"float64\[0\]"),
        (lambda x: [], "a list"),
        (lambda x: 1j * x, r"complex128\[2\]"),
        (lambda x: (np.sum(x), x), "a tuple. "),
        (lambda x: {"x": x}, "a dict. "),
        (lambda x: None, "a NoneType"),
    ],
)
def test_a_result_that_scipy_cannot_use_is_refused(f, got):
    problem = as_scipy(f, np.ones(2))
    for method in (problem.fun, problem.jac, problem.hess):
        with pytest.raises(VariableTypeError, match=f"one number, or a vector.*, got {got}"):
            method(problem.x0)


def test_a_result_for_scipy_without_numbers_is_refused_with_its_place():
    with pytest.raises(VariableTypeError, match=r"result of <lambda>\[1\] is of <U1 data"):
        as_scipy(lambda x: [x, "a"], 1.0).fun([1.0])


def test_a_vector_that_depends_on_nothing_has_a_jacobian_of_zeros():
    problem = as_scipy(lambda x: [1, 2.0, x[1]], np.ones(2))
    np.testing.assert_array_equal(problem.fun([3.0, 4.0]), [1.0, 2.0, 4.0])
    np.testing.assert_array_equal(problem.jac([3.0, 4.0]), [[0.0, 0.0], [0.0, 0.0], [0.0, 1.0]])


def test_rows_columns_and_hessians_for_scipy_are_computed_in_one_pass():
    passes = []

    def backward(gy, y, x):
        passes.append(1)
        return gy * np.cos(x)

    sine = with_gradient(np.sin, backward)
    few = as_scipy(lambda p: [sine(p["x"])[0], p["y"]], {"x": np.ones(4), "y": 2.0})
    number = as_scipy(lambda p: np.sum(sine(p["x"])) * p["y"], {"x": np.ones(4), "y": 2.0})
    for compute in (few.jac, number.hess):
        passes.clear()
        compute(few.x0)
        assert len(passes) <= 2  # the gradient, and its derivative


def test_a_vector_for_scipy_is_the_callers_own_whatever_is_in_the_closure():
    w = Variable(np.array([2.0, 3.0]))
    problem = as_scipy(lambda x: w * x**2, np.ones(2))
    for _ in range(2):  # the second value is computed without a graph
        for x in ([1.0, 2.0], [3.0, 4.0]):
            y, jacobian = problem.fun(x), problem.jac(x)
            assert (type(y), type(jacobian)) == (np.ndarray, np.ndarray)
            y[:] = jacobian[:] = 0.0
            np.testing.assert_array_equal(problem.fun(x), w.data * np.square(x))
            np.testing.assert_array_equal(problem.jac(x), np.diag(2.0 * w.data * x))


def test_a_function_for_scipy_may_return_a_vector_and_then_a_number():
    problem = as_scipy(lambda x, n: x[:n] ** 2, np.ones(2))
    x = np.array([3.0, 4.0])
    np.testing.assert_array_equal(problem.jac(x, 2), [[6.0, 0.0], [0.0, 8.0]])
    assert problem.fun(x, 1) == 9.0
    np.testing.assert_array_equal(problem.jac(x, 1), [6.0, 0.0])
