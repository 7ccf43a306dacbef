"""grad, jacobian, hessian and their products: against SymPy, JAX and formulas by hand.

Promise: docs/reference/functional.rst
"""

import gc
import math
import re
from collections import OrderedDict, namedtuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy
from dezero_tools.functional import (
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    value_and_grad,
    vjp,
)

from dezero_core import Variable, VariableTypeError, no_grad

from .book import FUNCTIONS, of_vector, perceptron

jax.config.update("jax_enable_x64", True)

POINTS = [(1.0, 1.0), (-0.7, 0.4), (2.5, -1.25)]
X = np.array([0.3, -1.2, 0.7])


def by_sympy(function, what, point):
    """Return the gradient or the Hessian of a function of two numbers, by algebra."""
    x, y = sympy.symbols("x y")
    formula = function(x, y)
    if what == "gradient":
        found = [sympy.diff(formula, s) for s in (x, y)]
    else:
        found = sympy.hessian(formula, (x, y))
    exact = {s: sympy.Rational(value) for s, value in zip((x, y), point, strict=True)}
    return np.array(sympy.Matrix(found).subs(exact).evalf(30), dtype=float)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("point", POINTS)
class TestOfTheFunctionsOfTheBook:
    def test_grad_agrees_with_algebra(self, function, point):
        truth = by_sympy(function, "gradient", point).ravel()
        np.testing.assert_allclose(grad(function, (0, 1))(*point), truth, rtol=1e-12, atol=1e-12)
        got = jacobian(of_vector(function))(np.array(point))
        np.testing.assert_allclose(got, truth, rtol=1e-12, atol=1e-12)

    def test_hessian_agrees_with_algebra(self, function, point):
        truth = by_sympy(function, "hessian", point)
        got = hessian(of_vector(function))(np.array(point))
        np.testing.assert_allclose(got, truth, rtol=1e-11, atol=1e-11)
        nested = hessian(function, (0, 1))(*point)
        np.testing.assert_allclose(nested, truth, rtol=1e-11, atol=1e-11)

    def test_functional_products_agree_with_hessian_and_jacobian_matrices(self, function, point):
        f, x, v = of_vector(function), np.array(point), np.array([0.3, -2.0])
        np.testing.assert_allclose(hvp(f)(x, v), hessian(f)(x) @ v, rtol=1e-11)
        _, push_forward = jvp(grad(f), x)
        np.testing.assert_allclose(push_forward(v), hessian(f)(x) @ v, rtol=1e-11)


RNG = np.random.default_rng(3)


class TestOfANetwork:
    parameters = tuple(
        {"w": RNG.normal(size=(m, n)) / m, "b": RNG.normal(size=n)}
        for m, n in ((3, 4), (4, 3), (3, 2))
    )
    x, t = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 2))

    def loss(self, parameters):
        return np.mean((perceptron(parameters, self.x) - self.t) ** 2)

    def loss_in_jax(self, parameters):
        *hidden, last = parameters
        x = self.x
        for layer in hidden:
            x = jnp.tanh(x @ layer["w"] + layer["b"])
        return jnp.mean((x @ last["w"] + last["b"] - self.t) ** 2)

    def check(self, got, truth):
        got, truth = jax.tree.flatten(got), jax.tree.flatten(truth)
        assert got[1] == truth[1]
        for a, b in zip(got[0], truth[0], strict=True):
            assert type(a) is np.ndarray
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-13)

    def test_value_and_grad_agree_with_jax(self):
        value, gradient = value_and_grad(self.loss)(self.parameters)
        expected, truth = jax.value_and_grad(self.loss_in_jax)(self.parameters)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        self.check(gradient, truth)

    def test_jacobian_agrees_with_jax(self):
        got = jacobian(perceptron)(self.parameters[:1], self.x)
        truth = jax.jacobian(lambda p: jnp.asarray(self.x) @ p[0]["w"] + p[0]["b"])(
            self.parameters[:1]
        )
        self.check(got, truth)

    def test_hessian_agrees_with_jax(self):
        self.check(
            hessian(self.loss)(self.parameters), jax.hessian(self.loss_in_jax)(self.parameters)
        )

    def test_hessian_vector_product_agrees_with_jax(self):
        v = jax.tree.map(np.cos, self.parameters)
        truth = jax.jvp(jax.grad(self.loss_in_jax), (self.parameters,), (v,))[1]
        self.check(hvp(self.loss)(self.parameters, v), truth)

    def test_products_with_the_jacobian_agree_with_jax(self):
        def outputs(parameters):
            return perceptron(parameters, self.x)

        def in_jax(parameters):
            *hidden, last = parameters
            x = self.x
            for layer in hidden:
                x = jnp.tanh(x @ layer["w"] + layer["b"])
            return x @ last["w"] + last["b"]

        along = jax.tree.map(np.cos, self.parameters)
        y, push_forward = jvp(outputs, self.parameters)
        expected, truth = jax.jvp(in_jax, (self.parameters,), (along,))
        np.testing.assert_allclose(y, expected, rtol=1e-12)
        np.testing.assert_allclose(push_forward(along), truth, rtol=1e-11)
        y, pull_back = vjp(outputs, self.parameters)
        self.check(pull_back(self.t), jax.vjp(in_jax, self.parameters)[1](self.t))


