"""check_gradient: right functions pass, and planted wrong derivatives are found, of both orders.

Promise: docs/reference/testing.rst
"""

import re
from typing import NamedTuple

import numpy as np
import pytest
from dezero_tools.testing import GradientCheckError, check_gradient

from dezero_core import Function, Parameter, Variable, VariableTypeError, grad, no_grad

from .planted import sine, slope

X = np.array([[0.3, -1.2, 0.7], [1.9, -0.4, -2.5]])
W = np.array([[0.5, 2.0], [-1.0, 0.3], [0.2, -0.7]])


class Weights(NamedTuple):
    w: np.ndarray
    b: np.ndarray


def layer(weights, x):
    return np.tanh(x @ weights.w + weights.b)


def with_a_derivative_in_it(x):
    y = np.sum(x**3.0)
    return grad(y, x, create_graph=True) * x


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (np.tanh, (X,)),
        (np.log, (1e-5,)),
        (np.sin, (1e6,)),
        (lambda x, y: x * y, (X, 3.0)),
        (lambda x: x, (X,)),
        (lambda x: 3.0 * x, (X,)),
        (lambda x, n: x**n, (X, 3)),
        (lambda x, axis: np.sum(np.exp(x), axis=axis), (X, 1)),
        (lambda x: np.sum(np.exp(x), axis=0), (X,)),
        (lambda p: p["a"] * p["b"][1], ({"a": X, "b": [0.1, 2.0, None]},)),
        (layer, (Weights(W, np.array([0.1, 0.2])), X)),
        (lambda x: {"s": np.sin(x), "rest": (np.sum(x), 7, np.argmax(x))}, (X,)),
        (lambda x: Variable(np.ones(3)), (X,)),
        (lambda x: np.floor(x), (X,)),
        (lambda z: np.abs(z) ** 2, (X + 1j * X[::-1],)),
        (lambda z, x: np.exp(z) * x, (X + 1j * X[::-1], X)),
        (lambda x: np.fft.fft(x), (X,)),
        (np.linalg.inv, (W @ W.T + np.eye(3),)),
        (with_a_derivative_in_it, (X,)),
        (np.sum, (np.zeros((0, 3)),)),
    ],
)
def test_check_gradient_passes_right_functions(function, args):
    for order in 1, 2:
        assert check_gradient(function, *args, order=order) is None


def test_check_gradient_takes_variables_and_single_precision():
    check_gradient(np.tanh, Variable(X))
    check_gradient(lambda x, y: x * y, X.astype(np.float32), X.astype(np.complex64))


def test_check_gradient_differentiates_more_than_twice():
    check_gradient(np.tanh, 0.3, order=4)
    with pytest.raises(ValueError, match="order must be 1 or more, got 0"):
        check_gradient(np.tanh, 0.3, order=0)


def found(function, *args, **options):
    """Return the error that check_gradient raises."""
    with pytest.raises(GradientCheckError) as caught:
        check_gradient(function, *args, **options)
    return caught.value


def wrong_in_one_element(self, gy):
    gx = gy * np.cos(self.inputs[0].data)
    return gx * np.where(self.inputs[0].data == 0.7, 3.0, 1.0)


def test_a_wrong_gradient_is_found_with_argument_element_size_and_point():
    planted = sine(backward=wrong_in_one_element)
    error = found(lambda s, p: s * planted(p["w"][1]), 2.0, {"b": 1.0, "w": [X, X]}, order=1)
    assert isinstance(error, AssertionError)
    assert (error.order, error.argument, error.path) == (1, 1, "argument 1['w'][1]")
    assert error.position == (0, 2)
    scale, _, _, x = error.point
    np.testing.assert_array_equal(x, X)
    (gy,) = error.gy
    np.testing.assert_allclose(error.expected, scale * gy * np.cos(X))
    ratio = np.ones(X.shape)
    ratio[0, 2] = 3.0
    np.testing.assert_allclose(error.got, error.expected * ratio)
    worst = 2.0 * abs(error.expected[0, 2])
    assert error.size == pytest.approx(worst / np.max(np.abs(error.expected)))
    first, *rest = str(error).splitlines()
    assert first == (
        f"<lambda>: wrong gradient by argument 1['w'][1] at [0, 2], off by {error.size:.2g} "
        f"relative, {worst:.3g} at most"
    )
    assert [line.partition(":")[0].strip() for line in rest if ":" in line] == [
        *["point"] * 4,
        *("gy", "expected", "got"),
    ]


def test_a_wrong_gradient_by_a_field_of_a_named_tuple_is_named_by_the_field():
    planted = sine(backward=wrong_in_one_element)
    error = found(lambda weights: planted(weights.w), Weights(w=X, b=1.0), order=1)
    assert (error.argument, error.path) == (0, "argument 0.w")


