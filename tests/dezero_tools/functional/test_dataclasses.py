"""Functions of dataclasses: their derivatives are those of the same functions of dicts.

Promise: docs/how_to/use_scipy.md
"""

from dataclasses import dataclass, field
from typing import Any

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
from dezero_tools.testing import GradientCheckError, check_gradient
from scipy.optimize import minimize

from dezero_core import Function, Variable, VariableTypeError


@dataclass(frozen=True, slots=True)
class Layer:
    w: Any
    b: Any

    def __call__(self, x):
        return np.tanh(x @ self.w + self.b)


@dataclass
class Model:
    """Refuses a rate that is none, as the derivative by the rate may be."""

    layers: list[Layer]
    rate: Any = 0.5
    bias: Any = None
    fitted: Any = field(init=False)

    def __post_init__(self):
        if not 0.0 < np.asarray(self.rate) < 1.0:
            raise ValueError

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.rate * x


def perceptron(parameters, x):
    for layer in parameters["layers"]:
        x = np.tanh(x @ layer["w"] + layer["b"])
    return parameters["rate"] * x


def a_model(seed, rate):
    """Return a Model, and the dict of the same numbers."""
    rng = np.random.default_rng(seed)
    layers = [{"w": rng.normal(size=(m, n)), "b": rng.normal(size=n)} for m, n in ((3, 2), (2, 1))]
    return Model([Layer(**layer) for layer in layers], rate), {"layers": layers, "rate": rate}


MODEL, PARAMETERS = a_model(1, 0.5)
STEP, ALONG = a_model(2, 0.25)
X = np.random.default_rng(3).normal(size=(4, 3))


def loss(model):
    return np.sum(model(X) ** 2)


def loss_of_dict(parameters):
    return np.sum(perceptron(parameters, X) ** 2)


def same(got, expected, within=np.testing.assert_array_equal):
    """Check that a tree of Models has the numbers of a tree of dicts, and its form."""
    if isinstance(expected, dict):
        assert type(got) is (Model if "layers" in expected else Layer)
        assert getattr(got, "bias", None) is None
        assert not hasattr(got, "fitted")
        for name, branch in expected.items():
            same(getattr(got, name), branch, within)
    elif isinstance(expected, (list, tuple)):
        assert type(got) is type(expected)
        for one, other in zip(got, expected, strict=True):
            same(one, other, within)
    else:
        assert type(got) is np.ndarray
        within(got, expected)


@pytest.mark.parametrize("derivative", [grad, value_and_grad])
def test_gradients_by_dataclasses_equal_those_by_dicts(derivative):
    same(derivative(loss)(MODEL), derivative(loss_of_dict)(PARAMETERS))


def test_hessians_by_dataclasses_equal_those_by_dicts():
    """In place of each array is a Model of the second derivatives."""
    same(hessian(loss)(MODEL), hessian(loss_of_dict)(PARAMETERS), same)


def test_products_along_dataclasses_equal_those_along_dicts():
    same(hvp(loss)(MODEL, STEP), hvp(loss_of_dict)(PARAMETERS, ALONG))
    value, push_forward = jvp(lambda model: model(X), MODEL)
    expected, push_dict = jvp(lambda parameters: perceptron(parameters, X), PARAMETERS)
    same([value, push_forward(STEP)], [expected, push_dict(ALONG)])
    _, pull_back = vjp(lambda model: model(X), MODEL)
    _, pull_dict = vjp(lambda parameters: perceptron(parameters, X), PARAMETERS)
    same(pull_back(value), pull_dict(value))


def test_a_function_may_return_a_dataclass():
    """By hand: the product of a Layer's fields has the derivatives b and w."""
    layer = Layer(np.array([2.0, 3.0]), np.array(5.0))

    def f(layer):
        return Layer(w=layer.w * layer.b, b=3.0)

    value, pull_back = vjp(f, layer)
    same(value, {"w": np.array([10.0, 15.0]), "b": 3.0})
    same(pull_back(Layer(np.ones(2), 0.0)), ({"w": np.array([5.0, 5.0]), "b": 5.0},))
    found = jacobian(f)(layer)
    same(found.w, {"w": 5.0 * np.eye(2), "b": layer.w})
    same(found.b, {"w": np.zeros(2), "b": 0.0})