@pytest.mark.parametrize("order", range(6))
def test_nested_grads_give_higher_orders(order):
    """By hand: the derivatives of the sine are sines, a quarter turn further each time."""
    f = np.sin
    for _ in range(order):
        f = grad(f)
    np.testing.assert_allclose(f(0.7), np.sin(0.7 + order * np.pi / 2), rtol=1e-12)


def test_an_inner_derivative_depends_on_the_outer_argument_by_every_way():
    """By hand: d/dx x * d/dy (x y) = d/dx x * x = 2 x; the inner argument may be a number."""
    assert grad(lambda x: x * grad(lambda y: x * y)(1.0))(3.0) == 6.0
    assert grad(lambda x: x * grad(lambda y: x + y)(1.0))(3.0) == 1.0


def test_an_inner_argument_differs_from_an_outer_argument_of_equal_identity():
    """By hand: d/dy (y x) = x at y = x, not 2 x."""
    inner = []
    grad(lambda x: inner.append(grad(lambda y: y * x)(x).data) or x)(3.0)
    assert inner == [3.0]


def test_a_derivative_by_a_variable_is_part_of_its_graph():
    x = Variable(np.array(2.0))
    grad(lambda y: y**3)(x).backward()
    assert x.grad == 12.0


Pair = namedtuple("Pair", "a b")


def test_functional_gradients_have_the_form_of_the_arguments():
    trees = OrderedDict(w=[X, (X, 2.0)], b=Pair(X, np.array([[1.0]])))
    with pytest.warns(UserWarning, match=r"argument 0\['w'\]\[0\] and argument 0\['b'\]\.b:"):
        gradient = grad(lambda p: np.sum(p["w"][1][0] ** 2) + p["w"][1][1] * p["b"].a[0])(trees)
    assert type(gradient) is OrderedDict
    assert list(gradient) == ["w", "b"]
    assert type(gradient["b"]) is Pair
    np.testing.assert_array_equal(gradient["w"][0], np.zeros(3))
    np.testing.assert_array_equal(gradient["w"][1][0], 2.0 * X)
    assert gradient["w"][1][1] == X[0]
    np.testing.assert_array_equal(gradient["b"].a, [2.0, 0.0, 0.0])
    np.testing.assert_array_equal(gradient["b"].b, [[0.0]])


def test_argnums_chooses_arguments_also_from_the_end():
    def f(x, y, z=1.0):
        return x * y**2 * z

    assert grad(f, 1)(3.0, 2.0) == 12.0
    assert grad(f, -1)(3.0, 2.0) == 12.0
    assert grad(f, (1, 0))(3.0, 2.0) == (12.0, 4.0)
    assert grad(f)(3.0, 2.0, z=10.0) == 40.0
    assert hvp(f, 1)(3.0, 2.0, 1.0) == 6.0
    assert hvp(f, (0, 1))(3.0, 2.0, (1.0, 0.0)) == (0.0, 4.0)


def test_a_jacobian_has_the_form_of_outputs_and_of_inputs():
    def f(p):
        return {"square": p["a"] ** 2, "sum": np.sum(p["a"]) * p["b"]}

    found = jacobian(f)({"a": X, "b": 2.0})
    np.testing.assert_allclose(found["square"]["a"], np.diag(2.0 * X))
    np.testing.assert_array_equal(found["square"]["b"], np.zeros(3))
    np.testing.assert_array_equal(found["sum"]["a"], [2.0, 2.0, 2.0])
    np.testing.assert_allclose(found["sum"]["b"], X.sum())


