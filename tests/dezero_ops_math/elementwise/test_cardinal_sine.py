"""sinc: one function, though near 0 it is computed otherwise than far from it."""

import mpmath
import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import sinc


def derivatives(x, highest):
    """Return those of orders 0 to `highest`, element by element."""
    y = sinc(x)
    found = [y.data]
    for _ in range(highest):
        y = grad(y, x, create_graph=True)
        found.append(y.data)
    return found


def truth(x, order):
    """Integrate what sinc is the integral of: cos(pi x t) for t from 0 to 1."""
    with mpmath.workdps(40):
        turn = order * mpmath.pi / 2

        def slope(t):
            return (mpmath.pi * t) ** order * mpmath.cos(mpmath.pi * x * t + turn)

        value = mpmath.quad(slope, mpmath.linspace(0, 1, 5))
    return complex(value) if isinstance(x, complex) else float(value)


@pytest.mark.parametrize("order", range(8))
def test_derivatives_of_sinc_are_right_near_0_and_far_from_0(order):
    numbers = [1e-8, 1e-3, 0.1, 0.2, 0.49, 0.51, 0.7, 1.0, -1.3, 1.7, 2.0, 2.3, 5.5]
    got = derivatives(Variable(np.array(numbers)), order)[order]
    expected = [truth(x, order) for x in numbers]
    np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-15 * np.pi**order)


@pytest.mark.parametrize("order", range(4))
def test_derivatives_of_sinc_of_complex_numbers_are_right(order):
    numbers = [0.0j, 0.2 + 0.1j, -0.3 - 0.4j, 0.5 + 0.5j, -1.2 + 0.7j, 2.0j]
    x = Variable(np.array(numbers))
    y = sinc(x)
    for _ in range(order):
        y.grad = Variable(np.ones(len(numbers), complex))
        y.backward(create_graph=True)
        y = np.conj(x.grad)
        x.cleargrad()
    expected = [truth(z, order) for z in numbers]
    np.testing.assert_allclose(y.data, expected, rtol=1e-14, atol=1e-15 * np.pi**order)


def test_derivatives_of_sinc_at_0_are_the_coefficients_of_the_series():
    got = derivatives(Variable(np.array(0.0)), 8)
    expected = [0.0 if n % 2 else (-1) ** (n // 2) * np.pi**n / (n + 1) for n in range(9)]
    np.testing.assert_allclose(got, expected, rtol=1e-15)


def test_the_slope_of_sinc_at_integers_is_plus_or_minus_1_over_x():
    x = Variable(np.array([1.0, 2.0, 1e6, 1e6 + 1.0, 2.0**53, 1e300]))
    sinc(x).backward()
    np.testing.assert_array_max_ulp(x.grad, [-1, 1, 1, -1, 1, 1] / x.data, maxulp=1)


def test_the_gradient_of_sinc_is_nan_where_numpy_gives_nan():
    x = Variable(np.array([np.inf, np.nan]))
    with pytest.warns(RuntimeWarning, match="invalid value"):
        y = sinc(x)
    with pytest.warns(RuntimeWarning, match="invalid value"):
        y.backward()
    np.testing.assert_array_equal([y.data, x.grad], np.full((2, 2), np.nan))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_sinc_keeps_the_precision_of_its_data(dtype):
    numbers = [0.01, 0.3, 0.7, 1.2]
    x = Variable(np.array(numbers, dtype))
    sinc(x).backward()
    assert x.grad.dtype == dtype
    expected = [truth(float(number), 1) for number in x.data]
    np.testing.assert_allclose(x.grad, expected, rtol=10 * np.finfo(dtype).eps)
