"""Transformations, higher derivatives and copies of Variables over dask arrays.

Promise: docs/how_to/more_data_than_memory.md
"""

import copy
import pickle

import cloudpickle
import dask
import dask.array as da
import numpy as np
import pytest
from dezero_dask.arrays.array_type import without_computing

from dezero_core import (
    GraphCopyError,
    GraphError,
    Parameter,
    Variable,
    VariableTypeError,
    grad,
    no_grad,
)
from dezero_tools import functional

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((2, 4, 3))


def chunked(x):
    return da.from_array(x, chunks=2)


def test_derivatives_along_vectors_are_lazy_and_right():
    with without_computing():
        value, push = functional.jvp(lambda x: np.sum(np.sin(x) * x, axis=1), chunked(X))
        along = push(chunked(Y)), push(Y)
    np.testing.assert_allclose(value.compute(), (np.sin(X) * X).sum(axis=1), rtol=1e-12)
    for found in along:
        wanted = ((np.cos(X) * X + np.sin(X)) * Y).sum(axis=1)
        np.testing.assert_allclose(found.compute(), wanted, rtol=1e-12)


def test_derivatives_along_vectors_of_nested_arguments_are_right():
    given = {"x": chunked(X), "y": chunked(Y.T)}
    with without_computing():
        _, push = functional.jvp(lambda p: {"xy": p["x"] @ p["y"]}, given)
        found = push({"x": chunked(Y), "y": chunked(X.T)})
    np.testing.assert_allclose(found["xy"].compute(), Y @ Y.T + X @ X.T, rtol=1e-12)


def test_products_with_a_jacobian_from_the_left_are_lazy_and_right():
    with without_computing():
        _, pull = functional.vjp(np.sin, chunked(X))
        found = pull(chunked(Y))[0], pull(Y)[0]
    for gradient in found:
        np.testing.assert_allclose(gradient.compute(), np.cos(X) * Y, rtol=1e-12)


def test_matrices_of_derivatives_are_lazy_and_right():
    x = chunked(X[0])
    with without_computing():
        jacobian = functional.jacobian(np.sin)(x)
        hessian = functional.hessian(lambda x: np.sum(x**3))(x)
    np.testing.assert_allclose(jacobian.compute(), np.diag(np.cos(X[0])), atol=1e-13)
    np.testing.assert_allclose(hessian.compute(), np.diag(6 * X[0]), atol=1e-13)


def residual(w):
    return np.sum((chunked(X) @ w["w"] + w["b"] - 1.0) ** 2)


START = {"w": np.ones(3), "b": 0.5}
MATRIX = np.concatenate([X, np.ones((4, 1))], axis=1)


def test_scipy_gets_numbers_of_a_lazy_loss_and_its_derivatives():
    problem = functional.as_scipy(residual, START)
    rest = MATRIX @ problem.x0 - 1.0
    value, gradient = problem.fun(problem.x0), problem.jac(problem.x0)
    assert (type(value), type(gradient)) == (float, np.ndarray)
    np.testing.assert_allclose(value, rest @ rest, rtol=1e-12)
    np.testing.assert_allclose(gradient, 2 * MATRIX.T @ rest, rtol=1e-12)
    hessian, product = problem.hess(problem.x0), problem.hessp(problem.x0, gradient)
    assert (type(hessian), type(product)) == (np.ndarray, np.ndarray)
    np.testing.assert_allclose(hessian, 2 * MATRIX.T @ MATRIX, rtol=1e-12)
    np.testing.assert_allclose(product, hessian @ gradient, rtol=1e-12)


def test_scipy_gets_numbers_of_a_lazy_vector_and_its_derivatives():
    problem = functional.as_scipy(lambda p: (chunked(X) @ p["w"] + p["b"]) ** 2, START)
    line = MATRIX @ problem.x0
    v = RNG.standard_normal(len(X))
    for _ in range(2):
        values, jacobian = problem.fun(problem.x0), problem.jac(problem.x0)
        hessian = problem.hess(problem.x0, v)
        assert {type(each) for each in (values, jacobian, hessian)} == {np.ndarray}
        np.testing.assert_allclose(values, line**2, rtol=1e-12)
        np.testing.assert_allclose(jacobian, 2 * line[:, None] * MATRIX, rtol=1e-12)
        np.testing.assert_allclose(hessian, 2 * MATRIX.T @ (v[:, None] * MATRIX), rtol=1e-12)