def test_a_jacobian_of_matrices_has_the_axes_of_outputs_and_of_inputs():
    m = np.arange(6.0).reshape(2, 3)
    found = jacobian(lambda m: m.T)(m)
    assert found.shape == (3, 2, 2, 3)
    np.testing.assert_array_equal(np.einsum("ijkl,kl->ij", found, m), m.T)


def test_a_jacobian_of_no_outputs_is_empty():
    assert jacobian(lambda x: x[:0])(X).shape == (0, 3)
    assert jacobian(lambda x: x**2)(X[:0]).shape == (0, 0)


def test_a_complex_function_of_real_arguments_has_a_complex_jacobian():
    found = jacobian(lambda x: np.exp(1j * x))(X)
    np.testing.assert_allclose(found, np.diag(1j * np.exp(1j * X)), rtol=1e-15)


def test_the_jacobian_of_an_analytic_function_is_its_complex_derivative():
    z = X + 1j * X[::-1]
    found = jacobian(lambda z: z**3, holomorphic=True)(z)
    np.testing.assert_allclose(found, np.diag(3.0 * z**2), rtol=1e-14)


@pytest.mark.parametrize(
    ("f", "holomorphic"), [(lambda z: z**2, False), (lambda z: np.abs(z), True)]
)
def test_a_jacobian_that_does_not_exist_is_refused(f, holomorphic):
    with pytest.raises(VariableTypeError, match="only if it is analytic and has complex values"):
        jacobian(f, holomorphic=holomorphic)(X + 1j)


def test_a_step_against_a_functional_gradient_by_a_complex_argument_descends():
    z = grad(lambda z: np.sum(np.abs(z - 2.0j) ** 2))(np.array([1.0 + 0.0j]))
    np.testing.assert_allclose(z, [2.0 - 4.0j])


def test_functional_products_with_complex_vectors_agree_with_real_derivatives():
    """By hand: along dz the derivative of conj(z)**2 is 2 conj(z) conj(dz)."""
    z, dz = X + 1j, X[::-1] - 0.5j
    y, push_forward = jvp(lambda z: np.conj(z) ** 2, z)
    np.testing.assert_allclose(y, np.conj(z) ** 2)
    np.testing.assert_allclose(push_forward(dz), 2.0 * np.conj(z) * np.conj(dz), rtol=1e-14)


def test_a_result_that_does_not_depend_on_the_argument_has_zeros_as_gradient():
    with pytest.warns(UserWarning, match="does not depend on argument 0"):
        assert grad(lambda x: 3.0)(2.0) == 0.0
    np.testing.assert_array_equal(jacobian(lambda x: np.ones(2))(X), np.zeros((2, 3)))
    y, push_forward = jvp(lambda x: (np.ones(2), x), X)
    np.testing.assert_array_equal(push_forward(X)[0], np.zeros(2))
    np.testing.assert_array_equal(hessian(lambda x: np.sum(x))(X), np.zeros((3, 3)))
    np.testing.assert_array_equal(y[0], np.ones(2))


def test_functional_derivatives_by_arrays_are_plain_arrays():
    with pytest.warns(UserWarning, match="does not depend on argument 0"):
        value, gradient = value_and_grad(lambda x: 2.0)(np.float32(1.0))
    assert (type(value), type(gradient), gradient.dtype) == (np.ndarray, np.ndarray, np.float32)
    y, pull_back = vjp(lambda x: {"a": x * 2.0}, X)
    assert type(y["a"]) is np.ndarray
    assert type(pull_back({"a": X})[0]) is np.ndarray


def test_grad_differentiates_under_no_grad():
    with no_grad():
        assert grad(lambda x: x**2)(3.0) == 6.0
        assert hessian(lambda x: x**3)(2.0) == 12.0


