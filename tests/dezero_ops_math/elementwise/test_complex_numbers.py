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
def test_the_gradient_is_the_turn_over_the_squared_distance_in_all_magnitudes(z):
    x, y = mpmath.mpf(z.real), mpmath.mpf(z.imag)
    square = x * x + y * y
    got = gradient(angle, complex(z))
    np.testing.assert_allclose(got.real, float(-y / square), rtol=1e-15)
    np.testing.assert_allclose(got.imag, float(x / square), rtol=1e-15)


def test_in_degrees_the_gradient_is_180_over_pi_times_as_large():
    assert angle(Variable(np.array(-1.0)), True).item() == 180.0
    np.testing.assert_allclose(
        gradient(lambda z: angle(z, deg=True), 2.0j), -90.0 / np.pi, rtol=1e-15
    )


def test_at_0_the_angle_takes_every_value_and_the_gradient_is_nan_as_that_of_arctan2():
    z = Variable(np.array([0.0, 2.0j]))
    with np.errstate(invalid="ignore"):
        angle(z).backward()
    assert np.isnan(z.grad[0])
    assert z.grad[1] == -0.5


def test_infinitely_far_out_nothing_turns_and_nan_stays_nan():
    assert gradient(angle, complex(np.inf, 1.0)) == 0.0
    with np.errstate(invalid="ignore"):  # as of every complex quotient with nan
        assert np.isnan(gradient(angle, complex(np.nan, 1.0)))


@pytest.mark.parametrize("x", [2.0, -2.0, 0.0, -0.0])
def test_of_real_numbers_the_angle_is_constant(x):
    z = Variable(np.array([x], np.float32))
    y = np.angle(z)
    y.backward()
    np.testing.assert_array_equal(y.data, np.angle(z.data), strict=True)
    np.testing.assert_array_equal(z.grad, np.zeros(1, np.float32), strict=True)


def test_single_precision_stays_single():
    z = Variable(np.array([1.0 + 2.0j], np.complex64))
    y = angle(z, deg=True)
    y.backward()
    assert (y.dtype, z.grad.dtype) == (np.float32, np.complex64)


def test_second_derivatives_are_those_of_the_logarithm():
    """The gradient is conj(-i / z), the conjugate of whose real part's is i / z**2."""
    z = Variable(np.array([1.0 + 2.0j, -0.5 - 1.0j]))
    first = grad(angle(z), z, create_graph=True)
    np.testing.assert_allclose(first.data, np.conj(-1j / z.data), rtol=1e-15)
    np.testing.assert_allclose(grad(np.real(first), z), np.conj(1j / z.data**2), rtol=1e-15)


def test_tiny_imaginary_parts_are_dropped_with_their_derivative():
    z = Variable(np.array([1.0 + 1e-16j, 2.0]))
    y = np.real_if_close(z)
    y.grad = np.array([3.0, 4.0])
    y.backward()
    np.testing.assert_array_equal(y.data, [1.0, 2.0], strict=True)
    np.testing.assert_array_equal(z.grad, [3.0 + 0j, 4.0 + 0j], strict=True)


def test_one_that_is_not_tiny_keeps_them_all():
    z = Variable(np.array([1.0 + 1e-16j, 2.0 + 1.0j]))
    y = real_if_close(z)
    y.grad = np.array([3.0 + 1.0j, 4.0])
    y.backward()
    np.testing.assert_array_equal(y.data, z.data)
    np.testing.assert_array_equal(z.grad, [3.0 + 1.0j, 4.0])
    assert real_if_close(z, 2.0**53).dtype == float


def test_real_numbers_pass():
    assert gradient(real_if_close, 2.0) == 1.0


def test_options_are_constants():
    number = Variable(np.array(1.0))
    with pytest.raises(TypeError, match=r"Angle .* needs a constant for 'deg'"):
        angle(Variable(np.array(1.0j)), number)
    with pytest.raises(TypeError, match=r"RealIfClose .* needs a constant for 'tol'"):
        real_if_close(Variable(np.array(1.0j)), number)