def test_scipy_computes_value_and_gradient_at_a_point_once():
    calls = []

    def counting(*args, **kwargs):
        calls.append(args)
        return dask.get(*args, **kwargs)

    problem = functional.as_scipy(residual, START)
    with dask.config.set(scheduler=counting):
        problem.fun(problem.x0)
        problem.jac(problem.x0)
        assert len(calls) == 1
        problem.hess(problem.x0)
        assert len(calls) == 2


def test_scipy_cannot_start_from_an_array_that_has_no_values():
    for x0, path in ((chunked(X), "x0"), ({"w": chunked(X)}, r"x0\['w'\]")):
        words = rf"{path} is a dask array, which is lazy.*Compute the array first"
        with without_computing(), pytest.raises(VariableTypeError, match=words) as error:
            functional.as_scipy(np.sum, x0)
        assert error.value.got is da.Array


def test_a_graph_that_is_freed_gives_its_gradient_once():
    v = Variable(chunked(X))
    with without_computing():
        y = np.sum(np.exp(v) * v)
        y.backward(free_graph=True)
        with pytest.raises(GraphError):
            y.backward()
    np.testing.assert_allclose(v.grad.compute(), np.exp(X) * (X + 1), rtol=1e-12)


def test_gradients_in_between_are_kept_in_the_chunks_of_their_arrays():
    v = Variable(chunked(X))
    with without_computing():
        u = np.exp(v)
        y = np.sum(u * v)
        y.backward(retain_grad=True)
    assert u.grad.chunks == u.data.chunks
    np.testing.assert_array_equal(u.grad.compute(), X)
    np.testing.assert_array_equal(y.grad.compute(), 1.0)


def third_derivative(made):
    a, b = Variable(made(X)), Variable(made(Y))
    y = np.sum(np.sin(a) * a**3) + np.sum(np.tanh(a @ b.T) ** 2)
    of_a, of_b = grad(y, [a, b], create_graph=True)
    of_a, of_b = grad(np.sum(of_a * of_b), [a, b], create_graph=True)
    return grad(np.sum(of_a**2) + np.sum(of_b), [a, b], create_graph=True)


def test_third_derivatives_are_lazy_and_those_of_ndarrays():
    with without_computing():
        found = third_derivative(chunked)
    for x, wanted in zip(found, third_derivative(np.copy), strict=True):
        assert x.data.chunks == chunked(X).chunks
        np.testing.assert_allclose(x.to_numpy(), wanted.data, rtol=1e-9, atol=1e-9)


COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "cloudpickle": lambda x: cloudpickle.loads(cloudpickle.dumps(x)),
}


@pytest.mark.parametrize("name", COPIES)
def test_an_input_is_copied_with_its_gradient_and_nothing_is_computed(name):
    v = Parameter(chunked(X), name="w")
    with without_computing():
        np.sum(v * v).backward()
        found = COPIES[name](v)
    assert (type(found), found.name) == (Parameter, "w")
    np.testing.assert_array_equal(found.to_numpy(), X)
    np.testing.assert_array_equal(found.grad.compute(), 2 * X)


@pytest.mark.parametrize("name", COPIES)
def test_a_result_is_not_copied_without_its_graph(name):
    v = Variable(chunked(X))
    y = np.exp(v)
    y.backward(create_graph=True)
    for x in (y, v):
        with without_computing(), pytest.raises(GraphCopyError):
            COPIES[name](x)


def test_without_gradients_a_calculation_is_lazy_and_has_no_graph():
    v = Variable(chunked(X))
    with without_computing(), no_grad():
        y = np.sum(np.exp(v) @ Y.T)
    assert y.creator is None
    np.testing.assert_allclose(y.to_numpy(), np.sum(np.exp(X) @ Y.T), rtol=1e-12)