def test_the_pull_back_of_vjp_may_be_called_twice():
    _, pull_back = vjp(lambda x, y: x * y, X, 2.0 * X)
    for _ in range(2):
        gx, gy = pull_back(np.ones(3))
        np.testing.assert_array_equal(gx, 2.0 * X)
        np.testing.assert_array_equal(gy, X)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: grad(lambda x: x)(3), r"int64 data.*3\.0 for 3"),
        (lambda: grad(lambda x: x)(np.arange(3)), "int64 data"),
        (lambda: grad(lambda x: x)(X), r"one number.*shape \(3,\)"),
        (lambda: grad(lambda x: None)(3.0), "one number.*NoneType"),
        (lambda: grad(lambda x: x * 1j)(3.0), "a real number"),
        (lambda: grad(lambda x: x, 1)(3.0), "argument 1, but was called with 1"),
        (lambda: grad(lambda x: x)(), "argument 0, but was called with 0"),
        (lambda: grad(lambda x: x)("a"), "<U1"),
    ],
)
def test_a_function_without_a_gradient_is_a_type_error_that_says_why(call, said):
    with pytest.raises(TypeError, match=said):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: vjp(lambda x: x, X)[1](np.ones(2)),
        lambda: jvp(lambda x: x, X)[1](np.ones((1, 3))),
        lambda: hvp(lambda x: np.sum(x**2))(X, np.ones(2)),
    ],
)
def test_a_vector_of_another_shape_in_a_product_is_refused_with_both_shapes(call):
    with pytest.raises(ValueError, match=r"needs arrays of shapes \[\(3,\)\], got"):
        call()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: jvp(lambda x: x, X)[1](X, X), "expected a sequence of 1"),
        (lambda: vjp(lambda x: {"a": x}, X)[1]({"b": X}), r"the keys \['a'\]"),
        (lambda: vjp(lambda x: {"a": x}, X)[1]([X]), r"the keys \['a'\]"),
        (lambda: vjp(lambda x: [x, x], X)[1]({"b": X}), "expected a sequence of 2"),
    ],
)
def test_a_vector_of_another_form_in_a_product_is_a_value_error(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_the_order_of_keys_of_a_vector_in_a_product_does_not_matter():
    """By hand: along (da, db) the derivative of a**2 + b**3 is 2 a da + 3 b**2 db."""
    point, along = {"a": 2.0, "b": 3.0}, {"b": 10.0, "a": 1.0}
    assert jvp(lambda p: p["a"] ** 2 + p["b"] ** 3, point)[1](along) == 274.0
    assert hvp(lambda p: p["a"] ** 2 + p["b"] ** 3)(point, along) == {"a": 2.0, "b": 180.0}


def test_a_failing_differentiated_function_leaves_no_objects_alive():
    def failing(x):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        grad(failing)(1.0)
    assert type(grad(lambda x: x)(1.0)) is np.ndarray  # not as inside another function


def test_a_functional_derivative_has_name_and_documentation_of_its_function():
    def energy(x):
        """Of a spring."""
        return x**2

    assert (grad(energy).__name__, hessian(energy).__doc__) == ("energy", "Of a spring.")


def test_a_functional_product_is_differentiated_by_its_vector():
    """By hand: the gradient of sum(c v cos(x)) by v is c cos(x)."""
    c = np.array([3.0, 5.0, 7.0])
    _, pull_back = vjp(np.sin, X)
    got = grad(lambda v: np.sum(pull_back(v)[0] * c))(np.ones(3))
    np.testing.assert_allclose(got, c * np.cos(X), rtol=1e-14)
    _, push_forward = jvp(np.sin, X)
    got = grad(lambda v: np.sum(push_forward(v) * c))(np.ones(3))
    np.testing.assert_allclose(got, c * np.cos(X), rtol=1e-14)


@pytest.mark.parametrize("pass_on", [lambda f, w: f(3.0, w), lambda f, w: f(3.0, w=w)])
def test_a_variable_that_argnums_does_not_choose_is_part_of_the_graph(pass_on):
    """By hand: w d/dx (x**2 w) = 2 x w**2, and by w 4 x w."""
    w = Variable(np.array(2.0))
    (w * pass_on(grad(lambda x, w: x**2 * w), w)).backward()
    assert w.grad == 24.0


def test_an_inner_functional_derivative_under_no_grad_is_a_constant():
    def f(x):
        with no_grad():
            slope = grad(np.sin)(x)
        return x * slope

    np.testing.assert_allclose(grad(f)(1.0), np.cos(1.0))


def test_an_inf_or_nan_in_one_output_does_not_disturb_the_jacobian_of_another():
    """The slope of the root is inf at 0, and 0 times inf would be nan."""
    with np.errstate(divide="ignore"):
        found = jacobian(lambda p: {"a": np.sqrt(p), "b": 3.0 * p})(np.array([0.0]))
    assert (found["a"], found["b"]) == ([[np.inf]], [[3.0]])


@pytest.mark.parametrize("argnums", [(0, 0), (0, -1)])
def test_an_argument_that_argnums_names_twice_is_refused(argnums):
    with pytest.raises(ValueError, match="twice"):
        grad(lambda x: x, argnums)(3.0)


def test_arguments_changed_after_a_call_do_not_change_the_functional_derivative():
    x = X.copy()
    y, pull_back = vjp(lambda x: x**2, x)
    z, _ = vjp(lambda x: x, x)
    x -= 1.0
    np.testing.assert_array_equal(pull_back(np.ones(3))[0], 2.0 * X)
    np.testing.assert_array_equal(z, X)
    np.testing.assert_array_equal(y, X**2)


def test_a_complex_vector_in_a_product_of_real_values_is_refused():
    with pytest.raises(ValueError, match="complex array where a real one is needed"):
        vjp(lambda x: x, X)[1](X * 1j)


def test_none_in_a_tree_of_arguments_stays_none_in_the_gradient():
    gradient = grad(lambda p: np.sum(p["w"] ** 2))({"w": X, "b": None})
    assert gradient["b"] is None
    np.testing.assert_array_equal(gradient["w"], 2.0 * X)


def test_a_masked_argument_of_a_derivative_is_refused_and_not_stripped_of_its_mask():
    with pytest.raises(VariableTypeError, match="MaskedArray"):
        grad(lambda x: np.sum(x))(np.ma.array([1.0, 2.0], mask=[True, False]))


def test_a_hessian_by_complex_arguments_is_refused():
    with pytest.raises(VariableTypeError, match="real and imaginary parts"):
        hessian(lambda z: np.abs(z) ** 2)(1.0j)


def test_a_product_with_the_hessian_needs_a_vector():
    with pytest.raises(TypeError, match="needs a vector"):
        hvp(lambda x: x)()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: grad(lambda x: np.sum(x**2))(x),
        lambda x: hessian(lambda x: np.sum(x**2))(x),
        lambda x: hvp(lambda x: np.sum(x**2))(x, x),
        lambda x: jvp(lambda x: x**2, x)[1](x),
        lambda x: vjp(lambda x: x**2, x)[1](x),
    ],
)
def test_functional_derivatives_leave_no_reference_cycles(call, no_collector):
    call(X)
    gc.collect()  # of what the test's own start, or the first call of all, has left
    call(X)
    assert gc.collect() == 0


