"""Derivatives of functions of arrays of a registered type are arrays of that type.

Promise: docs/reference/functional.rst
"""

import numpy as np
import pytest
from dezero_tools.functional import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from dezero_tools.testing.strict import StrictArray

from dezero_core import VariableTypeError

pytestmark = pytest.mark.usefixtures("strict_arrays")


def f(p):
    return np.sum(np.sin(p["w"]) * p["b"] ** 2)


POINT = {"w": np.array([0.1, 0.7, 1.3]), "b": np.array([2.0])}
STRICT = {name: StrictArray(x) for name, x in POINT.items()}
STEP = {"w": np.array([1.0, -2.0, 0.5]), "b": np.array([3.0])}


def values(tree):
    if isinstance(tree, dict):
        return {name: values(x) for name, x in tree.items()}
    if isinstance(tree, tuple):
        return tuple(map(values, tree))
    assert type(tree) is StrictArray
    return tree._values


def same(got, expected):
    if isinstance(expected, dict):
        assert got.keys() == expected.keys()
        got, expected = list(got.values()), list(expected.values())
    if isinstance(expected, (list, tuple)):
        for each, other in zip(got, expected, strict=True):
            same(each, other)
        return
    assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(got, expected, rtol=1e-13)


@pytest.mark.parametrize("derivative", [grad, value_and_grad, hessian])
def test_gradients_and_hessians_over_strict_arrays_equal_those_of_ndarrays(derivative):
    same(values(derivative(f)(STRICT)), derivative(f)(POINT))


def test_products_with_vectors_over_strict_arrays_equal_those_of_ndarrays():
    steps = {name: StrictArray(x) for name, x in STEP.items()}
    same(values(hvp(f)(STRICT, steps)), hvp(f)(POINT, STEP))
    _, pull_back = vjp(f, STRICT)
    same(values(pull_back(StrictArray(2.0))), vjp(f, POINT)[1](2.0))
    value, push_forward = jvp(f, STRICT)
    same(values(value), np.asarray(f(POINT)))
    same(values(push_forward(steps)), jvp(f, POINT)[1](STEP))


@pytest.mark.parametrize("x", [np.array([0.5, 2.0]), np.array([0.5 + 1.0j, 2.0])])
def test_a_jacobian_over_strict_arrays_equals_that_of_ndarrays(x):
    def g(x):
        return x[:1] * x

    jac = jacobian(g, holomorphic=True)
    same(values(jac(StrictArray(x))), jac(x))


def test_a_jacobian_without_rows_is_of_the_registered_type():
    same(values(jacobian(lambda x: x[:0])(StrictArray([1.0, 2.0]))), np.zeros((0, 2)))


def test_the_gradient_of_a_function_with_several_values_is_refused_by_their_shape():
    with pytest.raises(VariableTypeError, match=r"got an array of shape \(2,\)"):
        grad(lambda x: x * x)(StrictArray([1.0, 2.0]))


def test_a_function_that_is_differentiated_cannot_look_at_a_value():
    with pytest.raises(TypeError, match="neither true nor false"):
        grad(lambda x: x * x if x > 0 else x)(StrictArray(1.0))
