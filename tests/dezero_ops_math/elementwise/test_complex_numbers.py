"""angle at 0, on the axes and far out; real_if_close in both of its dtypes."""

import mpmath
import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_math import angle, real_if_close


def gradient(function, z):
    x = Variable(np.array(z))
    function(x).backward()
    return x.grad.item()


@pytest.mark.parametrize(
    "z",
    [
        1.0 + 2.0j,
        -3.0 + 1e-9j,
        1e-9 - 5.0j,
        1e200 + 3e200j,
        1e-200 - 2e-200j,
        1e150 + 1e-150j,
        -4.0,
    ],
    ids=str,
)
def test_the_gradient_of_angle_is_right_in_all_magnitudes(z):
    x, y = mpmath.mpf(z.real), mpmath.mpf(z.imag)
    square = x * x + y * y
    got = gradient(angle, complex(z))
    np.testing.assert_allclose(got.real, float(-y / square), rtol=1e-15)
    np.testing.assert_allclose(got.imag, float(x / square), rtol=1e-15)


def test_the_gradient_of_angle_in_degrees_is_180_over_pi_times_as_large():
    assert angle(Variable(np.array(-1.0)), True).item() == 180.0
    np.testing.assert_allclose(
        gradient(lambda z: angle(z, deg=True), 2.0j), -90.0 / np.pi, rtol=1e-15
    )


def test_the_gradient_of_angle_at_0_is_nan_like_that_of_arctan2():
    z = Variable(np.array([0.0, 2.0j]))
    with np.errstate(invalid="ignore"):
        angle(z).backward()
    assert np.isnan(z.grad[0])
    assert z.grad[1] == -0.5


def test_the_gradient_of_angle_is_0_at_infinity_and_nan_at_nan():
    assert gradient(angle, complex(np.inf, 1.0)) == 0.0
    with np.errstate(invalid="ignore"):  # as of every complex quotient with nan
        assert np.isnan(gradient(angle, complex(np.nan, 1.0)))


@pytest.mark.parametrize("x", [2.0, -2.0, 0.0, -0.0])
def test_the_angle_of_real_numbers_is_constant(x):
    z = Variable(np.array([x], np.float32))
    y = np.angle(z)
    y.backward()
    np.testing.assert_array_equal(y.data, np.angle(z.data), strict=True)
    np.testing.assert_array_equal(z.grad, np.zeros(1, np.float32), strict=True)


def test_angle_keeps_single_precision():
    z = Variable(np.array([1.0 + 2.0j], np.complex64))
    y = angle(z, deg=True)
    y.backward()
    assert (y.dtype, z.grad.dtype) == (np.float32, np.complex64)


def test_second_derivatives_of_angle_are_those_of_the_logarithm():
    """The gradient is conj(-i / z), the conjugate of whose real part's is i / z**2."""
    z = Variable(np.array([1.0 + 2.0j, -0.5 - 1.0j]))
    first = grad(angle(z), z, create_graph=True)
    np.testing.assert_allclose(first.data, np.conj(-1j / z.data), rtol=1e-15)
    np.testing.assert_allclose(grad(np.real(first), z), np.conj(1j / z.data**2), rtol=1e-15)


def test_real_if_close_drops_tiny_imaginary_parts_with_their_derivative():
    z = Variable(np.array([1.0 + 1e-16j, 2.0]))
    y = np.real_if_close(z)
    y.grad = np.array([3.0, 4.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [1.0, 2.0], strict=True)
    np.testing.assert_array_equal(z.grad, [3.0 + 0j, 4.0 + 0j], strict=True)


def test_real_if_close_keeps_all_imaginary_parts_if_any_is_large():
    z = Variable(np.array([1.0 + 1e-16j, 2.0 + 1.0j]))
    y = real_if_close(z)
    y.grad = np.array([3.0 + 1.0j, 4.0])
    y.backward()
    np.testing.assert_array_equal(y.data, z.data)
    np.testing.assert_array_equal(z.grad, [3.0 + 1.0j, 4.0])
    assert real_if_close(z, 2.0**53).dtype == float


def test_real_if_close_passes_real_numbers():
    assert gradient(real_if_close, 2.0) == 1.0


def test_options_of_angle_and_real_if_close_cannot_be_variables():
    number = Variable(np.array(1.0))
    with pytest.raises(TypeError, match=r"Angle .* needs a constant for 'deg'"):
        angle(Variable(np.array(1.0j)), number)
    with pytest.raises(TypeError, match=r"RealIfClose .* needs a constant for 'tol'"):
        real_if_close(Variable(np.array(1.0j)), number)
