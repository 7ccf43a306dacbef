"""polyval: gradients by the argument and the coefficients, at every order; kinds of operands."""

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import polyval


def test_the_gradients_of_a_polynomial_are_its_derivative_and_powers():
    p, x = Variable(np.array([2.0, -3.0, 0.5, 1.0])), Variable(np.array([0.0, 1.5, -2.0]))
    y = np.polyval(p, x)
    y.grad = np.array([1.0, 10.0, 100.0])
    weights = y.grad.copy()
    y.backward()
    np.testing.assert_allclose(y.data, np.polyval(p.data, x.data), rtol=0.0)
    np.testing.assert_allclose(x.grad, weights * np.polyval([6.0, -6.0, 0.5], x.data), rtol=1e-14)
    np.testing.assert_allclose(p.grad, weights @ np.vander(x.data, 4), rtol=1e-14)


def test_each_derivative_of_a_polynomial_is_that_of_its_coefficients_down_to_0():
    """Of x**4 - 2 x**3 + x at 1.5 and at 0, where a power of x would be 0 to the power of 0."""
    p = np.array([1.0, -2.0, 0.0, 1.0, 0.0])
    x = Variable(np.array([1.5, 0.0]))
    y = np.polyval(p, x)
    for order in range(1, 6):
        if order == 5:
            np.testing.assert_array_equal(grad(y, x), [0.0, 0.0])
            return
        y = grad(y, x, create_graph=True)
        expected = np.polyval(np.polyder(p, order), x.data)
        np.testing.assert_allclose(y.data, expected, rtol=1e-13, atol=1e-13)


def test_the_mixed_second_derivative_of_a_polynomial_is_right():
    """d2 y / dx dp[k] = k x**(k - 1), the highest power first."""
    p, x = Variable(np.array([2.0, 1.0, 5.0])), Variable(np.array(3.0))
    slope = grad(polyval(p, x), x, create_graph=True)
    np.testing.assert_allclose(grad(slope, p), [6.0, 1.0, 0.0], rtol=1e-14)


def test_a_polynomial_takes_lists_and_polynomials_of_numpy_as_numpy_does():
    x = Variable(np.array([1.0, 2.0]))
    for p in ([3.0, 0.0, 1.0], (3, 0, 1), np.poly1d([3.0, 0.0, 1.0])):
        np.testing.assert_array_equal(np.polyval(p, x).data, [4.0, 13.0])
    np.testing.assert_array_equal(np.poly1d([3.0, 0.0, 1.0])(x).data, [4.0, 13.0])
    a = Variable(np.array(2.0))
    y = polyval([a, 1.0, a], [1.0, 2.0])
    np.testing.assert_array_equal(y.data, [5.0, 12.0])
    y.backward()
    np.testing.assert_array_equal(a.grad, (1.0 + 1.0) + (4.0 + 1.0))


def test_several_polynomials_broadcast_with_their_argument():
    p, x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]])), Variable(np.array(2.0))
    y = np.polyval(p, x)
    y.backward()
    np.testing.assert_array_equal(y.data, [5.0, 8.0])
    np.testing.assert_array_equal(p.grad, [[2.0, 2.0], [1.0, 1.0]])
    np.testing.assert_array_equal(x.grad, np.array(3.0), strict=True)


def test_a_polynomial_without_coefficients_is_0_with_the_gradient_0():
    p, x = Variable(np.zeros(0)), Variable(np.array([1.0, 2.0]))
    y = np.polyval(p, x)
    y.backward()
    np.testing.assert_array_equal(y.data, [0.0, 0.0])
    np.testing.assert_array_equal(x.grad, [0.0, 0.0])
    assert p.grad.shape == (0,)


def test_the_gradients_of_a_polynomial_in_low_precision_keep_the_dtype():
    p, x = (Variable(np.array([1.0, 2.0], np.float32)) for _ in range(2))
    slope = grad(np.polyval(p, x), x, create_graph=True)
    assert slope.dtype == np.float32
    slope.backward()
    np.testing.assert_array_equal(p.grad, np.array([2.0, 0.0], np.float32), strict=True)


def test_a_polynomial_refuses_a_number_for_its_coefficients_with_a_note():
    with pytest.raises(TypeError, match="0-d") as caught:
        np.polyval(Variable(np.array(1.0)), np.ones(2))
    assert "PolyVal.forward" in caught.value.__notes__[0]
