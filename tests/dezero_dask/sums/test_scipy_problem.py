"""SciPy minimizes sums over partitions.

Promise: docs/how_to/more_data_than_memory.md
"""

import numpy as np
import pytest
from scipy.optimize import minimize

import dezero_dask as dd
from dezero_tools import functional

from .problems import logistic, logistic_by_hand, made, parts

X, Y = made()
START = {"w": np.zeros(4), "b": 0.0}


def ridge(params):
    return np.sum(params["w"] ** 2)


def hessian_by_hand(params):
    z = X @ params["w"] + params["b"]
    weights = np.exp(-z) / (1 + np.exp(-z)) ** 2
    rows = np.column_stack([X, np.ones(90)])
    return rows.T @ (weights[:, None] * rows) + np.diag([2.0] * 4 + [0.0])


@pytest.mark.parametrize(
    ("method", "using"),
    [("L-BFGS-B", ()), ("trust-ncg", ("hessp",)), ("trust-exact", ("hess",))],
)
def test_each_method_finds_where_the_gradient_is_zero(method, using, client):
    problem = dd.as_scipy(logistic, START, parts(X), parts(Y), penalty=ridge)
    more = {name: getattr(problem, name) for name in using}
    found = minimize(problem.fun, problem.x0, jac=problem.jac, method=method, tol=1e-10, **more)
    params = problem.unflatten(found.x)
    _, slopes = logistic_by_hand(params, X, Y)
    assert slopes["w"] + 2 * params["w"] == pytest.approx(np.zeros(4), abs=1e-4)
    assert slopes["b"] == pytest.approx(0, abs=1e-4)


def test_value_gradient_and_hessian_are_those_by_hand():
    problem = dd.as_scipy(logistic, START, parts(X), parts(Y), penalty=ridge)
    x = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    params = problem.unflatten(x)
    value, slopes = logistic_by_hand(params, X, Y)
    assert problem.fun(x) == pytest.approx(value + ridge(params))
    assert problem.jac(x) == pytest.approx(np.append(slopes["w"] + 2 * params["w"], slopes["b"]))
    assert problem.hess(x) == pytest.approx(hessian_by_hand(params))
    assert problem.hessp(x, x) == pytest.approx(hessian_by_hand(params) @ x)


def test_the_hessian_between_arrays_of_several_parameters_is_at_its_place():
    start = {"u": np.array([[1.0, 2.0], [3.0, 4.0]]), "v": np.array([0.5, -1.0, 2.0])}

    def loss(params, x):  # the sum of u[i, j] v[k] x[i, j, k] over rows
        return np.sum(params["u"][:, :, None] * params["v"] * x)

    x = np.random.default_rng(3).standard_normal((6, 2, 2, 3))
    problem = dd.as_scipy(loss, start, parts(x, 3))
    total = x.sum(axis=0).reshape(4, 3)
    wanted = np.block([[np.zeros((4, 4)), total], [total.T, np.zeros((3, 3))]])
    assert problem.hess(problem.x0) == pytest.approx(wanted)


def test_one_step_gives_the_value_and_the_gradient():
    steps = []

    def loss(p, x, y):
        steps.append(1)
        return logistic(p, x, y)

    problem = dd.as_scipy(loss, START, [X], [Y], replay=False, check=False)
    for _ in range(3):
        problem.fun(problem.x0)
        problem.jac(problem.x0)
    assert len(steps) == 1


def test_a_start_of_complex_numbers_is_refused():
    with pytest.raises(TypeError, match="takes real arguments"):
        dd.as_scipy(logistic, {"w": 1j}, parts(X))


def test_the_problem_of_functional_takes_other_derivatives():
    problem = functional.optimize.ScipyProblem(
        np.sum, np.ones(2), value_and_grad=lambda x: (3.0, x * 2), hvp=lambda x, v: v * 5
    )
    assert problem.fun([1.0, 1.0]) == 3
    assert problem.jac([1.0, 2.0]).tolist() == [2, 4]
    assert problem.hessp([1.0, 2.0], [1.0, 2.0]).tolist() == [5, 10]