def test_a_wrong_second_derivative_is_found_and_can_be_repeated_by_hand():
    planted = slope(error=2.0)
    check_gradient(planted, X, order=1)
    error = found(planted, X)
    assert (error.order, error.argument, error.path) == (2, 0, "argument 0")
    (gy,), (along,), (x,) = error.gy, error.along, error.point
    np.testing.assert_allclose(error.expected, -along * gy * np.sin(x), rtol=1e-7)
    np.testing.assert_allclose(error.got, 2.0 * error.expected, rtol=1e-7)
    assert re.match(
        r"<lambda>: wrong second derivative by argument 0 at \[\d, \d\], off by 1 relative",
        str(error),
    )
    assert "\n  along:    array(" in str(error)


def test_a_wrong_derivative_of_the_gradient_by_gy_is_found():
    def by_gy(self, ggx):
        gy, x = self.inputs[0].data, self.inputs[1].data
        return 2.0 * ggx * np.cos(x), -ggx * gy * np.sin(x)

    error = found(slope(backward=by_gy), 0.3)
    assert (error.order, error.argument, error.path) == (2, None, None)
    assert str(error).startswith("<lambda>: wrong second derivative by gy, off by 1 relative")
    np.testing.assert_allclose(error.expected, error.along[0] * np.cos(0.3))


def test_a_wrong_third_derivative_is_found_where_it_is_asked_for():
    class Wrong(Function):
        """-gy sin(x), with a derivative by x that is wrong."""

        def forward(self, gy, x):
            return -gy * np.sin(x)

        def backward(self, ggx):
            gy, x = self.inputs[0].data, self.inputs[1].data
            return -ggx * np.sin(x), -3.0 * ggx * gy * np.cos(x)

    def backward(self, ggx):
        gy, x = self.inputs[0].data, self.inputs[1].data
        return ggx * np.cos(x), ggx * Wrong().of(gy, x)

    check_gradient(slope(backward=backward), 0.3)
    error = found(slope(backward=backward), 0.3, order=3)
    assert (error.order, len(error.along)) == (3, 3)
    assert "wrong derivative of order 3 by " in str(error)


def test_a_graph_that_the_function_loses_is_found():
    error = found(lambda x: Variable(np.sin(x.data)) + x, X)
    np.testing.assert_allclose(error.expected, error.gy[0] * (1.0 + np.cos(X)))
    assert "wrong gradient" in str(found(lambda x: np.sin(x.data), X))


def test_a_wrong_gradient_of_complex_data_is_found():
    planted = sine(backward=lambda self, gy: gy * np.cos(self.inputs[0].data).conjugate())
    check_gradient(planted, X)
    error = found(planted, X + 1j * X[::-1])
    np.testing.assert_allclose(error.expected, error.gy[0] * np.cos(error.point[0]).conj())


def test_an_error_within_rtol_is_allowed():
    nearly = sine(backward=lambda self, gy: gy * np.cos(self.inputs[0].data) * (1.0 + 1e-5))
    check_gradient(nearly, X, rtol=1e-4)
    assert found(nearly, X, rtol=1e-6).size == pytest.approx(1e-5, rel=1e-3)
    assert found(nearly, X).order == 1


def huber(r):
    return np.where(np.abs(r) < 0.5, 0.5 * r * r, 0.5 * np.abs(r) - 0.125)


def test_a_right_gradient_passes_where_the_derivative_has_a_corner():
    for point in 0.5, -0.5, X:
        check_gradient(huber, point, order=1)
    wrong = sine(backward=lambda self, gy: gy * 1.001)  # of sin, whose derivative at 0 is 1
    assert found(lambda r: huber(r + 0.5) + wrong(r), 0.0, order=1).size > 1e-4


@pytest.mark.parametrize(
    ("function", "point"),
    [
        (np.abs, 0.0),
        (lambda x: np.sign(x), 0.0),
        (lambda x: np.maximum(2.0 * x, x * x), 2.0),
        (huber, 0.5),
        (huber, np.array([0.1, -0.5, 2.0])),
    ],
)
def test_a_point_without_a_derivative_does_not_pass(function, point):
    error = found(function, point)
    rule = "differences do not settle here, as on a corner or a jump, of the function or of a deri"
    assert rule in str(error)
    assert "Choose other arrays, where it is smoother; the apart= of a sample" in str(error)
    assert (error.argument, error.position, error.size) == (0, None, None)


def test_a_point_where_the_function_is_nan_does_not_pass():
    error = found(np.sqrt, -1.0)
    assert "the values are nan here or close by. Choose other arrays" in str(error)
    assert (error.argument, error.position, error.size) == (0, None, None)


def test_check_gradient_refuses_arguments_and_results_without_a_derivative():
    with pytest.raises(VariableTypeError, match="no argument of sin is a floating-point number"):
        check_gradient(np.sin, 3)
    with pytest.raises(VariableTypeError, match="no result of <lambda> is a floating-point"):
        check_gradient(lambda x: np.argmax(x), X)


def test_check_gradient_changes_neither_gradients_nor_arrays_nor_settings():
    weight, x = Parameter(W), Variable(X.copy())
    weight.grad = before = np.ones(W.shape)
    with no_grad():
        check_gradient(lambda x: np.tanh(x @ weight), x)
        assert (x * 2.0).creator is None
    assert weight.grad is before
    assert x.grad is None
    np.testing.assert_array_equal(x.data, X)