def test_the_function_gets_a_dataclass_of_variables_and_the_argument_stays_as_it_is():
    given = []
    grad(lambda layer: given.append(layer) or np.sum(layer.w * layer.b))(MODEL.layers[1])
    (layer,) = given
    assert (type(layer), type(layer.w), type(layer.b)) == (Layer, Variable, Variable)
    assert type(MODEL.layers[1].w) is np.ndarray


def test_variables_in_a_dataclass_are_part_of_their_graph():
    """By hand: d/dw (d/dx x w b) = b, whether the Layer is differentiated by or not."""
    w = Variable(np.array(2.0))
    layer = Layer(w, 3.0)
    grad(lambda x, layer: x * layer.w * layer.b)(1.0, layer).backward()
    assert w.grad == 3.0
    w.cleargrad()
    grad(lambda layer: layer.w * layer.w * layer.b)(layer).b.backward()
    assert w.grad == 4.0


def test_a_product_with_variables_in_a_dataclass_is_part_of_their_graph():
    """By hand: the derivative of 2 v + w x**2 by w is x**2."""
    _, pull_back = vjp(lambda x: Layer(2.0 * x, x**3 / 3.0), 3.0)
    w = Variable(np.array(5.0))
    (product,) = pull_back(Layer(1.0, w))
    product.backward()
    assert (product.item(), w.grad) == (47.0, 9.0)


def test_an_argument_that_is_not_differentiated_by_may_contain_itself():
    @dataclass
    class Node:
        up: Any = None

    node = Node()
    node.up = node
    given = []
    assert grad(lambda x, node: given.append(node) or x**2)(3.0, node) == 6.0
    assert given[0] is node


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (Model([Layer(1.0, 2)]), r"argument 0\.layers\[0\]\.b, which is of int64 data"),
        (Model([Layer("a", 2.0)]), r"argument 0\.layers\[0\]\.w, got 'a'"),
    ],
)
def test_a_field_that_is_no_number_is_refused_with_its_path(model, said):
    with pytest.raises(VariableTypeError, match=said):
        grad(loss)(model)


def test_a_field_that_the_result_does_not_depend_on_is_named_in_the_warning():
    with pytest.warns(UserWarning, match=r"does not depend on argument 0\.b: the gradient is zero"):
        gradient = grad(lambda layer: layer.w**2)(Layer(3.0, 1.0))
    assert gradient == Layer(6.0, 0.0)


def test_a_vector_of_a_dataclass_with_other_fields_is_refused():
    with pytest.raises(ValueError, match=r"a Layer with the fields \['w', 'b'\], got <Model "):
        hvp(lambda layer: layer.w * layer.b)(Layer(1.0, 2.0), STEP)


def test_scipy_minimises_a_function_of_a_dataclass():
    """By hand: least where w is b and b is 3."""

    def f(layer):
        return np.sum((layer.w - layer.b) ** 2) + (layer.b - 3.0) ** 2

    problem = as_scipy(f, Layer(np.zeros(2), 0.0))
    for method, second in (("BFGS", {}), ("trust-exact", {"hess": problem.hess})):
        found = minimize(problem.fun, problem.x0, jac=problem.jac, method=method, **second)
        layer = problem.unflatten(found.x)
        assert type(layer) is Layer
        np.testing.assert_allclose([*layer.w, layer.b], [3.0, 3.0, 3.0], rtol=1e-6)
    with pytest.raises(VariableTypeError, match=r"x0\.b has complex numbers"):
        as_scipy(f, Layer(1.0, 1j))


def test_check_gradient_names_the_field_of_a_dataclass():
    class Cube(Function):
        def forward(self, x):
            return x * x * x

        def backward(self, gy):
            return gy * self.inputs[0].data ** 2

    check_gradient(loss, MODEL)
    with pytest.raises(GradientCheckError, match=r"wrong gradient by argument 0\.b, off") as caught:
        check_gradient(lambda layer: layer.w * Cube()(layer.b), Layer(2.0, 3.0))
    assert caught.value.path == "argument 0.b"


def test_check_gradient_passes_a_dataclass_without_floating_point_numbers_as_it_is():
    @dataclass
    class Options:
        axis: int

        def __post_init__(self):
            self.keepdims = True

    options, given = Options(1), []

    def f(x, options):
        given.append(options)
        return np.sum(x**2, axis=options.axis, keepdims=options.keepdims)

    check_gradient(f, X, options)
    assert all(each is options for each in given)