@pytest.mark.parametrize(
    "loses",
    [
        lambda x: np.sum(filled(x)),
        lambda x: math.sin(x[0]),
        lambda x: float(x[0] * 2.0),
        lambda x: complex(x[0]).real,
        lambda x: int(x[0]) * 1.0,
    ],
)
def test_a_number_made_of_a_variable_inside_a_differentiated_function_is_refused(loses):
    with pytest.raises((TypeError, ValueError)) as caught:
        grad(loses)(X)
    # NumPy makes an error of its own of what is raised while it fills an array.
    error = caught.value.__cause__ or caught.value
    assert isinstance(error, VariableTypeError)
    assert re.search(r"fill a Variable.*x\.item\(\)", str(error))
    assert float(Variable(X)[0] * 2.0) == 0.6  # outside it is the user's own decision


def filled(x):
    a = np.zeros(3)
    for index in range(3):
        a[index] = x[index] ** 2
    return a


def test_a_constant_inside_a_differentiated_function_may_be_a_number():
    assert grad(lambda x: x * float(Variable(np.array(2.0))))(3.0) == 2.0
    assert grad(lambda x: x * x.item())(3.0) == 3.0


@pytest.mark.parametrize("make", [grad, value_and_grad, jacobian, hessian, hvp])
def test_the_argument_argnum_of_autograd_is_refused_with_argnums(make):
    with pytest.raises(TypeError, match=rf"{make.__name__}\(\) got .* Did you mean 'argnums'\?"):
        make(np.sum, argnum=1)


@pytest.mark.parametrize("make", [grad, value_and_grad, jacobian, hessian, hvp])
def test_a_variable_in_place_of_a_function_is_refused_with_the_grad_of_the_core(make):
    x = Variable(np.array(2.0))
    with pytest.raises(TypeError, match=r"takes a function, got .*dezero_core\.grad\(y, x\)"):
        make(x * x, x)


def test_an_unknown_argument_of_grad_is_pythons_error():
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'"):
        grad(np.sum, nonsense=1)
