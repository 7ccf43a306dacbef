"""relu where it bends, sigmoid where it is flat, both of what is no ordinary number."""

import mpmath
import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import relu, sigmoid

NAN, INF = np.nan, np.inf


def test_the_derivative_of_relu_at_0_is_0():
    x = Variable(np.array([-1.0, -0.0, 0.0, 5e-324, 1.0]))
    y = relu(x)
    y.backward()
    np.testing.assert_array_equal(y.data, [0.0, 0.0, 0.0, 5e-324, 1.0])
    np.testing.assert_array_equal(x.grad, [0.0, 0.0, 0.0, 1.0, 1.0])


def test_relu_of_nan_is_nan_and_passes_the_gradient():
    x = Variable(np.array([NAN, INF, -INF]))
    y = relu(x)
    y.backward()
    np.testing.assert_array_equal(y.data, [NAN, INF, 0.0])
    np.testing.assert_array_equal(x.grad, [1.0, 1.0, 0.0])


@pytest.mark.parametrize("bad", [INF, -INF, NAN])
def test_relu_stops_an_inf_or_nan_in_the_gradient_where_x_is_not_positive(bad):
    x = Variable(np.array([-1.0, 0.0, 2.0]))
    y = relu(x)
    y.grad = np.array([bad, bad, bad])
    y.backward()
    np.testing.assert_array_equal(x.grad, [0.0, 0.0, bad])


def test_the_second_derivative_of_relu_is_0():
    x = Variable(np.array([-1.0, 0.0, 2.0]))
    first = grad(relu(x) * x, x, create_graph=True)
    np.testing.assert_array_equal(first.data, [0.0, 0.0, 4.0])
    np.testing.assert_array_equal(grad(first, x), [0.0, 0.0, 2.0])


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float16, np.float32])
def test_relu_keeps_the_dtype(dtype):
    y = relu(np.array([-3, 0, 3], dtype))
    assert y.dtype == dtype
    np.testing.assert_array_equal(y.data, [0, 0, 3])


def test_relu_refuses_complex_numbers_with_a_note():
    with pytest.raises(TypeError, match="real numbers") as caught:
        relu(Variable(np.array([1.0j])))
    assert "Relu.forward" in caught.value.__notes__[0]


def derivatives_of_sigmoid(x, orders):
    """Return the derivatives of sigmoid at a number, in so many digits that they are exact."""
    with mpmath.workdps(1000):
        y = 1 / (1 + mpmath.exp(-mpmath.mpf(x)))
        formulas = y, y * (1 - y), y * (1 - y) * (1 - 2 * y), y * (1 - y) * (1 - 6 * y + 6 * y * y)
        return [float(formula) for formula in formulas[: orders + 1]]


@pytest.mark.parametrize("x", [-745.0, -710.0, -40.0, -1.5, 0.0, 0.7, 17.0, 36.0, 700.0])
def test_sigmoid_and_its_first_three_derivatives_are_exact_at_both_ends(x):
    variable, found = Variable(np.array(x)), []
    y = sigmoid(variable)
    for _ in range(3):
        found.append(y.item())
        y = grad(y, variable, create_graph=True)
    expected = derivatives_of_sigmoid(x, 3)
    np.testing.assert_allclose([*found, y.item()], expected, rtol=1e-14, atol=1e-323)


def test_sigmoid_at_infinities_is_0_and_1_with_the_gradient_0():
    x = Variable(np.array([-INF, INF, NAN]))
    y = sigmoid(x)
    y.backward()
    np.testing.assert_array_equal(y.data, [0.0, 1.0, NAN])
    np.testing.assert_array_equal(x.grad, [0.0, 0.0, NAN])


@pytest.mark.parametrize("z", [-800.0 + 3.0j, -2.0 + 1.0j, 0.5 - 2.0j, 800.0 - 1.0j])
def test_sigmoid_of_complex_numbers_is_analytic_and_does_not_overflow(z):
    x = Variable(np.array(z))
    y = sigmoid(x)
    with mpmath.workdps(1000):
        truth = 1 / (1 + mpmath.exp(-mpmath.mpmathify(z)))
        slope = complex(truth * (1 - truth))
    np.testing.assert_allclose(y.data, complex(truth), rtol=1e-14)
    y.grad = np.array(1.0 + 0.0j)
    y.backward()
    np.testing.assert_allclose(x.grad, np.conj(slope), rtol=1e-14, atol=1e-323)


@pytest.mark.parametrize(
    ("dtype", "of"), [(np.int8, float), (bool, float), (np.float16, np.float16), ("f4", "f4")]
)
def test_sigmoid_keeps_a_floating_dtype_and_makes_doubles_of_integers(dtype, of):
    x = np.array([-128, 0, 1], np.int8).astype(dtype)
    y, truth = sigmoid(Variable(x)), 1.0 / (1.0 + np.exp(-x.astype(float)))
    assert y.dtype == of
    np.testing.assert_allclose(y.data, truth, rtol=np.finfo(of).eps, atol=1e-7)
